package actors

import (
	"context"
	"errors"

	"github.com/asynkron/protoactor-go/actor"
)

// errGone is returned by an ask whose receiver, or whole supervisor, is not there any more.
var errGone = errors.New("the supervisor has stopped")

// replyBox is a process that takes one message. It stands in for protoactor's Future, which leaks without a time-out and
// writes its result outside its lock.
type replyBox struct {
	ch chan any
	// patient boxes overhear that their message was a dead letter: the answer comes from undelivered.
	patient bool
}

func (b *replyBox) SendUserMessage(_ *actor.PID, message any) {
	_, msg, _ := actor.UnwrapEnvelope(message)
	if _, dead := msg.(*actor.DeadLetterResponse); dead && b.patient {
		return
	}
	select {
	case b.ch <- msg:
	default: // one reply was enough
	}
}

func (b *replyBox) SendSystemMessage(*actor.PID, any) {}
func (b *replyBox) Stop(*actor.PID)                   {}

// openBox registers a box under an address of its own, until closeBox.
func (e *env) openBox() (*replyBox, *actor.PID) {
	box := &replyBox{ch: make(chan any, 1)}
	pid, _ := e.system.ProcessRegistry.Add(box, "reply"+e.system.ProcessRegistry.NextID())
	return box, pid
}

func (e *env) closeBox(pid *actor.PID) { e.system.ProcessRegistry.Remove(pid) }

// gone reports whether the supervisor has stopped.
func (e *env) gone() bool {
	select {
	case <-e.done:
		return true
	default:
		return false
	}
}

// ask sends a message and waits for the one reply to it, the end of ctx, or the end of the supervisor.
func (e *env) ask(ctx context.Context, to *actor.PID, message any) (any, error) {
	box, self := e.openBox()
	defer e.closeBox(self)
	e.root.RequestWithCustomSender(to, message, self)
	return e.await(ctx, box)
}

// askSurely is ask for a message that undelivered answers when its receiver is just being replaced.
func (e *env) askSurely(ctx context.Context, to *actor.PID, message any) (any, error) {
	if e.gone() {
		return nil, errGone
	}
	box, self := e.openBox()
	defer e.closeBox(self)
	box.patient = true
	e.root.RequestWithCustomSender(to, message, self)
	return e.await(ctx, box)
}

func (e *env) await(ctx context.Context, box *replyBox) (any, error) {
	select {
	case reply := <-box.ch:
		if _, dead := reply.(*actor.DeadLetterResponse); dead {
			return nil, errGone
		}
		return reply, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-e.done:
		return box.last()
	}
}

// last is the reply that came just before the supervisor's end, if one did.
func (b *replyBox) last() (any, error) {
	select {
	case reply := <-b.ch:
		return reply, nil
	default:
		return nil, errGone
	}
}
