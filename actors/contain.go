package actors

import (
	"github.com/asynkron/protoactor-go/actor"

	"github.com/mcp-supervisor/supervisor/internal/safe"
	"github.com/mcp-supervisor/supervisor/messages"
)

// behaviour is what one of our actors does.
type behaviour interface {
	Receive(ctx actor.Context)
	// crashed is called once, after Receive panicked: the actor answers all it holds as internal and lets go of what
	// it owns. The message that made it panic is still current in ctx.
	crashed(ctx actor.Context, c *safe.Crash)
	// refuse answers one message as internal: the one that crashed the actor, and those queued behind it.
	refuse(ctx actor.Context, c *safe.Crash)
}

// contained is the outer layer of each of our actors. It recovers panics before protoactor sees them: protoactor would
// lose the message, restart the actor at once and without a pause, and answer nobody. After a crash the actor answers
// what is queued and stops; its parent hears of it as actor.Terminated and makes a new one within a budget.
type contained struct {
	env     *env
	name    string
	inner   behaviour
	crash   *safe.Crash
	stopped func() // called at the very end, crash or not
}

// props describes an actor of ours.
func (e *env) props(name string, make func() behaviour) *actor.Props {
	return e.propsWith(name, make, func() {})
}

func (e *env) propsWith(name string, make func() behaviour, stopped func()) *actor.Props {
	return actor.PropsFromProducer(
		func() actor.Actor { return &contained{env: e, name: name, inner: e.wrapped(make()), stopped: stopped} },
		actor.WithSupervisor(stopOnFailure),
		actor.WithMailbox(newMailbox),
	)
}

func (e *env) wrapped(b behaviour) behaviour {
	if e.wrap == nil {
		return b
	}
	return e.wrap(b)
}

func (c *contained) Receive(ctx actor.Context) {
	if _, last := ctx.Message().(*actor.Stopped); last {
		defer c.stopped()
	}
	if c.crash != nil {
		c.afterCrash(ctx)
		return
	}
	if crash := safe.Run(c.name, func() { c.inner.Receive(ctx) }); crash != nil {
		c.contain(ctx, crash)
	}
}

func (c *contained) contain(ctx actor.Context, crash *safe.Crash) {
	c.crash = crash
	c.env.crashed(crash)
	_ = safe.Run(c.name+": after a crash", func() {
		c.inner.crashed(ctx, crash)
		c.inner.refuse(ctx, crash)
	})
	switch ctx.Message().(type) {
	case *actor.Stopping, *actor.Stopped: // on its way out already
	default:
		ctx.Poison(ctx.Self()) // behind what is queued, so that it gets answers
	}
}

func (c *contained) afterCrash(ctx actor.Context) {
	switch ctx.Message().(type) {
	case actor.AutoReceiveMessage, actor.SystemMessage, *actor.Terminated:
	default:
		_ = safe.Run(c.name+": after a crash", func() { c.inner.refuse(ctx, c.crash) })
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
