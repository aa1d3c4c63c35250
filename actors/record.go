package actors

import (
	"slices"
	"strings"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/mcp-supervisor/supervisor/governance"
	"github.com/mcp-supervisor/supervisor/governance/audit"
	"github.com/mcp-supervisor/supervisor/governance/redact"
	mcpspec "github.com/mcp-supervisor/supervisor/mcp/spec"
	"github.com/mcp-supervisor/supervisor/messages"
)

// intentRecord is what is written before a call goes on. Secret values are masked in the arguments, and what a policy
// wants redacted is not there.
func (e *env) intentRecord(c messages.Call, d messages.Decision, redacted []string) audit.Record {
	r := audit.Intent(c, d)
	if rules := e.world.Load().rules; !d.Allowed && rules != nil { // no permit says what is to be redacted
		redacted = slices.Concat(redacted, rules.Redacts(c.Server, c.Tool))
	}
	r.Arguments = e.keeper.MaskJSON(redact.Apply(r.Arguments, redacted))
	return e.masked(r)
}

func (e *env) outcomeRecord(c messages.Call, r messages.CallResult, d messages.Decision) audit.Record {
	record := audit.Outcome(r, d).In(c)
	if record.Error != nil {
		record.Error.Message = cut(e.keeper.Mask(record.Error.Message), maxMessage)
	}
	return e.masked(record)
}

// masked hides secrets in what a caller may have typed.
func (e *env) masked(r audit.Record) audit.Record {
	r.Server, r.Tool, r.PolicyReason = e.keeper.Mask(r.Server), e.keeper.Mask(r.Tool), e.keeper.Mask(r.PolicyReason)
	return r
}

// conclude ends a call that was dispatched: for the audit, for subscribers, and for its caller.
func (e *env) conclude(m ended, caller *actor.PID) {
	told := m
	if m.Redacted {
		told.Result = hushed(m.Result)
	}
	e.send(e.journal, told)
	e.publishEnd(told.Result)
	e.send(caller, m.Result)
}

// hushed is a result without the server's own words of an error, which may repeat any argument in any spelling. Only the
// caller reads them, who knows the arguments.
func hushed(r messages.CallResult) messages.CallResult {
	if r.Error == nil || r.Error.Kind != "rpc" && r.Error.Kind != "result" {
		return r
	}
	quiet := *r.Error
	quiet.Message = "the server's words are not kept, since arguments of the call are redacted"
	r.Error = &quiet
	return r
}

func (e *env) publishStart(c messages.Call) {
	e.hub.publish(messages.Event{
		Kind: messages.CallStarted, Server: c.Server, Agent: c.Agent, Run: c.Run, Tool: c.Tool, CallID: c.ID,
	})
}

func (e *env) publishEnd(r messages.CallResult) {
	event := messages.Event{
		Kind: messages.CallEnded, Server: r.Server, Agent: r.Agent, Run: r.Run, Tool: r.Tool, CallID: r.CallID,
		Incarnation: r.Incarnation, Outcome: r.Outcome, Duration: r.Duration,
	}
	if r.Error != nil {
		event.Detail = cut(r.Error.Message, maxMessage)
	}
	e.hub.publish(event)
}

// providerEvent is a record as a governance provider sees it.
func providerEvent(r audit.Record) governance.Event {
	return governance.Event{
		Type: string(r.EventType), Time: r.Timestamp, Topology: r.TopologyID, Agent: r.AgentID, Run: r.RunID, Server: r.Server,
		Tool: r.Tool, CallID: r.CallID, Outcome: r.Outcome, Rule: r.PolicyRule, Reason: r.PolicyReason,
	}
}

// maskExit hides secrets in a post-mortem, before anybody gets to see it.
func (e *env) maskExit(exit mcpspec.Exit) mcpspec.Exit {
	exit.Reason = e.keeper.Mask(exit.Reason)
	tail := make([]string, len(exit.StderrTail))
	for n, line := range exit.StderrTail {
		tail[n] = e.keeper.Mask(line)
	}
	exit.StderrTail = tail
	return exit
}

// maxMessage bounds the words of an error in the audit and in events, in bytes. A tool's own error text may be as long
// as any message of its server; the caller gets it whole.
const maxMessage = 4 << 10

func cut(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	return strings.ToValidUTF8(text[:limit], "") + "…"
}

func sinceMillis(t time.Time) messages.Millis { return messages.Millis(time.Since(t)) }
