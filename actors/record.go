package actors

import (
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/mcp-supervisor/supervisor/governance"
	"github.com/mcp-supervisor/supervisor/governance/audit"
	"github.com/mcp-supervisor/supervisor/messages"
)

// intentRecord is what is written before a call goes on. Secret values are masked in the arguments.
func (e *env) intentRecord(c messages.Call, d messages.Decision) audit.Record {
	r := audit.Intent(c, d)
	r.Arguments = e.keeper.MaskJSON(r.Arguments)
	return r
}

func (e *env) outcomeRecord(c messages.Call, r messages.CallResult, d messages.Decision) audit.Record {
	return audit.Outcome(r, d).In(c)
}

// conclude ends a call that was dispatched: for the audit, for subscribers, and for its caller.
func (e *env) conclude(m ended, caller *actor.PID) {
	e.send(e.journal, m)
	e.publishEnd(m.Result)
	e.send(caller, m.Result)
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
		event.Detail = r.Error.Message
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

func sinceMillis(t time.Time) messages.Millis { return messages.Millis(time.Since(t)) }
