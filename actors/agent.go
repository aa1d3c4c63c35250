package actors

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/mcp-supervisor/supervisor/config"
	"github.com/mcp-supervisor/supervisor/governance/audit"
	"github.com/mcp-supervisor/supervisor/internal/safe"
	"github.com/mcp-supervisor/supervisor/messages"
	"github.com/mcp-supervisor/supervisor/models"
)

// Messages of an agent.
type (
	// turned is the end of the model's thinking.
	turned struct {
		turn models.Turn
		err  error
	}
	// agentDone is an agent's one answer to its parent; Key is what the parent called it.
	agentDone struct {
		Key     string
		Outcome messages.Outcome
		Text    string
	}
	// childGone says that a child has ended, behind its answer: one that is still awaited now gave none.
	childGone struct{ Key string }
	// cancelAgent ends an agent early; it still answers.
	cancelAgent struct{ Reason string }
)

// maxTurns bounds an agent that never comes to an end; it is what the reference runtime of the workspace format allows.
const maxTurns = 50

// task is what an agent is given.
type task struct {
	run      *actor.PID
	runID    string
	topology string
	agent    config.Agent
	input    string
	models   map[string]models.Model
}

// agent runs one agent: the model thinks in a goroutine, its calls go to the gate, its children work beside each other,
// and when all of a turn have answered the model thinks again.
type agent struct {
	env    *env
	task   task
	key    string
	box    *toolbox
	past   []models.Past
	turn   models.Turn
	due    map[string]int // what the turn still waits for: call id or child key -> index
	got    []models.Result
	sent   map[string]messages.Call // calls in flight
	think  context.CancelFunc
	asking bool // whether the run can pay for the next turn
	cancel *cancelAgent
	born   int // children spawned so far
	ended  bool
}

func newAgent(e *env, t task, key string) *agent {
	return &agent{env: e, task: t, key: key, box: newToolbox(e.ws(), t.agent), sent: map[string]messages.Call{}}
}

func spawnAgent(ctx actor.Context, e *env, t task, key string) *actor.PID {
	pid, err := ctx.SpawnNamed(e.props("agent "+t.agent.ID, func() behaviour { return newAgent(e, t, key) }), key)
	if err != nil {
		panic("actors: spawn agent " + key + ": " + err.Error()) // keys are unique below one parent
	}
	return pid
}

func (a *agent) Receive(ctx actor.Context) {
	switch m := ctx.Message().(type) {
	case *actor.Started:
		a.onStarted(ctx)
	case catalogueKnown:
		a.box.learn(m)
		a.begin(ctx)
	case startFailed:
		a.onServerDown(ctx, m.Server)
	case thinkAnswer:
		a.onThinkAnswer(ctx, m)
	case turned:
		a.onTurned(ctx, m)
	case messages.CallResult:
		a.onResult(ctx, m)
	case agentDone:
		a.onChild(ctx, m)
	case cancelAgent:
		a.onCancel(ctx, m)
	case *actor.Terminated: // a child; its answer is on its way to us, if it gave one
		ctx.Send(ctx.Self(), childGone{Key: childName(m.Who)})
	case childGone:
		a.onChild(ctx, agentDone{Key: m.Key, Outcome: messages.Internal, Text: a.env.endedRun(nil).Message})
	default:
		a.env.unexpected("agent", m)
	}
}

func (a *agent) onStarted(ctx actor.Context) {
	a.env.hub.publish(messages.Event{Kind: messages.AgentStarted, Agent: a.task.agent.ID, Run: a.task.runID})
	a.record(audit.Record{EventType: audit.EventType(messages.AgentStarted)})
	for _, server := range a.box.servers() {
		ctx.Request(a.env.instance(server), want{Names: true})
	}
	a.begin(ctx)
}

// onServerDown goes on with what the server offered last: it may be back when it is called.
func (a *agent) onServerDown(ctx actor.Context, server string) {
	if last, ok := a.env.recall(server); ok {
		a.box.learn(last)
	} else {
		a.box.giveUp(server)
	}
	a.begin(ctx)
}

// begin starts the first turn once the tools of wholly granted servers are known, or known to be out of reach.
func (a *agent) begin(ctx actor.Context) {
	if a.think == nil && !a.asking && a.box.ready() {
		a.next(ctx)
	}
}

// next lets the model think, if the agent and its run may go on.
func (a *agent) next(ctx actor.Context) {
	if len(a.past) >= maxTurns {
		a.done(ctx, messages.Invalid, fmt.Sprintf("agent `%s` did not come to an end within %d turns", a.task.agent.ID, maxTurns))
		return
	}
	if a.env.ws().Governance.Limits.CostPerRunMicroUSD > 0 {
		a.asking = true
		ctx.Request(a.task.run, mayThink{})
		return
	}
	a.thinkOn(ctx)
}

func (a *agent) onThinkAnswer(ctx actor.Context, m thinkAnswer) {
	switch {
	case !a.asking || a.ended:
	case m.Reason != "":
		a.done(ctx, messages.Denied, m.Reason)
	default:
		a.asking = false
		a.thinkOn(ctx)
	}
}

// thinkOn lets the model think.
func (a *agent) thinkOn(ctx actor.Context) {
	thinking, stop := context.WithCancel(context.Background())
	a.think = stop
	request := models.Request{System: a.task.agent.System, Input: a.task.input, Turns: a.past, Tools: a.box.tools()}
	model, self, e := a.task.models[a.task.agent.ID], ctx.Self(), a.env
	crashed := func(c *safe.Crash) {
		e.crashed(c)
		e.send(self, turned{err: c})
	}
	safe.Go("model of "+a.task.agent.ID, crashed, func() {
		turn, err := model.Next(thinking, request)
		e.send(self, turned{turn: turn, err: err})
	})
}

func (a *agent) stopThinking() {
	if a.think != nil {
		a.think()
	}
}

func (a *agent) onTurned(ctx actor.Context, m turned) {
	a.stopThinking()
	if m.turn.Cost > 0 {
		ctx.Send(a.task.run, spent{Cost: m.turn.Cost})
	}
	switch {
	case a.ended:
	case m.err != nil:
		a.done(ctx, modelOutcome(m.err), a.env.keeper.Mask(fmt.Sprintf("the model of agent `%s`: %v", a.task.agent.ID, m.err)))
	case len(m.turn.Calls) == 0:
		a.done(ctx, messages.OK, m.turn.Text)
	default:
		a.carryOut(ctx, m.turn)
	}
}

func modelOutcome(err error) messages.Outcome {
	var crash *safe.Crash
	if errors.As(err, &crash) {
		return messages.Internal
	}
	return messages.Invalid
}

// carryOut starts all calls of a turn at the same time.
func (a *agent) carryOut(ctx actor.Context, turn models.Turn) {
	a.turn, a.due, a.got = turn, map[string]int{}, make([]models.Result, len(turn.Calls))
	for index, call := range turn.Calls {
		if child, ok := a.box.child(call.Tool); ok {
			a.delegate(ctx, index, child, call)
		} else {
			a.call(ctx, index, call)
		}
	}
}

func (a *agent) delegate(ctx actor.Context, index int, child config.Agent, call models.Call) {
	a.born++
	key := child.ID + "-" + strconv.Itoa(a.born)
	a.due[key] = index
	next := a.task
	next.agent, next.input = child, delegated(call.Arguments, a.task.input)
	spawnAgent(ctx, a.env, next, key)
}

func (a *agent) call(ctx actor.Context, index int, call models.Call) {
	target := a.box.resolve(call.Tool)
	c := messages.Call{
		ID: newID(), Run: a.task.runID, Agent: a.task.agent.ID, Topology: a.task.topology,
		Server: target.server, Tool: target.tool, Arguments: withDefaults(call.Arguments, target.defaults),
	}
	a.due[c.ID], a.sent[c.ID] = index, c
	ctx.Request(a.env.gate(c.Agent), messages.CallTool{Call: c})
}

func (a *agent) onResult(ctx actor.Context, m messages.CallResult) {
	delete(a.sent, m.CallID)
	ctx.Send(a.task.run, counted{Outcome: m.Outcome})
	a.collect(ctx, m.CallID, models.Result{
		OK: m.Outcome == messages.OK, Outcome: string(m.Outcome), Text: readable(m), Raw: m.Result,
	})
}

func (a *agent) onChild(ctx actor.Context, m agentDone) {
	a.collect(ctx, m.Key, models.Result{OK: m.Outcome == messages.OK, Outcome: string(m.Outcome), Text: m.Text})
}

// collect takes one end of the turn in; after the last one the model goes on.
func (a *agent) collect(ctx actor.Context, key string, r models.Result) {
	index, ok := a.due[key]
	if !ok {
		return
	}
	delete(a.due, key)
	r.ID, r.Tool = a.turn.Calls[index].ID, a.turn.Calls[index].Tool
	a.got[index] = r
	if len(a.due) > 0 {
		return
	}
	a.past = append(a.past[:len(a.past):len(a.past)], models.Past{Turn: a.turn, Results: a.got})
	if a.cancel != nil {
		a.done(ctx, messages.Cancelled, a.cancel.Reason)
		return
	}
	a.next(ctx)
}
