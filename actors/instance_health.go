package actors

import (
	"time"

	"github.com/asynkron/protoactor-go/actor"

	mcpspec "github.com/mcp-supervisor/supervisor/mcp/spec"
	"github.com/mcp-supervisor/supervisor/messages"
)

// Messages of the health check.
type (
	// probe is the next health check of a session.
	probe struct{ N int }
	// pinged is how a health check went; Text is empty when it went well.
	pinged struct {
		N    int
		Text string
	}
)

// health counts the misses of an idle server. A server that is busy is never probed: it may be single-threaded, and
// the calls' own time-outs watch it.
//
// A frozen server that is called all the time is never idle. When calls time out one after the other and nothing is
// heard of it in between, it is under suspicion: it gets no more calls, and is probed as soon as those it has are over.
type health struct {
	timer    *time.Timer
	misses   int
	timeouts int    // in a row, without an answer in between
	reason   string // why we killed the session, once we did
}

func (h *health) reset() {
	if h.timer != nil {
		h.timer.Stop()
	}
	*h = health{}
}

// explain adds our own reason to the post-mortem of a session that we killed.
func (h *health) explain(e mcpspec.Exit) mcpspec.Exit {
	if h.reason != "" {
		e.Reason = h.reason
	}
	h.reset()
	return e
}

func (i *instance) armProbe(ctx actor.Context) {
	if i.health.timer != nil {
		i.health.timer.Stop() // a reload while it was asked armed it already
	}
	if i.declared.Health.Every > 0 {
		i.health.timer = i.env.after(i.declared.Health.Every, ctx.Self(), probe{N: i.incarnation})
	}
}

func (i *instance) onProbe(ctx actor.Context, m probe) {
	switch {
	case m.N != i.incarnation || i.state != messages.StateUp:
	case i.inFlight > 0:
		i.armProbe(ctx)
	default:
		ctx.Send(i.session, ping{Timeout: i.declared.Health.Timeout})
	}
}

func (i *instance) onPinged(ctx actor.Context, m pinged) {
	if m.N != i.incarnation || i.state != messages.StateUp {
		i.stale++
		return
	}
	if m.Text == "" || i.inFlight > 0 {
		i.sawLife()
		i.armProbe(ctx)
		i.kick(ctx)
		return
	}
	i.health.misses++
	switch {
	case i.health.misses >= i.declared.Health.Misses:
		i.health.reason = "failed its health check: " + m.Text
		ctx.Send(i.session, killSession{})
	case i.suspected():
		ctx.Send(i.session, ping{Timeout: i.declared.Health.Timeout})
	default:
		i.armProbe(ctx)
	}
}

// sawLife notes an answer.
func (i *instance) sawLife() { i.health.misses, i.health.timeouts = 0, 0 }

// suspected reports whether the server looks frozen.
func (i *instance) suspected() bool {
	return i.declared.Health.Every > 0 && i.health.timeouts >= i.declared.Health.Misses
}

// sawTimeout notes that a call got no answer in its time. One whose caller had less patience than the server is allowed
// says nothing about the server.
func (i *instance) sawTimeout(ctx actor.Context, after time.Duration) {
	if after < i.declared.Timeout {
		return
	}
	i.health.timeouts++
	if i.suspected() && i.inFlight == 0 && i.serves() {
		if i.health.timer != nil {
			i.health.timer.Stop()
		}
		ctx.Send(i.session, ping{Timeout: i.declared.Health.Timeout})
	}
}
