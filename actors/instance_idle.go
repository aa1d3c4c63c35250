package actors

import (
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/mcp-supervisor/supervisor/messages"
	"github.com/mcp-supervisor/supervisor/supervision"
)

// idleDue looks whether a server was idle for its idle_stop.
type idleDue struct{ N int }

// idle watches for a server that nobody uses.
type idle struct {
	timer *time.Timer
	used  time.Time // the last time a call came or ended
}

func (d *idle) stop() {
	if d.timer != nil {
		d.timer.Stop()
	}
}

// armIdle starts the watch of a server that just came up.
func (i *instance) armIdle(ctx actor.Context) {
	i.rest.used = time.Now()
	i.idleIn(ctx, i.declared.IdleStop)
}

func (i *instance) idleIn(ctx actor.Context, d time.Duration) {
	i.rest.stop()
	if i.declared.IdleStop > 0 {
		i.rest.timer = i.env.after(d, ctx.Self(), idleDue{N: i.incarnation})
	}
}

// onIdle asks for a rest. It may be that it is not given one, because another server that depends on it is up: then it
// asks again later.
func (i *instance) onIdle(ctx actor.Context, m idleDue) {
	if m.N != i.incarnation || i.state != messages.StateUp {
		return
	}
	left := i.declared.IdleStop - time.Since(i.rest.used)
	switch {
	case i.inFlight > 0 || i.queue.size > 0:
		i.idleIn(ctx, i.declared.IdleStop)
	case left > 0:
		i.idleIn(ctx, left)
	default:
		i.tell(ctx, supervision.Event{Kind: supervision.Idle})
		i.idleIn(ctx, i.declared.IdleStop)
	}
}
