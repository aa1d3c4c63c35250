package supervision

import (
	"maps"
	"slices"
	"time"
)

// world is what happens outside of Decide: incarnations that live, and budgets that are used. It checks every decision
// against what must hold whatever happens.
type world struct {
	fatalf    func(format string, args ...any)
	specs     Specs
	past      History
	now       time.Time
	alive     map[string]bool // opened, and not ended
	closed    map[string]bool // told to close, and not ended
	slow      map[string]bool // gave the place of its start back
	charged   map[string][]time.Time
	before    map[string]map[string]bool // all prerequisites
	everybody bool                       // look at all children after each event, not only at those with an action
}

func newWorld(specs Specs, fatalf func(string, ...any)) *world {
	w := &world{
		fatalf: fatalf, now: t0, alive: map[string]bool{}, closed: map[string]bool{}, slow: map[string]bool{},
		charged: map[string][]time.Time{},
	}
	w.declare(specs)
	return w
}

// declare computes who precedes whom in another way than the code under test: as the closure of a relation.
func (w *world) declare(specs Specs) {
	w.specs, w.before = specs, map[string]map[string]bool{}
	for _, c := range specs.Children {
		w.before[c.ID] = map[string]bool{}
	}
	direct := func(id, other string) {
		if w.before[id] != nil && w.before[other] != nil {
			w.before[id][other] = true
		}
	}
	for _, c := range specs.Children {
		for _, other := range c.DependsOn {
			direct(c.ID, other)
		}
	}
	for _, g := range specs.Groups {
		for i := range g.Members {
			for _, earlier := range g.Members[:i] {
				if g.Strategy != OneForOne {
					direct(g.Members[i], earlier)
				}
			}
		}
	}
	for grown := true; grown; {
		grown = false
		for _, reached := range w.before {
			size := len(reached)
			for _, other := range slices.Collect(maps.Keys(reached)) {
				maps.Copy(reached, w.before[other])
			}
			grown = grown || len(reached) > size
		}
	}
}

func (w *world) spec(id string) (Spec, bool) {
	at := slices.IndexFunc(w.specs.Children, func(c Spec) bool { return c.ID == id })
	if at < 0 {
		return Spec{}, false
	}
	return w.specs.Children[at], true
}

func (w *world) group(id string) (Group, bool) {
	at := slices.IndexFunc(w.specs.Groups, func(g Group) bool { return slices.Contains(g.Members, id) })
	if at < 0 {
		return Group{}, false
	}
	return w.specs.Groups[at], true
}

// step lets an event happen, and checks what follows.
func (w *world) step(e Event, random float64) []Action {
	before := w.past
	w.happen(e)
	actions, after := Decide(w.specs, before, e, w.now, random)
	for _, a := range actions {
		w.check(e, a, after)
	}
	w.bystanders(e, actions, before, after)
	w.places(after)
	w.past = after
	return actions
}

func (w *world) happen(e Event) {
	switch e.Kind {
	case Ended:
		delete(w.alive, e.Child)
		delete(w.closed, e.Child)
	case Slow:
		w.slow[e.Child] = w.slow[e.Child] || w.past.Child(e.Child).Phase == PhaseStarting
	case StartAsked, RestartAsked, Changed, Removed: // the past may be forgotten
		delete(w.charged, e.Child)
		if g, ok := w.group(e.Child); ok {
			delete(w.charged, "group "+g.Name)
		}
	default:
	}
}

func (w *world) check(e Event, a Action, after History) {
	switch a.Verb {
	case Open:
		if w.alive[a.Child] {
			w.fatalf("%v opened %s a second time", e, a.Child)
		}
		w.alive[a.Child], w.slow[a.Child] = true, false
		w.inOrder(a.Child, after)
	case Close:
		if !w.alive[a.Child] || w.closed[a.Child] {
			w.fatalf("%v closed %s, which is gone or closed already", e, a.Child)
		}
		w.closed[a.Child] = true
		for id := range w.closed {
			if id != a.Child && w.before[id][a.Child] {
				w.fatalf("%s is closed before %s is gone", a.Child, id)
			}
		}
	case Await:
		if a.Because != "" && !w.before[a.Child][a.Because] && after.Child(a.Because).Phase != PhaseClosing {
			w.fatalf("%s waits for %s without a reason", a.Child, a.Because)
		}
	default:
		if w.alive[a.Child] {
			w.fatalf("%v: %s of %s, which is alive", e, a.Verb, a.Child)
		}
	}
	if a.Charged {
		w.charge(e, a)
	}
}

func (w *world) inOrder(id string, after History) {
	for other := range w.before[id] {
		switch after.Child(other).Phase {
		case PhaseStarting, PhaseDelayed, PhaseWaiting:
			w.fatalf("%s is opened while %s is %s", id, other, after.Child(other).Phase)
		default:
		}
	}
	if g, ok := w.group(id); ok && g.Strategy != OneForOne {
		for _, other := range g.Members {
			if other != id && w.closed[other] {
				w.fatalf("%s is opened while %s of its group closes", id, other)
			}
		}
	}
}

func (w *world) charge(e Event, a Action) {
	if e.Kind != Ended || a.Child != e.Child || !slices.Contains([]Verb{Open, Await, Wait}, a.Verb) {
		w.fatalf("%v charged %v", e, a)
	}
	spec, _ := w.spec(a.Child)
	w.use(a.Child, spec.Restart.MaxRestarts, spec.Restart.Within)
	if g, ok := w.group(a.Child); ok {
		w.use("group "+g.Name, g.MaxRestarts, g.Within)
	}
}

func (w *world) use(name string, most int, within time.Duration) {
	w.charged[name] = append(recent(w.charged[name], w.now.Add(-within)), w.now)
	if n := len(w.charged[name]); n > most {
		w.fatalf("%s: %d restarts within %s, %d are allowed", name, n, within, most)
	}
}

// bystanders checks that nothing is charged to anybody but the event's child.
func (w *world) bystanders(e Event, actions []Action, before, after History) {
	var ids []string
	for _, a := range actions {
		ids = append(ids, a.Child)
	}
	if w.everybody {
		ids = slices.Collect(maps.Keys(after.children))
	}
	for _, id := range ids {
		was, is := before.Child(id), after.Child(id)
		if id != e.Child && (was.Streak != is.Streak || was.Failed != is.Failed || !slices.Equal(was.Restarts, is.Restarts)) {
			w.fatalf("%v was charged to %s", e, id)
		}
	}
}

func (w *world) places(after History) {
	taken := 0
	for id, rec := range after.children {
		if rec.Phase != PhaseStarting || w.slow[id] {
			continue
		}
		if spec, _ := w.spec(id); spec.Local {
			taken++
		}
	}
	if w.specs.MaxStarts > 0 && taken > w.specs.MaxStarts {
		w.fatalf("%d local starts at the same time, %d are allowed", taken, w.specs.MaxStarts)
	}
}
