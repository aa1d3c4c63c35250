package actors

import (
	"github.com/asynkron/protoactor-go/actor"

	"github.com/mcp-supervisor/supervisor/internal/safe"
	"github.com/mcp-supervisor/supervisor/messages"
)

// behaviour is what one of our actors does.
type behaviour interface {
	Receive(ctx actor.Context)
	// letGo is called once, when the actor ends: after Receive panicked (with the crash, and the message that made it
	// panic still current in ctx), or when it is stopped (with nil). The actor answers all it holds, and lets go of
	// what it owns. It may be called again, and then has nothing left to do.
	letGo(ctx actor.Context, c *safe.Crash)
	// refuse answers one message that came too late: the one that crashed the actor, and those behind it.
	refuse(ctx actor.Context, c *safe.Crash)
}

// contained is the outer layer of each of our actors. It recovers panics before protoactor sees them: protoactor would
// lose the message, restart the actor at once and without a pause, and answer nobody. After a crash the actor answers
// what is queued and stops; its parent hears of it as actor.Terminated and makes a new one within a budget.
type contained struct {
	env     *env
	name    string
	inner   behaviour
	box     *mailbox
	crash   *safe.Crash
	ending  bool   // it crashed, or is being stopped
	stopped func() // called at the very end, crash or not
}

// props describes an actor of ours.
func (e *env) props(name string, make func() behaviour) *actor.Props {
	return e.propsWith(name, make, func() {})
}

func (e *env) propsWith(name string, make func() behaviour, stopped func()) *actor.Props {
	box := newMailbox(e.system) // the props of one actor are used once
	return actor.PropsFromProducer(
		func() actor.Actor {
			return &contained{env: e, name: name, inner: e.wrapped(make()), box: box, stopped: stopped}
		},
		actor.WithSupervisor(stopOnFailure),
		actor.WithMailbox(func() actor.Mailbox { return box }),
	)
}

func (e *env) wrapped(b behaviour) behaviour {
	if e.wrap == nil {
		return b
	}
	return e.wrap(b)
}

func (c *contained) Receive(ctx actor.Context) {
	switch ctx.Message().(type) {
	case *actor.Stopping:
		c.end(ctx)
	case *actor.Stopped:
		c.box.dead.Store(ctx.Self())
		c.stopped()
	default:
		c.receive(ctx)
	}
}

func (c *contained) receive(ctx actor.Context) {
	if c.ending {
		c.tooLate(ctx)
		return
	}
	if crash := safe.Run(c.name, func() { c.inner.Receive(ctx) }); crash != nil {
		c.crash = crash
		c.env.crashed(crash)
		c.tooLate(ctx)
		c.end(ctx)
		ctx.Poison(ctx.Self()) // behind what is queued, so that it gets answers
	}
}

// end lets go of everything, whatever goes wrong with it.
func (c *contained) end(ctx actor.Context) {
	c.ending = true
	if crash := safe.Run(c.name+": at the end", func() { c.inner.letGo(ctx, c.crash) }); crash != nil {
		c.env.crashed(crash)
	}
}

func (c *contained) tooLate(ctx actor.Context) {
	switch ctx.Message().(type) {
	case actor.AutoReceiveMessage, actor.SystemMessage, *actor.Terminated:
		return
	}
	if crash := safe.Run(c.name+": at the end", func() { c.inner.refuse(ctx, c.crash) }); crash != nil {
		c.env.crashed(crash)
	}
}

// crashed tells the world of a panic. It is safe from any goroutine.
func (e *env) crashed(c *safe.Crash) {
	e.hub.publish(messages.Event{Kind: messages.ActorCrashed, Detail: e.keeper.Mask(c.Error() + "\n" + string(c.Stack))})
}

// stopOnFailure stops a failed child. It is a second line of defence, for panics in the outer layer itself: it never
// restarts (protoactor would do so without a pause) and never escalates (that can end the process).
var stopOnFailure actor.SupervisorStrategy = &stopStrategy{}

type stopStrategy struct{ _ byte }

func (*stopStrategy) HandleFailure(_ *actor.ActorSystem, s actor.Supervisor, child *actor.PID, _ *actor.RestartStatistics, _, _ any) {
	s.StopChildren(child)
}
