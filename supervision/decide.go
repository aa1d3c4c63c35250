package supervision

import (
	"maps"
	"slices"
	"time"
)

// Decide says what to do with the whole set of children after an event. random is in [0,1) and only lengthens delays.
//
// The actions are to be carried out in their order. It expects specs that Check accepts, and the same specs as before
// but for children that a Changed or Removed tells of. An event that does not fit the child's phase, or is about a
// child that is not declared, changes nothing.
//
// It is pure: equal arguments give equal results, and neither s nor h is changed.
func Decide(s Specs, h History, e Event, now time.Time, random float64) ([]Action, History) {
	p := plan{order: newOrder(s), history: h.clone(), event: e, now: now, random: random}
	p.history.events++
	p.on(e)
	p.descend()
	p.ascend()
	return p.actions, p.history
}

// plan is one decision in the making. It owns its history.
type plan struct {
	order
	history History
	event   Event
	now     time.Time
	random  float64
	actions []Action
	known   map[string]string // see coming
	charged bool              // the event's child is restarted, and the action that says so is not out yet
}

func (p *plan) on(e Event) {
	switch {
	case e.Kind == Ended:
		p.ended()
	case e.Kind == Removed:
		p.end(Action{Child: e.Child, Verb: Drop})
	case !p.declared(e.Child):
	default:
		p.onDeclared(e)
	}
}

func (p *plan) onDeclared(e Event) {
	switch e.Kind {
	case Needed:
		p.needed(e.Child)
	case Up:
		p.up()
	case Due:
		p.due(e.Child)
	case Slow:
		p.slow(e.Child)
	case Idle:
		p.idle(e.Child)
	case StopAsked:
		p.end(Action{Child: e.Child, Verb: Hold})
	case StartAsked:
		p.startAsked(e.Child)
	case RestartAsked:
		p.restartAsked(e.Child)
	case Changed:
		p.changed(e.Child)
	default:
	}
}

func (h History) clone() History {
	h.children, h.groups = maps.Clone(h.children), maps.Clone(h.groups)
	if h.children == nil {
		h.children, h.groups = map[string]*Record{}, map[string][]time.Time{}
	}
	return h
}

func (p *plan) child(id string) Record { return p.history.Child(id) }

func (p *plan) put(id string, rec Record) { p.history.children[id] = &rec }

// in returns the children that pass the test, in the order of their declaration; those that are declared no more are
// the last.
func (p *plan) in(test func(Record) bool) []string {
	var ids []string
	for id, rec := range p.history.children {
		if test(*rec) {
			ids = append(ids, id)
		}
	}
	slices.SortFunc(ids, p.compare)
	return ids
}

func (p *plan) emit(a Action) {
	if p.charged && a.Child == p.event.Child {
		a.Charged, p.charged = true, false
	}
	p.actions = append(p.actions, a)
}
