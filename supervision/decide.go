package supervision

import (
	"math"
	"time"
)

// Kind is what happened to a child.
type Kind string

const (
	// Up: the child finished starting and serves.
	Up Kind = "up"
	// Ended: the child is gone, or never came up.
	Ended Kind = "ended"
	// Needed: a call needs a child that rests.
	Needed Kind = "needed"
)

// Event is one thing that happened to one child.
type Event struct {
	Kind Kind
	// Abnormal is true for an Ended that was not a clean, idle exit.
	Abnormal bool
	// Hopeless is true for an Ended that a new start cannot cure (command not found, not executable, protocol
	// mismatch): the child fails at once and is not probed.
	Hopeless bool
	// Denied is true for an Ended that waits for people elsewhere (a remote server wants other credentials): the child
	// fails at once and is tried again only after each Cooldown.
	Denied bool
	// NotBefore is the shortest delay of a restart, where the child asked for one.
	NotBefore time.Duration
}

// History is what a child's past decides about its future. It is a value: Decide returns a new one. The zero value is
// a child that never started.
type History struct {
	// Restarts holds the times of restarts inside the window, oldest first.
	Restarts []time.Time
	// Streak counts failures in a row, since the child was last up for ResetAfter.
	Streak int
	// UpSince is when the child came up; zero while it is not up.
	UpSince time.Time
	// Failed is true once the budget ran out, until the child is up again.
	Failed bool
}

// Used is how many restarts count against the budget at a time.
func (h History) Used(r Restart, now time.Time) int {
	return len(recent(h.Restarts, now.Add(-r.Within)))
}

// Verb is what to do with the child.
type Verb string

const (
	// None: nothing to do.
	None Verb = "none"
	// Start: start the child after Delay.
	Start Verb = "start"
	// Rest: leave the child stopped until it is needed.
	Rest Verb = "rest"
	// Fail: give the child up; probe it after Delay, or never when Delay is 0.
	Fail Verb = "fail"
)

// Action is a decision.
type Action struct {
	Verb  Verb
	Delay time.Duration
}

// Decide says what to do with a child after an event. random is in [0,1) and only lengthens a delay.
//
// It is pure: equal arguments give equal results, and h is not changed.
func Decide(r Restart, h History, e Event, now time.Time, random float64) (Action, History) {
	switch e.Kind {
	case Up:
		h.UpSince, h.Failed = now, false
		return Action{Verb: None}, h
	case Needed:
		return Action{Verb: Start}, h // the past counts: being needed is no reason to crash more often
	default:
		return ended(r, h, e, now, random)
	}
}

func ended(r Restart, h History, e Event, now time.Time, random float64) (Action, History) {
	if !h.UpSince.IsZero() && now.Sub(h.UpSince) >= r.ResetAfter {
		h.Streak = 0
	}
	h.UpSince = time.Time{}
	h.Restarts = recent(h.Restarts, now.Add(-r.Within))
	switch {
	case e.Hopeless:
		h.Failed = true
		return Action{Verb: Fail}, h
	case e.Denied:
		h.Failed = true
		return Action{Verb: Fail, Delay: r.Cooldown}, h
	case r.Mode == Temporary, r.Mode == Transient && !e.Abnormal:
		return Action{Verb: Rest}, h
	case h.Failed, len(h.Restarts) >= r.MaxRestarts:
		h.Failed = true
		return Action{Verb: Fail, Delay: r.Cooldown}, h
	}
	h.Streak++
	h.Restarts = append(h.Restarts, now)
	return Action{Verb: Start, Delay: max(r.Backoff.Delay(h.Streak, random), e.NotBefore)}, h
}

// recent returns a copy of the times after cut.
func recent(times []time.Time, cut time.Time) []time.Time {
	var kept []time.Time
	for _, t := range times {
		if t.After(cut) {
			kept = append(kept, t)
		}
	}
	return kept
}

// Delay returns how long to wait before restart number n of a streak (n ≥ 1).
//
// It is First for the first, then min(Min·Factor^(n-2), Max), lengthened by random·Jitter of itself. Before jitter it
// never decreases with n as long as First ≤ Min.
func (b Backoff) Delay(n int, random float64) time.Duration {
	delay := b.First
	if n > 1 {
		grown := float64(b.Min) * math.Pow(b.Factor, float64(n-2))
		delay = time.Duration(min(grown, float64(b.Max)))
	}
	return delay + time.Duration(float64(delay)*b.Jitter*random)
}
