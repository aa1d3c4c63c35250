package actors

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/mcp-supervisor/supervisor/config"
	"github.com/mcp-supervisor/supervisor/messages"
	"github.com/mcp-supervisor/supervisor/supervision"
)

// onWant tells what the server offers, after a start if need be.
func (i *instance) onWant(ctx actor.Context) {
	switch {
	case i.stopper != nil:
		ctx.Respond(startFailed{Server: i.declared.ID, Error: messages.CallError{Kind: string(messages.Stopped), Message: shuttingDown}})
	case i.catalogue != nil && i.state != messages.StateStopped:
		ctx.Respond(catalogueKnown{Server: i.declared.ID, Catalogue: i.catalogue})
	case i.state == messages.StateFailed, i.state == messages.StateBackoff:
		ctx.Respond(startFailed{Server: i.declared.ID, Error: *i.unavailable(messages.Call{}).Error})
	default:
		if ctx.Sender() != nil { // nobody waits when it is only to be started
			i.wanting = append(i.wanting, ctx.Sender())
		}
		i.wake(ctx)
	}
}

// wake starts a server that rests.
func (i *instance) wake(ctx actor.Context) {
	if i.state == messages.StateStopped {
		i.decide(ctx, supervision.Event{Kind: supervision.Needed})
	}
}

// decide feeds an event to the restart rule and carries the action out.
func (i *instance) decide(ctx actor.Context, e supervision.Event) {
	var verdict supervision.Verdict
	verdict, i.history = i.declared.Restart.Next(i.history, e, time.Now(), rand.Float64())
	switch verdict.Verb {
	case supervision.Open, supervision.Wait:
		i.startAfter(ctx, verdict.Delay, e.Kind == supervision.Ended)
	case supervision.Fail:
		i.fail(ctx, verdict.Delay)
	case supervision.Rest:
		i.transition(messages.StateStopped)
		i.publish(messages.Event{Kind: messages.ServerStopped, Detail: "rests until it is needed"})
		if len(i.queue) > 0 || len(i.wanting) > 0 {
			i.settleDown(i.unavailable)
		}
	default:
	}
}

func (i *instance) startAfter(ctx actor.Context, delay time.Duration, again bool) {
	if again {
		i.restarts++
		i.publish(messages.Event{
			Kind: messages.ServerRestarting, After: messages.Millis(delay),
			Restarts: len(i.history.Restarts), Budget: i.declared.Restart.MaxRestarts,
		})
	}
	if delay <= 0 {
		i.start(ctx)
		return
	}
	i.transition(messages.StateBackoff)
	i.retryAt = time.Now().Add(delay)
	i.again = i.env.after(delay, ctx.Self(), startOver{N: i.incarnation})
}

func (i *instance) start(ctx actor.Context) {
	i.incarnation = i.env.number(i.declared.ID)
	i.transition(messages.StateStarting)
	i.publish(messages.Event{Kind: messages.ServerStarting})
	n, parent := i.incarnation, ctx.Self()
	props := i.env.props("session "+i.declared.ID, func() behaviour { return newSession(i.env, i.declared, n, parent) })
	pid, err := ctx.SpawnNamed(props, "session-"+strconv.Itoa(n))
	if err != nil {
		panic("actors: spawn session: " + err.Error()) // the number is new
	}
	i.session = pid
}

func (i *instance) onStartOver(ctx actor.Context, m startOver) {
	due := i.state == messages.StateBackoff || i.state == messages.StateFailed
	if m.N != i.incarnation || !due || i.stopper != nil {
		i.stale++
		return
	}
	i.start(ctx)
}

func (i *instance) onUp(ctx actor.Context, m sessionUp) {
	if m.N != i.incarnation || i.state != messages.StateStarting {
		i.stale++
		return
	}
	i.startTook = time.Since(i.since)
	i.transition(messages.StateUp)
	i.process, i.catalogue, i.retryAt = m.PID, m.Catalogue, time.Time{}
	i.guarantee = m.Guarantee
	ctx.Send(ctx.Parent(), offers{Catalogue: m.Catalogue})
	i.decide(ctx, supervision.Event{Kind: supervision.Up})
	if i.declared.Significant {
		ctx.Send(i.env.agents, significantUp{Server: i.declared.ID})
	}
	i.publish(messages.Event{Kind: messages.ServerUp, Duration: messages.Millis(i.startTook), Detail: count(len(m.Catalogue.Tools()), "tool")})
	for _, pid := range i.wanting {
		ctx.Send(pid, catalogueKnown{Server: i.declared.ID, Catalogue: m.Catalogue})
	}
	i.wanting = nil
	i.health.reset()
	i.armProbe(ctx)
	i.kick(ctx)
}

func (i *instance) onToolsChanged(ctx actor.Context, m toolsChanged) {
	if m.N != i.incarnation || i.state != messages.StateUp {
		i.stale++
		return
	}
	i.catalogue = m.Catalogue
	ctx.Send(ctx.Parent(), offers{Catalogue: m.Catalogue})
}

// onEnded is the death of a session, or a start that failed.
func (i *instance) onEnded(ctx actor.Context, m sessionEnded) {
	if m.N != i.incarnation {
		i.stale++
		return
	}
	exit := i.env.maskExit(i.health.explain(m.Exit))
	i.lastExit, i.session, i.process = &exit, nil, 0
	if i.state == messages.StateStopping { // we asked it to end
		i.onGone(ctx)
		return
	}
	i.publish(messages.Event{Kind: messages.ServerExited, Detail: exit.String(), Exit: postMortem(&exit)})
	if i.stopper != nil { // it died by itself while it was drained
		i.loseAll()
		i.onGone(ctx)
		return
	}
	abnormal := i.state == messages.StateStarting || i.inFlight > 0 || !exit.Clean()
	i.decide(ctx, supervision.Event{
		Kind: supervision.Ended, Abnormal: abnormal, Hopeless: exit.Hopeless, Denied: exit.Denied, NotBefore: exit.RetryAfter,
	})
	i.tellWanting()
	ctx.Send(ctx.Self(), burial{N: m.N}) // behind what the session still had to say about its calls
}

// running are the calls that were sent to the session that died.
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

// maxAttempts ends the ping-pong of a call that each new session refuses as the last one did.
const maxAttempts = 2

// bury ends the calls that died with their session. Those of which surely nothing was sent, or that the server did not
// take on, go back once to the head of the queue, in their order: repeating them repeats nothing.
func (i *instance) bury(ctx actor.Context, m burial) {
	var again []*heldCall
	for _, h := range i.running() {
		switch {
		case h.incarnation != m.N:
		case h.unwritten && h.attempts < maxAttempts && i.comesBack() && i.declared.OnDown == config.OnDownQueue:
			h.sent = false
			i.inFlight--
			i.arm(ctx, h, i.declared.Queue.Wait)
			again = append(again, h)
		case h.unwritten:
			i.finish(h, i.unavailable(h.call))
		default:
			i.finish(h, i.lost(h.call))
		}
	}
	i.queue = append(again, i.queue...)
	i.settle(ctx)
}

// settle sees to what is in the queue: nothing must wait in it that nobody will fetch.
func (i *instance) settle(ctx actor.Context) {
	switch i.state {
	case messages.StateFailed:
		i.settleDown(i.unavailable)
	case messages.StateUp:
		i.kick(ctx)
	default:
	}
}

// comesBack reports whether a start is on its way.
func (i *instance) comesBack() bool {
	return i.state == messages.StateStarting || i.state == messages.StateBackoff
}

// loseAll ends the calls that died with their session during a drain.
func (i *instance) loseAll() {
	for _, h := range i.running() {
		i.finish(h, i.lost(h.call))
	}
}

// tellWanting answers those who wait for the tools after a start that failed.
func (i *instance) tellWanting() {
	failure := i.unavailable(messages.Call{}).Error
	for _, pid := range i.wanting {
		i.env.send(pid, startFailed{Server: i.declared.ID, Error: *failure})
	}
	i.wanting = nil
}

func (i *instance) fail(ctx actor.Context, probeAfter time.Duration) {
	i.transition(messages.StateFailed)
	i.retryAt = time.Time{}
	if probeAfter > 0 {
		i.retryAt = time.Now().Add(probeAfter)
		i.again = i.env.after(probeAfter, ctx.Self(), startOver{N: i.incarnation})
	}
	i.settleDown(i.unavailable)
	text := i.downText()
	i.publish(messages.Event{
		Kind: messages.ServerFailed, After: messages.Millis(probeAfter), Detail: text,
		Restarts: len(i.history.Restarts), Budget: i.declared.Restart.MaxRestarts,
	})
	if i.declared.Significant {
		ctx.Send(i.env.agents, significantFailed{Server: i.declared.ID, Text: text})
	}
}

// settleDown answers everything that waits.
func (i *instance) settleDown(with func(messages.Call) messages.CallResult) {
	queue := i.queue
	i.queue = nil
	for _, h := range queue {
		i.finish(h, with(h.call))
	}
	i.tellWanting()
}
