package actors

import (
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/mcp-supervisor/supervisor/governance/audit"
	"github.com/mcp-supervisor/supervisor/governance/budget"
	"github.com/mcp-supervisor/supervisor/internal/safe"
	"github.com/mcp-supervisor/supervisor/messages"
)

// Messages of a run.
type (
	// endRun ends a run before its answer.
	endRun struct {
		Outcome messages.Outcome
		Reason  string
	}
	// counted tells the run of one call's outcome.
	counted struct{ Outcome messages.Outcome }
	// mayThink asks for a turn of a model; the sender gets thinkAnswer.
	mayThink struct{}
	// thinkAnswer is a yes, or the reason of a no.
	thinkAnswer struct{ Reason string }
	// spent tells what a turn cost, in millionths of a US dollar.
	spent struct{ Cost int64 }
)

// run is one run of a topology: it owns the root agent and what the run has used up.
type run struct {
	env     *env
	start   startRun
	starter *actor.PID
	began   time.Time
	root    *actor.PID
	calls   map[messages.Outcome]int
	cost    budget.Cost
	ending  *endRun
	replied bool
}

// newRun makes a run; doom is why it ends at once, nil for most.
func newRun(e *env, start startRun, starter *actor.PID, began time.Time, doom *endRun) *run {
	return &run{env: e, start: start, starter: starter, began: began, calls: map[messages.Outcome]int{}, ending: doom}
}

func (r *run) Receive(ctx actor.Context) {
	switch m := ctx.Message().(type) {
	case *actor.Started:
		r.onStarted(ctx)
	case counted:
		r.calls[m.Outcome]++
	case mayThink:
		ctx.Respond(r.mayThink())
	case spent:
		r.cost.Settle(0, budget.MicroUSD(m.Cost))
	case endRun:
		r.onEnd(ctx, m)
	case agentDone:
		r.onDone(ctx, m)
	case *actor.Terminated: // the root agent; its answer is on its way to us, if it gave one
		ctx.Send(ctx.Self(), childGone{Key: childName(m.Who)})
	case childGone:
		r.reply(runEnded{Error: r.env.endedRun(nil)})
		ctx.Stop(ctx.Self())
	default:
		r.env.unexpected("run", m)
	}
}

func (r *run) onStarted(ctx actor.Context) {
	r.env.hub.publish(messages.Event{Kind: messages.RunStarted, Run: r.start.ID, Detail: r.start.Topology.Name})
	r.record(audit.Record{EventType: audit.EventType(messages.RunStarted)})
	if r.ending != nil {
		r.onDone(ctx, agentDone{})
		return
	}
	task := task{run: ctx.Self(), runID: r.start.ID, topology: r.start.Topology.Name, agent: r.start.Topology.Root, input: r.start.Input, models: r.start.Models}
	r.root = spawnAgent(ctx, r.env, task, task.agent.ID)
}

// mayThink says no once the run has spent what it may. What a turn costs is known only after it, so that the last one may
// go over the limit.
func (r *run) mayThink() thinkAnswer {
	r.cost.Max = budget.MicroUSD(r.env.ws().Governance.Limits.CostPerRunMicroUSD)
	if err := r.cost.Reserve(0); err != nil {
		return thinkAnswer{Reason: err.Error()}
	}
	return thinkAnswer{}
}

func (r *run) onEnd(ctx actor.Context, m endRun) {
	if r.ending == nil {
		r.ending = &m
		ctx.Send(r.root, cancelAgent{Reason: m.Reason})
	}
}

func (r *run) onDone(ctx actor.Context, m agentDone) {
	result := RunResult{
		Run: r.start.ID, Topology: r.start.Topology.Name, Answer: m.Text, Outcome: messages.OK,
		Calls: r.calls, Duration: sinceMillis(r.began),
	}
	var failure *RunError
	switch {
	case r.ending != nil:
		failure = &RunError{Outcome: r.ending.Outcome, Message: r.ending.Reason}
	case m.Outcome != messages.OK:
		failure = &RunError{Outcome: m.Outcome, Message: m.Text}
	}
	if failure != nil {
		result.Outcome, result.Answer = failure.Outcome, ""
	}
	r.reply(runEnded{Result: result, Error: failure})
	ctx.Stop(ctx.Self())
}

// reply ends the run for everybody: the audit, the subscribers, the starter.
func (r *run) reply(m runEnded) {
	if r.replied {
		return
	}
	r.replied = true
	event := messages.Event{Kind: messages.RunEnded, Run: r.start.ID, Outcome: m.Result.Outcome, Duration: sinceMillis(r.began)}
	if m.Error != nil {
		event.Outcome, event.Detail = m.Error.Outcome, m.Error.Message
	}
	r.env.hub.publish(event)
	r.record(audit.Record{EventType: audit.EventType(messages.RunEnded), Outcome: event.Outcome})
	r.env.tally.forget(r.start.ID)
	r.env.send(r.env.approvals, runOver{Run: r.start.ID})
	r.env.send(r.env.budget, runOver{Run: r.start.ID})
	r.env.send(r.starter, m)
}

func (r *run) record(rec audit.Record) {
	rec.RunID, rec.TopologyID = r.start.ID, r.start.Topology.Name
	r.env.send(r.env.journal, noted{Record: rec})
}

func (r *run) letGo(_ actor.Context, c *safe.Crash) { r.reply(runEnded{Error: r.env.endedRun(c)}) }
func (r *run) refuse(actor.Context, *safe.Crash)    {}
