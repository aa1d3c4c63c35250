package audit

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/mcp-supervisor/supervisor/messages"
)

// EventType says what a record is about.
type EventType string

// A call leaves one Intent and one record of the outcome, whose type OutcomeType gives. Events that the messages
// package names keep those names; the rest are facts about the supervisor itself.
const (
	ToolIntent        EventType = "tool.intent"
	SkillExecuted     EventType = "skill.executed"
	PolicyDenied      EventType = "policy.denied"
	SupervisorStarted EventType = "supervisor.started"
	ConfigLoaded      EventType = "config.loaded"  // a reload put other files in force; Payload has their digest and what changed
	ConfigRefused     EventType = "config.refused" // a reload found faults and changed nothing
	ToolsChanged      EventType = "tools.changed"  // tools are not as they were approved
	ToolsApproved     EventType = "tools.approved" // a person approved tools as they are now
	ApprovalRequested EventType = "approval.requested"
	ApprovalResolved  EventType = "approval.resolved"
	Frozen            EventType = "gate.frozen"  // what is frozen changed; Payload has all that is
	ServerAsked       EventType = "server.asked" // a person asked for a start, stop or restart
	SupervisorStopped EventType = "supervisor.stopped"
	// Recovered is written by the log itself, after it had to repair or give up a segment.
	Recovered EventType = "audit.recovered"
)

// OutcomeType is the event type of the record of an outcome: skill.executed for ok, policy.denied for denied, tool.error
// for tool_error and tool.<outcome> for the others.
func OutcomeType(o messages.Outcome) EventType {
	switch o {
	case messages.OK:
		return SkillExecuted
	case messages.Denied:
		return PolicyDenied
	default:
		return EventType("tool." + strings.TrimPrefix(string(o), "tool_"))
	}
}

// Record is one line of the log. Fields that do not apply are zero and not written. Names follow the swarm format's
// AuditEvent where it has the field.
//
// A record that was read back has its texts as they stand in the log, with \xHH for bytes that are not UTF-8.
type Record struct {
	// Seq, EventID and Timestamp (UTC), Prev and Hash are given by Append; what the caller put there is replaced.
	Seq       int64     `json:"seq"`
	EventID   string    `json:"event_id"` // a UUID, version 7
	EventType EventType `json:"event_type"`
	Timestamp time.Time `json:"timestamp"`

	CallID     string `json:"call_id,omitempty"`
	AgentID    string `json:"agent_id,omitempty"`
	RunID      string `json:"run_id,omitempty"`
	TopologyID string `json:"topology_id,omitempty"`
	// SkillID is the skill or grant that the decision used.
	SkillID string `json:"skill_id,omitempty"`
	Server  string `json:"server,omitempty"`
	Tool    string `json:"tool,omitempty"`
	// Incarnation is the number of the server's session.
	Incarnation int `json:"incarnation,omitempty"`

	// ArgumentsDigest is the SHA-256 of the argument bytes as the agent gave them, in hex, and ArgumentsBytes is their
	// length. Arguments are the arguments themselves, compacted; a JSON string when they were not valid JSON in UTF-8.
	ArgumentsDigest string          `json:"arguments_digest,omitempty"`
	ArgumentsBytes  int             `json:"arguments_bytes,omitempty"`
	Arguments       json.RawMessage `json:"arguments,omitempty"`

	// Outcome and the four after it belong to the record of an outcome.
	Outcome  messages.Outcome `json:"outcome,omitempty"`
	Ran      messages.Ran     `json:"ran,omitempty"`
	Attempts int              `json:"attempts,omitempty"`
	Error    *Error           `json:"error,omitempty"`
	Exit     *messages.Exit   `json:"exit,omitempty"`
	Duration messages.Millis  `json:"duration_ms,omitempty"`

	// PolicyDecision is allow or deny; empty when nothing was decided.
	PolicyDecision string `json:"policy_decision,omitempty"`
	PolicyRule     string `json:"policy_rule,omitempty"`
	PolicyReason   string `json:"policy_reason,omitempty"`

	// Payload holds what other events have to say, as a JSON object.
	Payload json.RawMessage `json:"payload,omitempty"`

	Prev string `json:"prev"`
	Hash string `json:"hash"`
}

// Error says why a call has no good result.
type Error struct {
	Kind    string `json:"kind"`
	Code    int64  `json:"code,omitempty"`
	Message string `json:"message"`
}

// Head names one record, and through its hash all records before it.
type Head struct {
	Seq  int64  `json:"seq"`
	Hash string `json:"hash"`
}

// genesis is the head of an empty log.
var genesis = Head{Hash: strings.Repeat("0", hashLen)}
