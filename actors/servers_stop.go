package actors

import (
	"time"

	"github.com/asynkron/protoactor-go/actor"
)

type (
	// stopServers stops all servers, dependents first; the sender gets serversStopped when nothing of them is left.
	stopServers struct{ Drain time.Time }
	// instanceStopped reports that an instance let go of all it owned.
	instanceStopped struct{ Server string }
)

// ending is a shut-down: one level of servers after the other, those of one level at the same time. In all it takes one
// drain and one grace a level.
type ending struct {
	stopServers
	replyTo *actor.PID
	levels  [][]string // those still to come
	awaited map[string]bool
}

func (s *servers) onStop(ctx actor.Context, m stopServers) {
	s.ending = &ending{stopServers: m, replyTo: ctx.Sender(), levels: s.levels(ctx), awaited: map[string]bool{}}
	for _, a := range s.alarms {
		a.stop()
	}
	s.answerAskers(ctx)
	s.nextLevel(ctx)
}

// levels are the actors there are, in the order they stop. Those of removed servers that are on their way out go first.
func (s *servers) levels(ctx actor.Context) [][]string {
	there := children(ctx)
	var levels [][]string
	for _, level := range s.specs.StopLevels() {
		var ids []string
		for _, id := range level {
			if there[id] {
				ids = append(ids, id)
				delete(there, id)
			}
		}
		levels = append(levels, ids)
	}
	var rest []string
	for id := range there {
		rest = append(rest, id)
	}
	return append([][]string{rest}, levels...)
}

// children names the children of an actor.
func children(ctx actor.Context) map[string]bool {
	there := map[string]bool{}
	for _, child := range ctx.Children() {
		there[childName(child)] = true
	}
	return there
}

// onSkipDrain ends the draining, that of the levels to come too.
func (s *servers) onSkipDrain(ctx actor.Context, m skipDrain) {
	if s.ending != nil {
		s.ending.Drain = time.Now()
	}
	s.toAll(ctx, m, nil)
}

func (s *servers) nextLevel(ctx actor.Context) {
	e := s.ending
	for len(e.awaited) == 0 && len(e.levels) > 0 {
		for _, id := range e.levels[0] {
			e.awaited[id] = true
			ctx.Request(s.env.serverPID(id), e.stopServers)
		}
		e.levels = e.levels[1:]
	}
	if len(e.awaited) == 0 && e.replyTo != nil {
		ctx.Request(e.replyTo, serversStopped{})
		e.replyTo = nil
	}
}

func (s *servers) stopped(ctx actor.Context, id string) {
	if s.ending == nil {
		return
	}
	delete(s.ending.awaited, id)
	s.nextLevel(ctx)
}

// drop ends the actors of a server that is not declared any more. What is decided for it from here on, because it is
// declared again, is for the actors that come after them.
func (s *servers) drop(ctx actor.Context, o order) {
	s.send(ctx, o.Child, o)
	delete(s.orders, o.Child)
	delete(s.there, o.Child)
	s.leaving[o.Child] = true
	ctx.Poison(s.env.serverPID(o.Child)) // behind what it still has to say
}
