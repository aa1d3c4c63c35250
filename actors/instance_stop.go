package actors

import (
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/mcp-supervisor/supervisor/messages"
)

// onStop refuses what waits, lets what runs go on until the drain is over, and then closes the session.
func (i *instance) onStop(ctx actor.Context, m stopInstance) {
	if i.stopper != nil {
		return
	}
	i.stopper = ctx.Sender()
	i.settleDown(func(c messages.Call) messages.CallResult {
		return refused(c, messages.Stopped, shuttingDown)
	})
	switch {
	case i.session == nil:
		i.loseAll() // a death whose burial is still to come
		i.onGone(ctx)
	case i.inFlight == 0:
		i.closeSession(ctx)
	default:
		i.env.after(time.Until(m.Drain), ctx.Self(), drainOver{})
	}
}

func (i *instance) onDrainOver(ctx actor.Context) {
	if i.stopper == nil || i.state == messages.StateStopping || i.session == nil {
		return
	}
	i.closeSession(ctx)
}

// closeSession ends what still runs and has the session closed; onEnded follows.
func (i *instance) closeSession(ctx actor.Context) {
	i.transition(messages.StateStopping)
	for _, h := range i.running() {
		r := refused(h.call, messages.Stopped, shuttingDown+"; the call was running and may have taken effect")
		r.Ran = messages.RanMaybe
		ctx.Send(i.session, abandon{ID: h.call.ID, Reason: "shutting down"})
		i.finish(h, r)
	}
	ctx.Send(i.session, closeSession{})
}

// onGone reports that nothing of the server is left.
func (i *instance) onGone(ctx actor.Context) {
	i.transition(messages.StateStopped)
	i.publish(messages.Event{Kind: messages.ServerStopped})
	ctx.Send(i.stopper, instanceStopped{Server: i.declared.ID})
}
