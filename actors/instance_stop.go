package actors

import (
	"fmt"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/mcp-supervisor/supervisor/messages"
	"github.com/mcp-supervisor/supervisor/supervision"
)

// onStop refuses what waits, lets what runs go on until the drain is over, and then closes the session.
func (i *instance) onStop(ctx actor.Context, m stopInstance) {
	if i.stopper != nil {
		return
	}
	i.stopper = ctx.Sender()
	i.dead.openNext = false
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
		i.env.after(time.Until(m.Drain), ctx.Self(), drainOver{N: i.incarnation})
	}
}

// leave begins to close the session while the supervisor goes on: by hand, because it was idle or its declaration
// changed, or for the sake of another member of its group. Calls wait meanwhile.
func (i *instance) leave(ctx actor.Context, m order) {
	i.leaving = &m
	i.dead.openNext = false
	i.transition(messages.StateStopping)
	drain := i.drain(m)
	switch {
	case i.session == nil:
		i.onLeft(ctx)
	case i.inFlight == 0:
		i.closeSession(ctx)
	case drain > 0:
		i.env.after(drain, ctx.Self(), drainOver{N: i.incarnation})
	}
}

// onOutlook learns that something else is to follow the stop that is under way.
func (i *instance) onOutlook(ctx actor.Context, m outlook) {
	if m.Birth == i.birth && i.leaving != nil {
		i.leaving.Record = m.Record
		i.settle(ctx)
	}
}

// leavesByHand reports whether the server is being stopped by hand and stays so: it is known what a call would wait for.
func (i *instance) leavesByHand() bool {
	return i.leaving != nil && i.leaving.Record.Follows() == supervision.Hold
}

// drain is how long calls may go on at a server that is closed. One that is closed for another's sake, or by hand, gets
// its stop_grace; one that a reload replaces, as long as a call may take; and one that was idle must not lose a call
// that came just now: 0 means as long as they take.
func (i *instance) drain(m order) time.Duration {
	switch {
	case m.Because == "" && m.Record.Why == supervision.Idle:
		return 0
	case m.Because == "" && (m.Record.Why == supervision.Changed || m.Record.Why == supervision.Removed):
		return max(i.declared.Timeout, i.declared.StopGrace, time.Millisecond)
	}
	return max(i.declared.StopGrace, time.Millisecond)
}

func (i *instance) onDrainOver(ctx actor.Context, m drainOver) {
	if m.N == i.incarnation && i.session != nil && (i.stopper != nil || i.leaving != nil) && !i.dead.asked {
		i.closeSession(ctx)
	}
}

// closeSession ends what still runs and has the session closed; onEnded follows.
func (i *instance) closeSession(ctx actor.Context) {
	i.transition(messages.StateStopping)
	i.dead.asked = true
	for _, h := range i.running() {
		ctx.Send(i.session, abandon{ID: h.call.ID, Reason: i.closeReason()})
		i.finish(h, i.cutOff(h.call))
	}
	ctx.Send(i.session, closeSession{})
}

// cutOff is the result of a call that ran longer than the drain.
func (i *instance) cutOff(c messages.Call) messages.CallResult {
	if i.stopper != nil {
		r := refused(c, messages.Stopped, shuttingDown+"; the call was running and may have taken effect")
		r.Ran = messages.RanMaybe
		return r
	}
	r := result(c, messages.Lost, messages.RanMaybe)
	text := fmt.Sprintf("server `%s` was stopped while `%s` was running (%s), so the call may have taken effect", i.declared.ID, c.Tool, i.closeReason())
	r.Error = downError(messages.Lost, text, i.retryIn(), nil)
	return r
}

func (i *instance) closeReason() string {
	switch {
	case i.stopper != nil:
		return "shutting down"
	case i.leaving.Because != "":
		return fmt.Sprintf("server `%s` of its group failed", i.leaving.Because)
	case i.leaving.Record.Why == supervision.Changed:
		return "its declaration changed"
	case i.leaving.Record.Why == supervision.Removed:
		return "it was removed from the workspace"
	}
	if i.leaving.Record.Why == supervision.Idle {
		return "nobody used it"
	}
	return byHandReason
}

const byHandReason = "by hand"

// partingText is why the session was closed, and whether another one follows.
func (i *instance) partingText() string {
	reason := i.closeReason()
	switch {
	case i.leaving.Record.Follows() != supervision.Open:
		return reason
	case reason == byHandReason:
		return "it is restarted by hand"
	}
	return "it is restarted, because " + reason
}

// onLeft reports that nothing of a session is left that was closed while the supervisor goes on.
func (i *instance) onLeft(ctx actor.Context) {
	i.publish(messages.Event{Kind: messages.ServerStopped, Detail: i.partingText()})
	i.leaving, i.dead.asked, i.dead.known = nil, true, true
	i.tell(ctx, supervision.Event{Kind: supervision.Ended})
}

// onGone reports that nothing of the server is left.
func (i *instance) onGone(ctx actor.Context) {
	i.transition(messages.StateStopped)
	i.publish(messages.Event{Kind: messages.ServerStopped})
	ctx.Send(i.stopper, instanceStopped{Server: i.declared.ID})
}
