package actors

import (
	"context"
	"errors"
	"time"

	"github.com/mcp-supervisor/supervisor/messages"
)

// backstop is how long a caller that gave up waits for its result. The result is there within microseconds; that it
// is not would be a bug of ours, and is told as one.
const backstop = 10 * time.Second

// call makes one call and waits for its one result.
func (e *env) call(ctx context.Context, c messages.Call) messages.CallResult {
	if e.gone() {
		return refused(c, messages.Stopped, errGone.Error())
	}
	box, self := e.openBox()
	defer e.closeBox(self)
	box.patient = true
	if ctx.Err() != nil {
		e.root.RequestWithCustomSender(e.journal, stillborn(c, ctx.Err()), self)
		return e.lastWord(ctx, c, box)
	}
	gate := e.gate(c.Agent)
	e.root.RequestWithCustomSender(gate, messages.CallTool{Call: c}, self)
	reply, err := e.await(ctx, box)
	switch {
	case err == nil || ctx.Err() == nil:
		return resultOf(c, reply, err)
	case !errors.Is(ctx.Err(), context.DeadlineExceeded): // the call's own deadline ends it otherwise
		e.send(gate, messages.CancelCall{ID: c.ID, Agent: c.Agent, Server: c.Server, Reason: "the caller gave up"})
	}
	return e.lastWord(ctx, c, box)
}

// lastWord waits for the result of a call whose caller's context has ended.
func (e *env) lastWord(ctx context.Context, c messages.Call, box *replyBox) messages.CallResult {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), backstop)
	defer cancel()
	reply, err := e.await(ctx, box)
	return resultOf(c, reply, err)
}

// stillborn is a call whose caller had given up before it was made.
func stillborn(c messages.Call, why error) refusal {
	o, reason := messages.Cancelled, "the caller had given up before the call was made; it was not sent"
	if errors.Is(why, context.DeadlineExceeded) {
		o, reason = messages.Timeout, "the deadline had passed before the call was made; it was not sent"
	}
	return refusal{Call: c, Decision: messages.Decision{Outcome: o, Rule: "none", Reason: reason}, Result: refused(c, o, reason)}
}

func resultOf(c messages.Call, reply any, err error) messages.CallResult {
	if r, ok := reply.(messages.CallResult); ok {
		return r
	}
	o, text := messages.Internal, "internal error: the call got no result"
	if errors.Is(err, errGone) {
		o, text = messages.Stopped, errGone.Error()
	}
	r := refused(c, o, text)
	r.Ran = messages.RanMaybe
	return r
}
