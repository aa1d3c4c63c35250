package supervision

import "time"

// Verb is what to do with a child.
type Verb string

const (
	// None: nothing to do.
	None Verb = ""
	// Open: open a new incarnation now. Up or Ended follows.
	Open Verb = "open"
	// Await: it is to start and waits for its turn: for Because, or for a place (MaxStarts) when Because is empty. It is
	// said once per reason.
	Await Verb = "await"
	// Wait: it starts after Delay; send Due then.
	Wait Verb = "wait"
	// Rest: leave it stopped until it is needed.
	Rest Verb = "rest"
	// Hold: it is stopped by hand, and stays so until it is started by hand.
	Hold Verb = "hold"
	// Fail: it is given up. Send Due after Delay, and never when Delay is 0. Because names the member of its group that
	// failed; it is empty for a failure of its own.
	Fail Verb = "fail"
	// Close: stop the incarnation: let calls drain for at most its stop grace, then end it. Ended follows. Because names
	// the child for whose sake; it is empty for a stop by hand, for idleness and for a change of the specs.
	Close Verb = "close"
	// Drop: it is not declared any more, and gone: forget it.
	Drop Verb = "drop"
)

// Action is one thing to do. A delay is over, and its timer void, as soon as there is another action for the same child.
type Action struct {
	Child   string
	Verb    Verb
	Delay   time.Duration
	Because string // the id of another child, or empty
	// Charged marks the restart that counts against the budgets: the Open, Await or Wait that answers the child's own end.
	Charged bool
}

// Verdict is what a rule says about one child.
type Verdict struct {
	Verb  Verb // None, Open, Wait, Rest or Fail
	Delay time.Duration
}

// Restarts reports whether the child is started again, now or later.
func (v Verdict) Restarts() bool { return v.Verb == Open || v.Verb == Wait }
