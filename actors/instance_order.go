package actors

import (
	"fmt"
	"strconv"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/mcp-supervisor/supervisor/messages"
	"github.com/mcp-supervisor/supervisor/supervision"
)

// tell tells the supervisor of the servers what happened; an order follows where there is something to do.
func (i *instance) tell(ctx actor.Context, e supervision.Event) {
	e.Child = i.declared.ID
	ctx.Send(i.env.servers, happened{Event: e})
}

// wake asks for a start of a server that rests.
func (i *instance) wake(ctx actor.Context) {
	if i.state == messages.StateStopped && !i.isHeld() {
		i.tell(ctx, supervision.Event{Kind: supervision.Needed})
	}
}

// isHeld reports whether the server was stopped by hand: no call starts it.
func (i *instance) isHeld() bool { return i.order.Verb == supervision.Hold }

// onOrder does what was decided, and then tells the callers of a session that died: now it is known what comes next.
func (i *instance) onOrder(ctx actor.Context, m order) {
	if m.Verb == supervision.Close && i.dead.told && !i.dead.known {
		return // it crossed the word of the session's death, which does what it asks for: the answer to that follows
	}
	news, gone := i.dead.over && !i.dead.known, i.dead.silent
	n := i.incarnation
	i.dead.known = i.dead.over
	if i.stopper == nil && m.Verb != "" {
		i.order = m
		i.carryOut(ctx, m)
	}
	if news {
		i.buryAll(ctx, n, gone)
		i.tellWanting()
	}
	if m.Verb == supervision.Rest {
		i.settleResting(ctx)
	}
	i.settle(ctx)
}

func (i *instance) carryOut(ctx actor.Context, m order) {
	if m.Charged {
		i.restarts++
		i.publish(i.restarting(m))
	}
	switch m.Verb {
	case supervision.Open:
		i.open(ctx)
	case supervision.Await:
		i.transition(messages.StateStarting)
	case supervision.Wait:
		i.transition(messages.StateBackoff)
	case supervision.Rest, supervision.Hold:
		i.transition(messages.StateStopped)
		if !i.dead.asked { // else it was told when it left
			i.publish(messages.Event{Kind: messages.ServerStopped, Detail: i.restText()})
		}
	case supervision.Fail:
		i.fail(ctx, m)
	case supervision.Close:
		i.leave(ctx, m)
	case supervision.Drop:
		i.transition(messages.StateStopped)
		i.tellSignificance(ctx)
		i.settleDown(i.unavailable)
	case supervision.None:
	}
}

func (i *instance) restarting(m order) messages.Event {
	g, used, _ := i.group()
	return messages.Event{
		Kind: messages.ServerRestarting, After: messages.Millis(m.Delay), Restarts: i.used(), Budget: i.declared.Restart.MaxRestarts,
		Group: g.Name, GroupRestarts: used, GroupBudget: g.MaxRestarts,
	}
}

// restText is why a server stays down that had no session to close.
func (i *instance) restText() string {
	if i.isHeld() {
		return "by hand"
	}
	return i.detail()
}

// open starts the next incarnation, once nothing of the one before is left.
func (i *instance) open(ctx actor.Context) {
	i.transition(messages.StateStarting)
	if i.session != nil {
		i.dead.openNext = true
		return
	}
	i.start(ctx)
}

func (i *instance) start(ctx actor.Context) {
	i.incarnation = i.env.number(i.declared.ID)
	i.dead, i.since = death{}, time.Now()
	i.publish(messages.Event{Kind: messages.ServerStarting})
	i.warnOfMissing()
	n, parent := i.incarnation, ctx.Self()
	props := i.env.props("session "+i.declared.ID, func() behaviour { return newSession(i.env, i.declared, n, parent) })
	pid, err := ctx.SpawnNamed(props, "session-"+strconv.Itoa(n))
	if err != nil {
		panic("actors: spawn session: " + err.Error()) // the number is new
	}
	i.session = pid
}

// warnOfMissing tells that this start does not wait for servers it depends on, because they do not come.
func (i *instance) warnOfMissing() {
	past := i.env.history()
	for _, id := range i.declared.DependsOn {
		what := map[supervision.Phase]string{supervision.PhaseFailed: "has failed", supervision.PhaseHeld: "was stopped by hand"}[past.Child(id).Phase]
		if what != "" {
			i.publish(messages.Event{Kind: messages.ServerWarning, Detail: fmt.Sprintf("starts although `%s`, which it depends on, %s", id, what)})
		}
	}
}

func (i *instance) fail(ctx actor.Context, m order) {
	i.transition(messages.StateFailed)
	i.publish(messages.Event{
		Kind: messages.ServerFailed, After: messages.Millis(m.Delay), Detail: i.failText(),
		Restarts: i.used(), Budget: i.declared.Restart.MaxRestarts,
	})
	i.tellSignificance(ctx)
}

// tellSignificance tells the runs whether they can do without this server, as it is declared and is now.
func (i *instance) tellSignificance(ctx actor.Context) {
	if i.declared.Significant && i.state == messages.StateFailed {
		ctx.Send(i.env.agents, significantFailed{Server: i.declared.ID, Text: i.downText()})
	} else {
		ctx.Send(i.env.agents, significantUp{Server: i.declared.ID})
	}
}

// settle sees to what waits: nothing must wait for what nobody will bring.
func (i *instance) settle(ctx actor.Context) {
	switch {
	case i.stopper != nil:
	case i.state == messages.StateFailed || i.isHeld() && i.state == messages.StateStopped || i.leavesByHand():
		i.settleDown(i.unavailable)
	default:
		i.kick(ctx)
	}
}

// settleResting sees to calls that wait for a server which came to rest. After it died, they are told: it would do so
// again. After it was idle they just missed it, and it is started again.
func (i *instance) settleResting(ctx actor.Context) {
	switch {
	case i.queue.size == 0 && len(i.wanting) == 0:
	case i.dead.asked:
		i.wake(ctx)
	default:
		i.settleDown(i.unavailable)
	}
}

// settleDown answers everything that waits.
func (i *instance) settleDown(with func(messages.Call) messages.CallResult) {
	for _, h := range i.queue.all() {
		i.finish(h, with(h.call))
	}
	i.tellWanting()
}

// tellWanting answers those who wait for the tools, when they will not hear of them soon.
func (i *instance) tellWanting() {
	failure := i.unavailable(messages.Call{}).Error
	for _, pid := range i.wanting {
		i.env.send(pid, startFailed{Server: i.declared.ID, Error: *failure})
	}
	i.wanting = nil
}
