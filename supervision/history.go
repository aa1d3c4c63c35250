package supervision

import "time"

// Phase is where a child is in its life.
type Phase string

const (
	// PhaseResting: stopped until it is needed. It is the zero value: nothing ever started.
	PhaseResting Phase = ""
	// PhaseWaiting: it is to start, and waits for its turn.
	PhaseWaiting Phase = "waiting"
	// PhaseDelayed: it is to start once the delay of a Wait is over.
	PhaseDelayed Phase = "delayed"
	// PhaseStarting: opened, and not up yet.
	PhaseStarting Phase = "starting"
	// PhaseUp: it serves.
	PhaseUp Phase = "up"
	// PhaseClosing: to be closed, and not gone yet. Until its Close is out it still serves.
	PhaseClosing Phase = "closing"
	// PhaseFailed: given up, until a probe, a hand, or the member that took it down comes up again.
	PhaseFailed Phase = "failed"
	// PhaseHeld: stopped by hand.
	PhaseHeld Phase = "held"
)

// String names the phase, the zero value too.
func (p Phase) String() string {
	if p == PhaseResting {
		return "resting"
	}
	return string(p)
}

// Record is what one child's past decides about its future, and where it is now. The zero value is a child that rests
// and never started.
type Record struct {
	Phase Phase
	// Restarts holds the times of charged restarts inside the window, oldest first.
	Restarts []time.Time
	// Streak counts failures in a row, since the child was last up for ResetAfter.
	Streak int
	// UpSince is when the incarnation came up; zero while there is none that is up.
	UpSince time.Time
	// Failed is true once the child was given up for its own failure, until it is up again.
	Failed bool
	// Because is the child it waits for, is closed for, or failed for; empty when there is none.
	Because string
	// Why is the event that a closing child is closed for: its Close may come later, when those that come after it are gone.
	Why Kind

	then Verb   // closing: what follows its end: Open, Rest, Hold, Fail or Drop
	told bool   // closing: Close is out; waiting: Await with Because is out
	slow bool   // starting: it gave its place back
	turn uint64 // waiting: the number of the event since when
}

// Follows is what comes after the end of a closing child: Open, Rest, Hold, Fail or Drop. It is None for every other.
func (r Record) Follows() Verb { return r.then }

// Used is how many restarts count against the budget at a time.
func (r Record) Used(rule Restart, now time.Time) int {
	return len(recent(r.Restarts, now.Add(-rule.Within)))
}

// rests reports whether it rests, or will once it is gone.
func (r Record) rests() bool {
	return r.Phase == PhaseResting || r.Phase == PhaseClosing && r.then == Rest
}

// comes reports whether it is on its way up.
func (r Record) comes() bool {
	switch r.Phase {
	case PhaseWaiting, PhaseDelayed, PhaseStarting:
		return true
	case PhaseClosing:
		return r.then == Open
	default:
		return false
	}
}

// runs reports whether it is up or on its way up.
func (r Record) runs() bool { return r.Phase == PhaseUp || r.comes() }

func (r Record) closing() bool { return r.Phase == PhaseClosing }

// History is what happened so far, as far as it matters. It is a value: Decide returns a new one and never changes one
// it was given, so that an old one may be kept and read at any time, by any goroutine. The zero value is a set of
// children that never started.
type History struct {
	children map[string]*Record     // of those that ever did something; what is pointed to never changes
	groups   map[string][]time.Time // charged restarts inside the window, oldest first, by the group's name
	events   uint64
}

// Child returns the record of a child, the zero one for a child that never did anything.
func (h History) Child(id string) Record {
	if rec, ok := h.children[id]; ok {
		return *rec
	}
	return Record{}
}

// Used is how many restarts count against a group's budget at a time.
func (h History) Used(g Group, now time.Time) int {
	return len(recent(h.groups[g.Name], now.Add(-g.Within)))
}
