package supervision

import "time"

// Kind is what happened to a child, or what was asked of it.
type Kind string

const (
	// Needed: a call needs a child that rests. To others it means nothing.
	Needed Kind = "needed"
	// Up: the child finished starting and serves.
	Up Kind = "up"
	// Ended: the incarnation is gone, or never came up.
	Ended Kind = "ended"
	// Due: the delay of the last Wait or Fail is over.
	Due Kind = "due"
	// Slow: the start takes long and gives its place (MaxStarts) back, because it waits for something else than this
	// machine.
	Slow Kind = "slow"
	// Idle: the child was not used for as long as it may be idle. It is ignored while another child needs this one, so
	// it is to be told again while it stays true.
	Idle Kind = "idle"
	// StopAsked: stop it by hand; it stays stopped.
	StopAsked Kind = "stop asked"
	// StartAsked: start it by hand; its past is forgotten.
	StartAsked Kind = "start asked"
	// RestartAsked: stop and start it by hand; its past is forgotten.
	RestartAsked Kind = "restart asked"
	// Changed: its spec was replaced by another one. Decide gets the new one already.
	Changed Kind = "changed"
	// Removed: it is not declared any more. Decide gets specs without it already.
	Removed Kind = "removed"
)

// Event is one thing that happened to one child.
type Event struct {
	Child string
	Kind  Kind
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
