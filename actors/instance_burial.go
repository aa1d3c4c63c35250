package actors

import (
	"slices"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/mcp-supervisor/supervisor/config"
	gov "github.com/mcp-supervisor/supervisor/governance/spec"
	"github.com/mcp-supervisor/supervisor/messages"
)

// running are the calls that were sent to a session and have no answer, in the order they came.
func (i *instance) running() []*heldCall {
	var list []*heldCall
	for _, h := range i.held {
		if h.sent {
			list = append(list, h)
		}
	}
	slices.SortFunc(list, func(a, b *heldCall) int { return a.number - b.number })
	return list
}

// buryAll ends the calls that were sent to session n: while it may still have something to say, those of which it said
// what became of them. The others may be on their way to it: it will say that it did not take them.
func (i *instance) buryAll(ctx actor.Context, n int, silent bool) {
	for _, h := range i.running() {
		if h.incarnation == n && (h.told || silent) {
			i.bury(ctx, h)
		}
	}
}

// onBurial ends the calls of a session that is gone, as soon as it is known what follows.
func (i *instance) onBurial(ctx actor.Context, m burial) {
	if m.N == i.incarnation && i.dead.over && !i.dead.known && i.stopper == nil && i.leaving == nil {
		i.dead.silent = true
		return
	}
	i.buryAll(ctx, m.N, true)
	i.settle(ctx)
}

// bury ends one call that died with its session. One of which surely nothing was sent, or that the server did not take
// on, goes back to the queue: repeating it repeats nothing. So does one that the workspace lets be repeated.
func (i *instance) bury(ctx actor.Context, h *heldCall) {
	switch {
	case h.attempts < maxAttempts && i.comesBack() && i.declared.OnDown == config.OnDownQueue && (h.unwritten || i.mayRepeat(h)):
		if !h.unwritten {
			lost := i.lost(h.call)
			h.lost = &lost
			i.publish(messages.Event{Kind: messages.CallRetried, Agent: h.call.Agent, Run: h.call.Run, Tool: h.call.Tool, CallID: h.call.ID, Detail: lost.Error.Message})
		}
		h.sent, h.told = false, false
		i.inFlight--
		i.arm(ctx, h, i.patience(h))
		i.queue.add(h)
	case h.unwritten:
		i.finish(h, i.unavailable(h.call))
	default:
		i.finish(h, i.lost(h.call))
	}
}

// maxAttempts ends the ping-pong of a call that each new session refuses or loses as the last one did.
const maxAttempts = 2

// mayRepeat reports whether a call that may have run may run again: where the workspace asks for it, and the tool is
// known to bear it.
func (i *instance) mayRepeat(h *heldCall) bool {
	if i.declared.Retry != config.RetryReadOnly && i.declared.Retry != config.RetryIdempotent || i.offer.Catalogue == nil {
		return false
	}
	tool, ok := i.offer.Catalogue.Find(h.call.Tool)
	idempotent := tool.Annotations.Idempotent != nil && *tool.Annotations.Idempotent
	return ok && (tool.Effect == gov.Read || i.declared.Retry == config.RetryIdempotent && idempotent)
}

// notRepeated is the result of a call that was lost and should have been repeated: r says why it was not. It may have
// run, and that must not be hidden.
func notRepeated(r, lost messages.CallResult) messages.CallResult {
	why, told := map[messages.Outcome]string{
		messages.Timeout:   "its time was over",
		messages.Cancelled: "the caller gave up",
		messages.Stopped:   shuttingDown,
		messages.Internal:  "of an internal error",
	}[r.Outcome]
	if !told {
		return lost
	}
	r.Ran = messages.RanMaybe
	failure := *r.Error
	failure.Message = lost.Error.Message + "; it was not repeated, because " + why
	r.Error = &failure
	return r
}

// patience is how long a call that goes back to the queue waits: as any other, but not beyond the time it had to run
// when it was sent first.
func (i *instance) patience(h *heldCall) time.Duration {
	if h.unwritten {
		return i.declared.Queue.Wait
	}
	return min(i.declared.Queue.Wait, time.Until(h.due))
}

// comesBack reports whether a start is on its way, or there was one already: what a dead session says of its calls may
// come late.
func (i *instance) comesBack() bool {
	return i.state == messages.StateStarting || i.state == messages.StateBackoff || i.serves()
}

// loseAll ends the calls that died with their session during a drain.
func (i *instance) loseAll() {
	for _, h := range i.running() {
		if h.told && h.unwritten {
			i.finish(h, i.unavailable(h.call))
			continue
		}
		i.finish(h, i.lost(h.call))
	}
}
