package actors

import (
	"strings"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/mcp-supervisor/supervisor/internal/safe"
	"github.com/mcp-supervisor/supervisor/messages"
	"github.com/mcp-supervisor/supervisor/supervision"
)

// Messages of the root actor.
type (
	// ready is answered by the parent of the servers, and by each of them, when it is there.
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

// root spawns the rest, replaces what crashes, and takes the tree down in stages.
type root struct {
	env     *env
	history map[string]supervision.Record // by child name
	makers  map[string]func() behaviour
	order   []string // of the start

	closing *shutDown
	stage   int
	awaited map[string]bool // children that this stage of the shut-down waits for
}

func newRoot(e *env, log journalLog) *root {
	w, u := &wishes{held: map[string]bool{}}, newUsed()
	r := &root{env: e, history: map[string]supervision.Record{}, makers: map[string]func() behaviour{
		"journal":   func() behaviour { return newJournal(e, log) },
		"servers":   func() behaviour { return newServers(e, w) },
		"agents":    func() behaviour { return newAgents(e) },
		"approvals": func() behaviour { return newApprovals(e) },
		"budget":    func() behaviour { return newMeter(e, u) },
		"pins":      func() behaviour { return newPinner(e) },
	}, order: []string{"journal", "approvals", "budget", "pins", "servers"}}
	for n := range e.gates {
		r.makers[gateName(n)] = func() behaviour { return newGate(e) }
		r.order = append(r.order, gateName(n))
	}
	r.order = append(r.order, "agents")
	return r
}

func (r *root) Receive(ctx actor.Context) {
	switch m := ctx.Message().(type) {
	case *actor.Started:
		for _, name := range r.order {
			r.spawn(ctx, name)
		}
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
		r.onSkipDrain(ctx, m)
	case gateClosed, agentsStopped, barrier, serversStopped:
		r.onPart(ctx, childName(ctx.Sender()))
	case journalClosed:
		ctx.Stop(ctx.Self())
	default:
		r.env.unexpected("root", m)
	}
}

func (r *root) spawn(ctx actor.Context, name string) {
	if _, err := ctx.SpawnNamed(r.env.props(name, r.makers[name]), name); err != nil {
		panic("actors: spawn " + name + ": " + err.Error()) // names below our own root are free
	}
}

// onTerminated replaces a child that crashed. During a shut-down it is one part less to wait for, except for the
// journal, which is needed to the end.
func (r *root) onTerminated(ctx actor.Context, name string) {
	if r.closing != nil && name != "journal" {
		r.onPart(ctx, name)
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
	if r.awaited[name] {
		r.tell(ctx)
	}
}

// onShutDown begins the first of four stages: no call comes in any more; what came in is in the audit; the servers are
// gone; the audit is closed.
func (r *root) onShutDown(ctx actor.Context, m shutDown) {
	if r.closing == nil {
		r.closing = &m
		r.tell(ctx)
	}
}

// onSkipDrain ends the draining, also one that is still to come.
func (r *root) onSkipDrain(ctx actor.Context, m skipDrain) {
	if r.closing != nil {
		r.closing.Drain = time.Now()
	}
	ctx.Send(r.env.servers, m)
}

// tell asks the children of a stage to do their part of the shut-down.
func (r *root) tell(ctx actor.Context) {
	r.awaited = map[string]bool{}
	part := func(to *actor.PID, message any) {
		r.awaited[childName(to)] = true
		ctx.Request(to, message)
	}
	switch r.stage {
	case 0:
		for _, gate := range r.env.gates {
			part(gate, refuseAll{})
		}
		part(r.env.agents, stopAgents{})
	case 1:
		part(r.env.journal, barrier{})
	case 2:
		part(r.env.servers, stopServers(*r.closing))
	default:
		part(r.env.journal, closeJournal{})
	}
}

func (r *root) onPart(ctx actor.Context, name string) {
	if !r.awaited[name] {
		return
	}
	delete(r.awaited, name)
	if len(r.awaited) == 0 {
		r.stage++
		r.tell(ctx)
	}
}

func (r *root) letGo(actor.Context, *safe.Crash) { r.env.closing.Store(true) }

func (r *root) refuse(ctx actor.Context, c *safe.Crash) {
	if m, ok := ctx.Message().(messages.CallTool); ok {
		ctx.RequestWithCustomSender(r.env.journal, refusal{Call: m.Call, Decision: undecided, Result: r.env.unsent(m.Call, c)}, ctx.Sender())
	}
}

// childName is the last part of a PID's id, or "".
func childName(pid *actor.PID) string {
	id := pid.GetId()
	return id[strings.LastIndexByte(id, '/')+1:]
}
