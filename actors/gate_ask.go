package actors

import (
	"slices"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/mcp-supervisor/supervisor/governance"
	"github.com/mcp-supervisor/supervisor/internal/safe"
)

// providerTimeout bounds one decision of a provider of the caller's own. No answer is a no.
const providerTimeout = 5 * time.Second

// patience bounds one decision. A provider outside has a time-out of its own in the workspace, and says more when it is
// over, so that it comes first.
func (w *world) patience() time.Duration {
	g := w.ws.Governance
	switch {
	case w.outside == nil:
	case g.Exec != nil:
		return max(providerTimeout, g.Exec.Timeout+time.Second)
	case g.HTTP != nil:
		return max(providerTimeout, g.HTTP.Timeout+time.Second)
	}
	return providerTimeout
}

// queue lines a call up to be decided by a provider that may block: one at a time per agent, in the order the calls
// came. One that is considered anew keeps its place.
func (g *gate) queue(ctx actor.Context, w *waiting) {
	agent := w.call.Agent
	line := g.asking[agent]
	at := len(line)
	for at > 1 && line[at-1].number > w.number { // the first is being decided
		at--
	}
	g.asking[agent] = slices.Insert(line, at, w)
	if len(line) == 0 {
		g.evaluate(ctx, w)
	}
}

// evaluate asks the provider off the mailbox.
func (g *gate) evaluate(ctx actor.Context, w *waiting) {
	self, action, e, id := ctx.Self(), g.action(w), g.env, w.call.ID
	e.open.Add(1)
	safe.Go("provider", e.crashed, func() {
		defer e.open.Done()
		in := e.world.Load()
		d := governance.Evaluate(g.life, in.provider, action, in.patience())
		e.send(self, decided{Agent: action.Agent, ID: id, Decision: d, Version: in.version})
	})
}

func (g *gate) onDecided(ctx actor.Context, m decided) {
	line := g.asking[m.Agent]
	if len(line) == 0 || line[0].call.ID != m.ID {
		return // the call ended otherwise meanwhile
	}
	w := line[0]
	g.leaveQueue(ctx, w)
	g.settle(ctx, w, m.Decision, m.Version)
}

// leaveQueue takes a call out of its agent's line. If it was the first, the next one is decided.
func (g *gate) leaveQueue(ctx actor.Context, w *waiting) {
	agent := w.call.Agent
	at := slices.Index(g.asking[agent], w)
	if at < 0 {
		return
	}
	line := slices.Delete(g.asking[agent], at, at+1)
	g.asking[agent] = line
	switch {
	case len(line) == 0:
		delete(g.asking, agent)
	case at == 0:
		g.evaluate(ctx, line[0])
	}
}
