package actors

import (
	"fmt"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/mcp-supervisor/supervisor/config"
	mcpspec "github.com/mcp-supervisor/supervisor/mcp/spec"
	"github.com/mcp-supervisor/supervisor/messages"
)

// heldCall is a call that the instance owes a result: it waits in the queue, or it was sent.
type heldCall struct {
	call     messages.Call
	decision messages.Decision
	caller   *actor.PID
	since    time.Time
	number   int // in the order the calls came
	sent     bool
	// unwritten is true once the session said that not a byte of the call reached the server it was sent to.
	unwritten   bool
	attempts    int
	incarnation int
	timer       *time.Timer
	seq         int // of the timer: an older one that fires late means nothing
}

func (i *instance) onExecute(ctx actor.Context, m execute) {
	if i.held[m.Call.ID] != nil {
		r := refused(m.Call, messages.Invalid, "a call needs an id that no other call has")
		i.env.conclude(ended{Call: m.Call, Decision: m.Decision, Result: r}, ctx.Sender())
		return
	}
	i.taken++
	h := &heldCall{call: m.Call, decision: m.Decision, caller: ctx.Sender(), since: m.Since, number: i.taken}
	i.held[h.call.ID] = h
	switch {
	case i.stopper != nil:
		i.finish(h, refused(h.call, messages.Stopped, shuttingDown))
	case h.expired():
		i.finish(h, i.tooLate(h.call))
	case i.state == messages.StateFailed, i.failsFast():
		i.finish(h, i.unavailable(h.call))
	case i.hasRoom():
		i.dispatch(ctx, h)
	case len(i.queue) >= i.declared.Queue.Max:
		i.finish(h, refused(h.call, messages.Overloaded,
			fmt.Sprintf("server `%s` has %d calls running and %d waiting; try again later", i.declared.ID, i.inFlight, len(i.queue))))
	default:
		i.enqueue(ctx, h)
	}
}

// failsFast reports whether calls are not to wait for a server that is down. One that rests is started by a call.
func (i *instance) failsFast() bool {
	down := i.state == messages.StateStarting || i.state == messages.StateBackoff
	return down && i.declared.OnDown == config.OnDownFail
}

func (h *heldCall) expired() bool {
	return !h.call.Deadline.IsZero() && !time.Now().Before(h.call.Deadline)
}

func (i *instance) tooLate(c messages.Call) messages.CallResult {
	return refused(c, messages.Timeout, fmt.Sprintf("the deadline passed while the call waited for server `%s`; it was not sent", i.declared.ID))
}

// hasRoom reports whether a call can be sent at once without overtaking another.
func (i *instance) hasRoom() bool {
	return i.state == messages.StateUp && len(i.queue) == 0 && i.inFlight < i.declared.MaxInFlight
}

func (i *instance) enqueue(ctx actor.Context, h *heldCall) {
	i.queue = append(i.queue, h)
	i.arm(ctx, h, i.declared.Queue.Wait)
	if i.state == messages.StateStopped {
		i.wake(ctx)
	}
}

// arm starts the call's timer: d, or the call's own deadline where that comes first.
func (i *instance) arm(ctx actor.Context, h *heldCall, d time.Duration) {
	if !h.call.Deadline.IsZero() {
		d = min(d, time.Until(h.call.Deadline))
	}
	if h.timer != nil {
		h.timer.Stop()
	}
	h.seq++
	h.timer = i.env.after(d, ctx.Self(), callDue{ID: h.call.ID, Seq: h.seq})
}

// dispatch sends a call to the session, unless its time is over or its tool is not the one that was decided on.
func (i *instance) dispatch(ctx actor.Context, h *heldCall) {
	switch {
	case h.expired():
		i.finish(h, i.tooLate(h.call))
	case i.changed(h):
		i.release(h)
		i.env.root.RequestWithCustomSender(i.env.gate(h.call.Agent), reconsider{Call: h.call, Since: h.since, Catalogue: i.catalogue}, h.caller)
	default:
		i.perform(ctx, h)
	}
}

func (i *instance) changed(h *heldCall) bool {
	if h.decision.ToolHash == "" { // a provider that does not look at tools
		return false
	}
	tool, ok := i.catalogue.Find(h.call.Tool)
	return !ok || tool.Hash != h.decision.ToolHash
}

func (i *instance) perform(ctx actor.Context, h *heldCall) {
	limit := h.call.Timeout
	if limit <= 0 {
		limit = i.declared.Timeout
	}
	i.arm(ctx, h, limit)
	h.sent, h.unwritten, h.incarnation = true, false, i.incarnation
	h.attempts++
	i.inFlight++
	ctx.Send(i.session, perform{ID: h.call.ID, N: i.incarnation, Instance: ctx.Self(), Request: mcpspec.CallRequest{
		Tool: h.call.Tool, Arguments: h.call.Arguments, Meta: h.call.Meta,
	}})
}

// kick sends what waits, in order, as far as there is room.
func (i *instance) kick(ctx actor.Context) {
	for len(i.queue) > 0 && i.state == messages.StateUp && i.inFlight < i.declared.MaxInFlight {
		h := i.queue[0]
		i.queue = i.queue[1:]
		i.dispatch(ctx, h)
	}
}

func (i *instance) onReplied(ctx actor.Context, m replied) {
	h, ok := i.held[m.ID]
	switch {
	case !ok: // late: the call ended otherwise
		return
	case !h.sent || m.N != h.incarnation:
		i.stale++
		return
	}
	if deadSession(m.Reply) { // the post-mortem follows at once, and onEnded answers
		h.unwritten = !m.Reply.Written
		return
	}
	i.finish(h, answered(h.call, m.Reply))
	i.goOn(ctx)
}

// goOn is what follows the end of a call.
func (i *instance) goOn(ctx actor.Context) {
	if i.stopper != nil && i.inFlight == 0 && i.state == messages.StateUp {
		i.closeSession(ctx) // it was the last one of the drain
		return
	}
	i.kick(ctx)
}

func (i *instance) onCancel(ctx actor.Context, m messages.CancelCall) {
	h, ok := i.held[m.ID]
	if !ok {
		return // it ended already
	}
	reason := m.Reason
	if h.sent {
		reason += "; the server was told to cancel, the call may have taken effect"
	}
	i.giveUp(ctx, h, messages.Cancelled, reason)
}

func (i *instance) onDue(ctx actor.Context, m callDue) {
	h, ok := i.held[m.ID]
	if !ok || m.Seq != h.seq {
		return
	}
	switch {
	case h.sent:
		i.giveUp(ctx, h, messages.Timeout, i.limitText(h, h.expired()))
	case h.expired():
		i.drop(h)
		i.finish(h, i.tooLate(h.call))
	case i.state == messages.StateUp:
		i.giveUp(ctx, h, messages.Overloaded, fmt.Sprintf("the call waited %s for a free place at server `%s`", i.declared.Queue.Wait, i.declared.ID))
	default:
		i.drop(h)
		i.finish(h, i.unavailable(h.call))
	}
}

func (i *instance) limitText(h *heldCall, past bool) string {
	limit := h.call.Timeout
	if limit <= 0 {
		limit = i.declared.Timeout
	}
	if past {
		limit = h.call.Deadline.Sub(h.since).Round(time.Millisecond)
	}
	return fmt.Sprintf("tool `%s` of server `%s` did not answer within %s; the server was told to cancel, the call may have taken effect", h.call.Tool, i.declared.ID, limit)
}

// giveUp ends a call that has no answer. If it was sent, the server is told.
func (i *instance) giveUp(ctx actor.Context, h *heldCall, o messages.Outcome, reason string) {
	r := refused(h.call, o, reason)
	if h.sent {
		r.Ran = messages.RanMaybe
		i.env.send(i.session, abandon{ID: h.call.ID, Reason: string(o)}) // to nobody, between a death and its burial
	} else {
		i.drop(h)
	}
	i.finish(h, r)
	i.goOn(ctx)
}

// drop takes a call out of the queue.
func (i *instance) drop(h *heldCall) {
	for n, other := range i.queue {
		if other == h {
			i.queue = append(i.queue[:n:n], i.queue[n+1:]...)
			return
		}
	}
}

// release takes a call out of held.
func (i *instance) release(h *heldCall) {
	delete(i.held, h.call.ID)
	if h.timer != nil {
		h.timer.Stop()
	}
	if h.sent {
		i.inFlight--
	}
}

// finish is the end of a held call: one outcome record, one reply.
func (i *instance) finish(h *heldCall, r messages.CallResult) {
	i.release(h)
	r.Attempts, r.Incarnation, r.Duration = h.attempts, h.incarnation, sinceMillis(h.since)
	if r.Error != nil {
		masked := *r.Error
		masked.Message = i.env.keeper.Mask(masked.Message)
		r.Error = &masked
	}
	i.env.conclude(ended{Call: h.call, Decision: h.decision, Result: r}, h.caller)
}
