package actors

import (
	"github.com/asynkron/protoactor-go/actor"

	"github.com/mcp-supervisor/supervisor/governance/audit"
	"github.com/mcp-supervisor/supervisor/internal/safe"
	"github.com/mcp-supervisor/supervisor/messages"
)

// onCancel tells everything the agent waits for to end; the agent answers when it has.
func (a *agent) onCancel(ctx actor.Context, m cancelAgent) {
	if a.cancel != nil {
		return
	}
	a.cancel = &m
	a.stopThinking()
	for _, child := range ctx.Children() {
		ctx.Send(child, m)
	}
	for id, c := range a.sent {
		ctx.Send(a.env.gate(c.Agent), messages.CancelCall{ID: id, Agent: c.Agent, Server: c.Server, Reason: m.Reason})
	}
	if len(a.due) == 0 { // it thinks, or had not begun; what the model still says is not waited for
		a.done(ctx, messages.Cancelled, m.Reason)
	}
}

func (a *agent) done(ctx actor.Context, o messages.Outcome, text string) {
	a.conclude(o)
	ctx.Send(ctx.Parent(), agentDone{Key: a.key, Outcome: o, Text: text})
	ctx.Stop(ctx.Self())
}

// conclude tells the world of the agent's end, once.
func (a *agent) conclude(o messages.Outcome) {
	if a.ended {
		return
	}
	a.ended = true
	a.env.hub.publish(messages.Event{Kind: messages.AgentCompleted, Agent: a.task.agent.ID, Run: a.task.runID, Outcome: o})
	a.record(audit.Record{EventType: audit.EventType(messages.AgentCompleted), Outcome: o})
}

func (a *agent) record(r audit.Record) {
	r.AgentID, r.RunID, r.TopologyID = a.task.agent.ID, a.task.runID, a.task.topology
	a.env.send(a.env.journal, noted{Record: r})
}

// letGo ends what the agent started. Its parent hears of the end, if there still is one.
func (a *agent) letGo(ctx actor.Context, c *safe.Crash) {
	if a.ended {
		return
	}
	a.stopThinking()
	for id, call := range a.sent {
		ctx.Send(a.env.gate(call.Agent), messages.CancelCall{ID: id, Agent: call.Agent, Server: call.Server, Reason: "the agent ended"})
	}
	failure := a.env.endedRun(c)
	a.conclude(failure.Outcome)
	ctx.Send(ctx.Parent(), agentDone{Key: a.key, Outcome: failure.Outcome, Text: failure.Message})
}

func (a *agent) refuse(actor.Context, *safe.Crash) {}
