package actors

import (
	"fmt"
	"slices"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/mcp-supervisor/supervisor/messages"
)

// park keeps a call until its server's tools are known, and has the server started. A first start may take its whole
// start time-out (npx downloads), so that is how long a call without a deadline waits.
func (g *gate) park(ctx actor.Context, w *waiting) {
	server, _ := g.env.ws().Server(w.call.Server)
	parked := len(g.parkedFor(server.ID))
	if parked >= server.Queue.Max {
		g.turnAway(ctx, w, messages.Overloaded, fmt.Sprintf("%d calls wait for server `%s` to start; try again later", parked, server.ID))
		return
	}
	w.parked = true
	if w.timer == nil {
		wait := g.env.startWait(server) + time.Second // the start's own time-out says more, so let it come first
		w.timer = g.env.after(wait, ctx.Self(), waitOver{ID: w.call.ID})
	}
	if parked == 0 {
		ctx.Request(g.env.instance(server.ID), want{})
	}
}

// parkedFor lists the calls that wait for one server, in the order they came.
func (g *gate) parkedFor(server string) []*waiting {
	var list []*waiting
	for _, w := range g.waiting {
		if w.parked && w.call.Server == server {
			list = append(list, w)
		}
	}
	slices.SortFunc(list, func(a, b *waiting) int { return a.number - b.number })
	return list
}

func (g *gate) onCatalogue(ctx actor.Context, m catalogueKnown) {
	g.learn(m.Server, m.offer)
	for _, w := range g.parkedFor(m.Server) {
		w.unpark()
		if w.decision.Allowed {
			g.settle(ctx, w, w.decision, w.version) // a provider that needs no catalogue is asked once
		} else {
			g.consider(ctx, w)
		}
	}
}

// unpark ends the wait for a start. A deadline of the call's own goes on.
func (w *waiting) unpark() {
	w.parked = false
	if w.call.Deadline.IsZero() && w.timer != nil {
		w.timer.Stop()
		w.timer = nil
	}
}

func (g *gate) onStartFailed(ctx actor.Context, m startFailed) {
	for _, w := range g.parkedFor(m.Server) {
		failure, o := m.Error, messages.Outcome(m.Error.Kind)
		r := refused(w.call, o, "")
		r.Error = &failure
		g.answer(ctx, w, messages.Decision{Outcome: o, Rule: "none", Reason: failure.Message}, r)
	}
}

func (g *gate) onWaitOver(ctx actor.Context, m waitOver) {
	w, ok := g.waiting[m.ID]
	if !ok {
		return
	}
	d := w.call.Deadline
	switch {
	case !d.IsZero() && !time.Now().Before(d):
		g.turnAway(ctx, w, messages.Timeout, "the deadline passed while the call waited for "+w.cause()+"; it was not sent")
	case w.parked:
		g.turnAway(ctx, w, messages.Unavailable, "server `"+w.call.Server+"` is still starting; try again")
	default: // the server came up as the wait for it ended
	}
}

// cause is what a call waits for, for its caller.
func (w *waiting) cause() string {
	if w.sought {
		return "an approval"
	}
	return "server `" + w.call.Server + "`"
}
