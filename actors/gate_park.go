package actors

import (
	"slices"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/mcp-supervisor/supervisor/messages"
)

// park keeps a call until its server's tools are known, and has the server started. A first start may take its whole
// start time-out (npx downloads), so that is how long a call without a deadline waits.
func (g *gate) park(ctx actor.Context, w *waiting) {
	server, _ := g.env.ws.Server(w.call.Server)
	wait := server.StartTimeout + time.Second // the start's own time-out says more, so let it come first
	if !w.call.Deadline.IsZero() {
		wait = min(wait, time.Until(w.call.Deadline))
	}
	w.timer = g.env.after(wait, ctx.Self(), parkOver{ID: w.call.ID})
	g.parked[w.call.ID] = w
	ctx.Request(g.env.instance(w.call.Server), want{})
}

func (g *gate) unpark(w *waiting) {
	w.timer.Stop()
	delete(g.parked, w.call.ID)
}

// parkedFor takes the calls out that wait for one server, in the order they came.
func (g *gate) parkedFor(server string) []*waiting {
	var list []*waiting
	for _, w := range g.parked {
		if w.call.Server == server {
			list = append(list, w)
		}
	}
	slices.SortFunc(list, func(a, b *waiting) int { return a.number - b.number })
	for _, w := range list {
		g.unpark(w)
	}
	return list
}

func (g *gate) onCatalogue(ctx actor.Context, m catalogueKnown) {
	g.catalogues[m.Server] = m.Catalogue
	for _, w := range g.parkedFor(m.Server) {
		if w.decision.Allowed {
			g.settle(ctx, w, w.decision) // a provider that needs no catalogue is asked once
		} else {
			g.onCall(ctx, w)
		}
	}
}

func (g *gate) onStartFailed(_ actor.Context, m startFailed) {
	for _, w := range g.parkedFor(m.Server) {
		failure := m.Error
		result := refused(w.call, messages.Unavailable, "")
		result.Error = &failure
		g.answer(w, messages.Decision{Outcome: messages.Unavailable, Rule: "none", Reason: failure.Message}, result)
	}
}

func (g *gate) onParkOver(_ actor.Context, m parkOver) {
	w, ok := g.parked[m.ID]
	if !ok {
		return
	}
	g.unpark(w)
	if d := w.call.Deadline; !d.IsZero() && !time.Now().Before(d) {
		g.turnAway(w, messages.Timeout, "the deadline passed while server `"+w.call.Server+"` was starting; the call was not sent")
		return
	}
	g.turnAway(w, messages.Unavailable, "server `"+w.call.Server+"` is still starting; try again")
}
