package actors

import (
	"slices"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/mcp-supervisor/supervisor/config"
	"github.com/mcp-supervisor/supervisor/messages"
	"github.com/mcp-supervisor/supervisor/supervision"
)

// onWant tells what the server offers, after a start if need be. One that rests is not started when its tools are
// known, unless they are to be hidden while it is down.
func (i *instance) onWant(ctx actor.Context, m want) {
	hides := i.declared.CatalogWhenDown == config.CatalogHide
	down := i.state == messages.StateFailed || i.state == messages.StateBackoff || i.state == messages.StateStopped && i.isHeld() || i.leavesByHand()
	switch {
	case i.stopper != nil:
		ctx.Respond(startFailed{Server: i.declared.ID, Error: messages.CallError{Kind: string(messages.Stopped), Message: shuttingDown}})
	case i.offer.Catalogue != nil && (i.state == messages.StateUp || !hides):
		ctx.Respond(catalogueKnown{Server: i.declared.ID, offer: i.offer})
	case down:
		ctx.Respond(startFailed{Server: i.declared.ID, Error: *i.unavailable(messages.Call{}).Error})
	default:
		i.startFor(ctx, m)
	}
}

// startFor starts the server so that its tools are known; a lazy one only if nobody knows what it offered last.
func (i *instance) startFor(ctx actor.Context, m want) {
	if m.Names && i.state == messages.StateStopped && i.declared.Start == config.StartLazy {
		if last, ok := i.env.recall(i.declared.ID); ok {
			ctx.Respond(last)
			return
		}
	}
	i.wanting = append(i.wanting, ctx.Sender())
	i.wake(ctx)
}

func (i *instance) onUp(ctx actor.Context, m sessionUp) {
	if m.N != i.incarnation || i.state != messages.StateStarting {
		i.stale++
		return
	}
	i.startTook = time.Since(i.since)
	i.transition(messages.StateUp)
	i.process, i.guarantee, i.order.Until = m.PID, m.Guarantee, time.Time{}
	i.learn(ctx, m.Offer)
	i.tell(ctx, supervision.Event{Kind: supervision.Up})
	i.tellSignificance(ctx)
	i.publish(messages.Event{Kind: messages.ServerUp, Duration: messages.Millis(i.startTook), Detail: count(len(i.offer.Catalogue.Tools()), "tool")})
	for _, pid := range i.wanting {
		ctx.Send(pid, catalogueKnown{Server: i.declared.ID, offer: i.offer})
	}
	i.wanting = nil
	i.health.reset()
	i.armProbe(ctx)
	i.armIdle(ctx)
	i.kick(ctx)
}

// learn takes in what a session offers. Its parent keeps it, and tells the gates.
func (i *instance) learn(ctx actor.Context, o offer) {
	i.offer = o
	ctx.Send(ctx.Parent(), o)
}

func (i *instance) onToolsChanged(ctx actor.Context, m toolsChanged) {
	if m.N != i.incarnation || i.state != messages.StateUp {
		i.stale++
		return
	}
	i.learn(ctx, m.Offer)
}

// onStarted catches up with a reload that came while this instance was made: the word of it went to the one before.
func (i *instance) onStarted() {
	if now, ok := i.env.ws().Server(i.declared.ID); ok && !now.Disabled {
		i.declared = now
	}
}

// onRedeclared takes over what can be changed on a running server. Whether it has to be replaced is decided elsewhere.
func (i *instance) onRedeclared(ctx actor.Context, m redeclared) {
	was := i.declared.Significant
	i.declared = m.Server
	if was != i.declared.Significant {
		i.tellSignificance(ctx)
	}
	if i.offer.Catalogue != nil {
		i.learn(ctx, i.offer.under(m.Server.Rules))
		for _, text := range i.offer.Catalogue.Warnings {
			if !slices.Contains(i.warnings, i.env.keeper.Mask(text)) {
				i.onWarned(text)
			}
		}
	}
	if i.state == messages.StateUp {
		i.armProbe(ctx)
		i.armIdle(ctx)
	}
	i.kick(ctx)
}

// onDead is the end of a session, or of a start: it can do no more. What it owned may still be there.
func (i *instance) onDead(ctx actor.Context, m sessionDead) {
	if m.N != i.incarnation || i.dead.over {
		i.stale++
		return
	}
	i.dead.over = true
	exit := i.env.maskExit(i.health.explain(m.Exit))
	i.lastExit = &exit
	i.rest.stop()
	switch {
	case i.dead.asked:
	case i.stopper != nil || i.leaving != nil: // it died by itself while it was drained
		i.publish(messages.Event{Kind: messages.ServerExited, Detail: exit.String(), Exit: postMortem(&exit)})
		i.loseAll()
	default:
		i.publish(messages.Event{Kind: messages.ServerExited, Detail: exit.String(), Exit: postMortem(&exit)})
		i.dead.told = true
		abnormal := i.state == messages.StateStarting || i.inFlight > 0 || !exit.Clean()
		i.tell(ctx, supervision.Event{
			Kind: supervision.Ended, Abnormal: abnormal, Hopeless: exit.Hopeless, Denied: exit.Denied, NotBefore: exit.RetryAfter,
		})
	}
}

// onEnded says that nothing of the session is left.
func (i *instance) onEnded(ctx actor.Context, m sessionEnded) {
	if m.N != i.incarnation {
		i.stale++
		return
	}
	i.onDead(ctx, sessionDead(m)) // of a start that failed, and of a session that ended all at once
	i.session, i.process = nil, 0
	ctx.Send(ctx.Self(), burial{N: m.N}) // behind what the session still had to say about its calls
	switch {
	case i.stopper != nil:
		i.loseAll()
		i.onGone(ctx)
	case i.leaving != nil:
		i.onLeft(ctx)
	case i.dead.openNext:
		i.start(ctx)
	}
}
