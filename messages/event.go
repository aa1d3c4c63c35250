package messages

import "time"

// EventKind names what happened. Server and agent events are past facts.
type EventKind string

const (
	ServerStarting   EventKind = "server.starting"
	ServerUp         EventKind = "server.up"
	ServerExited     EventKind = "server.exited"     // it ended; Detail is the post-mortem
	ServerRestarting EventKind = "server.restarting" // a new start comes in After
	ServerFailed     EventKind = "server.failed"     // given up; Detail says why
	ServerStopped    EventKind = "server.stopped"    // stopped by us, or resting
	ServerWarning    EventKind = "server.warning"    // junk on stdout, a tool left out
	CallStarted      EventKind = "call.started"
	CallEnded        EventKind = "call.ended"
	CallRetried      EventKind = "call.retried"  // it was lost, and is sent once more because the workspace allows it
	ToolsChanged     EventKind = "tools.changed" // tools of a server are not as they were approved
	// ApprovalRequested: a call waits for a person, at most for After; Detail has the approval's id and the reason.
	ApprovalRequested EventKind = "approval.requested"
	ApprovalResolved  EventKind = "approval.resolved"
	GateFrozen        EventKind = "gate.frozen" // the kill switch was turned; Detail says what is frozen now
	RunStarted        EventKind = "run.started"
	RunEnded          EventKind = "run.ended"
	AgentStarted      EventKind = "agent.started"
	AgentCompleted    EventKind = "agent.completed"
	ActorCrashed      EventKind = "actor.crashed" // a bug of ours, contained; Detail holds the stack
	AuditFailed       EventKind = "audit.failed"  // a record could not be written
)

// Event tells the world what happened. Fields that do not apply are zero.
type Event struct {
	Time   time.Time `json:"time"`
	Kind   EventKind `json:"kind"`
	Server string    `json:"server,omitempty"`
	Agent  string    `json:"agent,omitempty"`
	Run    string    `json:"run,omitempty"`
	Tool   string    `json:"tool,omitempty"`
	CallID string    `json:"call_id,omitempty"`
	// Incarnation is the server's session number.
	Incarnation int `json:"incarnation,omitempty"`
	// Restarts is how many restarts of the budget (Budget) are used inside the window.
	Restarts int `json:"restarts,omitempty"`
	Budget   int `json:"budget,omitempty"`
	// Group is the group of a server that is restarted; GroupRestarts of its budget (GroupBudget) are used.
	Group         string  `json:"group,omitempty"`
	GroupRestarts int     `json:"group_restarts,omitempty"`
	GroupBudget   int     `json:"group_budget,omitempty"`
	Outcome       Outcome `json:"outcome,omitempty"`
	After         Millis  `json:"after_ms,omitempty"`
	Duration      Millis  `json:"duration_ms,omitempty"`
	Detail        string  `json:"detail,omitempty"`
	// Exit is the post-mortem behind a server.exited.
	Exit *Exit `json:"exit,omitempty"`
}
