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
	redacted bool // see ended
	caller   *actor.PID
	since    time.Time
	number   int // in the order the calls came
	sent     bool
	// told is true once the dead session it was sent to said what became of it: unwritten, if not a byte of it reached
	// the server.
	told, unwritten bool
	attempts        int
	incarnation     int
	sentAt          time.Time
	due             time.Time // the end of the time it has to run, counted from when it was sent first
	// lost is the result of a call that was lost and is to be repeated: it may have run, whatever becomes of it now.
	lost  *messages.CallResult
	timer *time.Timer
	seq   int // of the timer: an older one that fires late means nothing
}

func (i *instance) onExecute(ctx actor.Context, m execute) {
	if i.held[m.Call.ID] != nil {
		r := refused(m.Call, messages.Invalid, "a call needs an id that no other call has")
		i.env.conclude(ended{Call: m.Call, Decision: m.Decision, Result: r}, ctx.Sender())
		return
	}
	i.taken++
	i.last = m.Call.ID
	i.rest.used = time.Now()
	h := &heldCall{call: m.Call, decision: m.Decision, redacted: m.Redacted, caller: ctx.Sender(), since: m.Since, number: i.taken}
	i.held[h.call.ID] = h
	switch {
	case i.stopper != nil:
		i.finish(h, refused(h.call, messages.Stopped, shuttingDown))
	case h.expired():
		i.finish(h, i.tooLate(h.call))
	case i.state == messages.StateFailed, i.state == messages.StateStopped && i.isHeld(), i.leavesByHand(), i.failsFast():
		i.finish(h, i.unavailable(h.call))
	case i.hasRoom():
		i.dispatch(ctx, h)
	case i.queue.size < i.declared.Queue.Max:
		i.enqueue(ctx, h)
	default:
		i.overload(ctx, h)
	}
}

// overload refuses a call that finds the queue full: this one, or one of an agent that has many more in it.
func (i *instance) overload(ctx actor.Context, h *heldCall) {
	out := i.queue.displace(h.agent())
	if out == nil {
		out = h
	} else {
		i.enqueue(ctx, h)
	}
	i.finish(out, refused(out.call, messages.Overloaded,
		fmt.Sprintf("server `%s` has %d calls running and %d waiting; try again later", i.declared.ID, i.inFlight, i.queue.size)))
}

// failsFast reports whether calls are not to wait for a server that is down. One that rests is started by a call.
func (i *instance) failsFast() bool {
	down := i.state == messages.StateStarting || i.state == messages.StateBackoff || i.state == messages.StateStopping
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
	return i.queue.size == 0 && i.takes()
}

// takes reports whether one more call may be sent.
func (i *instance) takes() bool {
	return i.serves() && i.inFlight < i.declared.MaxInFlight && !i.suspected()
}

// serves reports whether the session takes calls.
func (i *instance) serves() bool { return i.state == messages.StateUp && !i.dead.over }

func (i *instance) enqueue(ctx actor.Context, h *heldCall) {
	i.queue.add(h)
	i.arm(ctx, h, i.declared.Queue.Wait)
	i.wake(ctx)
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
	case i.outdated(h) && h.lost != nil:
		i.finish(h, *h.lost)
	case i.outdated(h):
		i.release(h)
		i.last = "" // it comes again
		i.env.root.RequestWithCustomSender(i.env.gate(h.call.Agent), reconsider{Call: h.call, Since: h.since, Metered: h.decision.Metered, offer: i.offer}, h.caller)
	default:
		i.perform(ctx, h)
	}
}

// outdated reports whether the decision was about another tool, or made by rules that are not in force any more.
func (i *instance) outdated(h *heldCall) bool {
	if h.decision.Version != i.env.world.Load().version {
		return true
	}
	if h.decision.ToolHash == "" { // a provider that does not look at tools
		return false
	}
	tool, ok := i.offer.Catalogue.Find(h.call.Tool)
	return !ok || tool.Hash != h.decision.ToolHash
}

func (i *instance) perform(ctx actor.Context, h *heldCall) {
	limit := h.call.Timeout
	if limit <= 0 {
		limit = i.declared.Timeout
	}
	if h.attempts == 0 || h.unwritten {
		h.due = time.Now().Add(limit)
	}
	i.arm(ctx, h, time.Until(h.due))
	h.sent, h.told, h.unwritten, h.incarnation, h.sentAt = true, false, false, i.incarnation, time.Now()
	h.attempts++
	i.inFlight++
	ctx.Send(i.session, perform{ID: h.call.ID, N: i.incarnation, Instance: ctx.Self(), Request: mcpspec.CallRequest{
		Tool: h.call.Tool, Arguments: h.call.Arguments, Meta: h.call.Meta,
	}})
}

// kick sends what waits, in order, as far as there is room.
func (i *instance) kick(ctx actor.Context) {
	for i.queue.size > 0 && i.takes() {
		i.dispatch(ctx, i.queue.next())
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
	if deadSession(m.Reply) { // the post-mortem follows at once, if it is not here yet
		h.told, h.unwritten = true, !m.Reply.Written
		if i.dead.known || m.N != i.incarnation {
			i.bury(ctx, h)
			i.settle(ctx)
		}
		return
	}
	i.sawLife()
	i.finish(h, answered(h.call, m.Reply))
	i.goOn(ctx)
}

// goOn is what follows the end of a call.
func (i *instance) goOn(ctx actor.Context) {
	i.rest.used = time.Now()
	if i.inFlight == 0 && i.session != nil && !i.dead.asked && (i.stopper != nil || i.leaving != nil) {
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
		i.sawTimeout(ctx, time.Since(h.sentAt))
	case h.expired():
		i.queue.remove(h)
		i.finish(h, i.tooLate(h.call))
	case i.serves():
		i.giveUp(ctx, h, messages.Overloaded, fmt.Sprintf("the call waited %s for a free place at server `%s`", i.declared.Queue.Wait, i.declared.ID))
	default:
		i.queue.remove(h)
		i.finish(h, i.waitedOut(h.call))
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
		i.queue.remove(h)
	}
	i.finish(h, r)
	i.goOn(ctx)
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
	if h.lost != nil && r.Ran == messages.RanNo {
		r = notRepeated(r, *h.lost)
	}
	r.Attempts, r.Incarnation, r.Duration = h.attempts, h.incarnation, sinceMillis(h.since)
	if r.Error != nil {
		masked := *r.Error
		masked.Message = i.env.keeper.Mask(masked.Message)
		r.Error = &masked
	}
	i.release(h) // the last step before the answer: a panic above leaves the call to letGo
	i.env.conclude(ended{Call: h.call, Decision: h.decision, Redacted: h.redacted, Result: r}, h.caller)
}
