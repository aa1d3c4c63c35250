package actors

import (
	"math/rand/v2"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/mcp-supervisor/supervisor/config"
	mcpspec "github.com/mcp-supervisor/supervisor/mcp/spec"
	"github.com/mcp-supervisor/supervisor/supervision"
)

// What passes between the supervisor of the servers and the instances.
type (
	// happened is an event of an instance.
	happened struct{ Event supervision.Event }
	// present tells that the instance of a server is there: for the first time, or again after a crash.
	present struct {
		Server string
		Birth  int
	}
	// beyondHelp tells that an instance crashed too often, and is not replaced.
	beyondHelp struct{ Server string }
	// outlook says that something else follows a Close than was said with it.
	outlook struct {
		Birth  int
		Record supervision.Record
	}
	// order is what an instance is to do.
	order struct {
		supervision.Action
		Birth  int                // of the instance it is for: to another one it means nothing
		Until  time.Time          // of Wait and Fail: when it goes on; zero when never
		Record supervision.Record // its past, for the words
		Spent  string             // of a Fail of its own: which budget is used up, in words
	}
)

// specs are the servers of a workspace as the theory knows them.
func specs(ws *config.Workspace) supervision.Specs {
	list := supervision.Specs{Groups: ws.Groups, MaxStarts: ws.MaxStarts}
	if list.MaxStarts == 0 {
		list.MaxStarts = defaultMaxStarts()
	}
	for _, s := range ws.Servers {
		if !s.Disabled {
			list.Children = append(list.Children, supervision.Spec{
				ID: s.ID, Restart: s.Restart, DependsOn: s.DependsOn, Local: s.Transport == mcpspec.Stdio,
			})
		}
	}
	return list
}

// decide feeds an event to the theory and hands its actions out. During a shut-down nothing is started any more.
func (s *servers) decide(ctx actor.Context, e supervision.Event) {
	var actions []supervision.Action
	if s.ending == nil {
		actions, s.history = supervision.Decide(s.specs, s.history, e, time.Now(), rand.Float64())
		past := s.history
		s.env.past.Store(&past)
	}
	told := false
	for _, a := range actions {
		s.carryOut(ctx, a)
		told = told || a.Child == e.Child
	}
	s.tellOutlooks(ctx)
	if e.Kind == supervision.Ended && !told { // its callers wait to hear what comes next
		s.send(ctx, e.Child, order{})
	}
	s.answerAskers(ctx)
}

func (s *servers) carryOut(ctx actor.Context, a supervision.Action) {
	s.remember(a)
	o := order{Action: a, Record: s.history.Child(a.Child)}
	switch a.Verb {
	case supervision.Open:
		s.setAlarm(ctx, a.Child, supervision.Slow, slowStart)
	case supervision.Wait, supervision.Fail:
		if a.Verb == supervision.Fail {
			o.Spent = s.spent(a.Child)
		}
		if a.Delay > 0 {
			o.Until = time.Now().Add(a.Delay)
			s.setAlarm(ctx, a.Child, supervision.Due, a.Delay)
		}
	case supervision.Drop:
		s.drop(ctx, o)
		return
	default:
	}
	s.orders[a.Child] = o
	s.send(ctx, a.Child, o)
	if s.beyond[a.Child] && (a.Verb == supervision.Open || a.Verb == supervision.Close) {
		ctx.Send(ctx.Self(), happened{Event: hopeless(a.Child)})
	}
}

// remember keeps what people want of a server: it is held until it is opened, or gone.
func (s *servers) remember(a supervision.Action) {
	switch a.Verb {
	case supervision.Hold:
		s.wishes.held[a.Child] = true
	case supervision.Open, supervision.Await, supervision.Drop:
		delete(s.wishes.held, a.Child)
	default:
	}
}

// giveUp fails a server that has no instance any more, now and whenever it is to start: nobody may wait for it.
func (s *servers) giveUp(ctx actor.Context, id string) {
	s.beyond[id] = true
	delete(s.there, id)
	s.decide(ctx, hopeless(id))
}

func hopeless(id string) supervision.Event {
	return supervision.Event{Child: id, Kind: supervision.Ended, Abnormal: true, Hopeless: true}
}

// tellOutlooks tells the instances that are being closed when something else is to follow: a start by hand during a stop,
// or the other way round, is no action until the session has ended.
func (s *servers) tellOutlooks(ctx actor.Context) {
	for id, told := range s.orders {
		now := s.history.Child(id)
		if told.Verb != supervision.Close || now.Phase != supervision.PhaseClosing || now.Follows() == told.Record.Follows() {
			continue
		}
		told.Record = now
		s.orders[id] = told
		if birth := s.there[id]; birth > 0 {
			ctx.Send(s.env.instance(id), outlook{Birth: birth, Record: now})
		}
	}
}

func (s *servers) send(ctx actor.Context, id string, o order) {
	if o.Birth = s.there[id]; o.Birth > 0 {
		ctx.Send(s.env.instance(id), o)
	}
}

// onPresent tells a new instance where it stands. One that replaces another knows of no session: that of the other is
// gone, and so is what it was told.
func (s *servers) onPresent(ctx actor.Context, m present) {
	id, first := m.Server, s.there[m.Server] == 0
	s.there[id] = m.Birth
	if !first && s.incarnationLost(ctx, id) {
		return
	}
	if last, ok := s.orders[id]; ok {
		s.send(ctx, id, last)
	}
}

// incarnationLost reports whether a server whose actors crashed had an incarnation, and then decides what comes next.
func (s *servers) incarnationLost(ctx actor.Context, id string) bool {
	switch s.history.Child(id).Phase {
	case supervision.PhaseStarting, supervision.PhaseUp, supervision.PhaseClosing:
		s.decide(ctx, supervision.Event{Child: id, Kind: supervision.Ended, Abnormal: true})
		return true
	default:
		return false
	}
}
