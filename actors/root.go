package actors

import (
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/mcp-supervisor/supervisor/internal/safe"
	"github.com/mcp-supervisor/supervisor/messages"
	"github.com/mcp-supervisor/supervisor/supervision"
)

// Messages of the root actor.
type (
	// ready is answered by each server actor, and once by their parent, when it is there.
	ready struct{}
	// shutDown ends the supervisor: calls are refused from now on, running ones may go on until Drain.
	shutDown struct{ Drain time.Time }
	// skipDrain ends the draining now.
	skipDrain struct{}
	// serversStopped, agentsStopped and gateClosed report one part of a shut-down.
	serversStopped struct{}
	agentsStopped  struct{}
	gateClosed     struct{}
	// journalClosed is the last of them.
	journalClosed struct{}
)

// root spawns the rest, replaces what crashes, and takes the tree down in order: agents and gates first, then the
// servers, the journal last.
type root struct {
	env     *env
	history map[string]supervision.History // by child name
	makers  map[string]func() behaviour
	waiting int // parts of the first stage of a shut-down that are still busy
	closing bool
}

func newRoot(e *env, log journalLog) *root {
	r := &root{env: e, history: map[string]supervision.History{}, makers: map[string]func() behaviour{
		"journal": func() behaviour { return newJournal(e, log) },
		"servers": func() behaviour { return newServers(e) },
		"agents":  func() behaviour { return newAgents(e) },
	}}
	for n := range e.gates {
		r.makers[gateName(n)] = func() behaviour { return newGate(e) }
	}
	return r
}

func (r *root) Receive(ctx actor.Context) {
	switch m := ctx.Message().(type) {
	case *actor.Started:
		r.onStarted(ctx)
	case *actor.Stopping:
		r.closing = true
	case *actor.Terminated:
		r.onTerminated(ctx, childName(m.Who))
	case ready:
		ctx.RequestWithCustomSender(r.env.servers, m, ctx.Sender())
	case messages.CallTool:
		ctx.RequestWithCustomSender(r.env.gate(m.Call.Agent), m, ctx.Sender())
	case messages.CancelCall:
		ctx.Send(r.env.gate(m.Agent), m)
	case shutDown:
		r.onShutDown(ctx, m)
	case skipDrain:
		ctx.Send(r.env.servers, m)
	case serversStopped, agentsStopped, gateClosed:
		r.onPartStopped(ctx)
	case journalClosed:
		ctx.Stop(ctx.Self())
	}
}

// order is the start order; a stop goes the other way round.
func (r *root) order() []string {
	names := []string{"journal"}
	for n := range r.env.gates {
		names = append(names, gateName(n))
	}
	return append(names, "servers", "agents")
}

func (r *root) onStarted(ctx actor.Context) {
	for _, name := range r.order() {
		r.spawn(ctx, name)
	}
}

func (r *root) spawn(ctx actor.Context, name string) {
	if _, err := ctx.SpawnNamed(r.env.props(name, r.makers[name]), name); err != nil {
		panic("actors: spawn " + name + ": " + err.Error()) // names below our own root are free
	}
}

func (r *root) onTerminated(ctx actor.Context, name string) {
	if r.closing {
		return
	}
	again, h := respawn(r.history[name])
	r.history[name] = h
	if !again {
		r.env.hub.publish(messages.Event{Kind: messages.ActorCrashed, Detail: name + " crashed too often; stopping"})
		ctx.Stop(ctx.Self())
		return
	}
	r.spawn(ctx, name)
}

func (r *root) onShutDown(ctx actor.Context, m shutDown) {
	if r.closing {
		return
	}
	r.closing, r.waiting = true, len(r.env.gates)+2
	for _, gate := range r.env.gates {
		ctx.Request(gate, refuseAll{})
	}
	ctx.Request(r.env.agents, stopAgents{})
	ctx.Request(r.env.servers, stopServers(m))
}

func (r *root) onPartStopped(ctx actor.Context) {
	if r.waiting--; r.waiting == 0 {
		ctx.Request(r.env.journal, closeJournal{})
	}
}

func (r *root) crashed(actor.Context, *safe.Crash) {}

func (r *root) refuse(ctx actor.Context, c *safe.Crash) {
	if m, ok := ctx.Message().(messages.CallTool); ok {
		ctx.Respond(internalResult(m.Call, c))
	}
}

// childName is the last part of a PID's id.
func childName(pid *actor.PID) string {
	id := pid.GetId()
	for i := len(id) - 1; i >= 0; i-- {
		if id[i] == '/' {
			return id[i+1:]
		}
	}
	return id
}
