package supervision

import "time"

// Spec is one supervised child (OTP: child spec).
type Spec struct {
	ID      string
	Restart Restart
	// DependsOn orders: these children come up before it and go down after it. It does not restart anybody; a [Group]
	// does. Ids that are not declared are ignored.
	DependsOn []string
	// Local: its start takes one of MaxStarts places, because it is a process of this machine.
	Local bool
}

// Strategy says who goes down and comes back with a member of a group that failed. The words and meanings are OTP's.
type Strategy string

const (
	// OneForOne: nobody; the members share the group's budget only.
	OneForOne Strategy = "one_for_one"
	// OneForAll: all other members.
	OneForAll Strategy = "one_for_all"
	// RestForOne: the members after it.
	RestForOne Strategy = "rest_for_one"
)

// Group is some children that share a budget and, by Strategy, their fate.
type Group struct {
	Name     string
	Strategy Strategy
	// Members are ids in start order; a child is in one group at most. In a one_for_all or rest_for_one group each member
	// comes up after the one before it, and goes down before it.
	Members []string
	// MaxRestarts (OTP: intensity) restarts of all members together are allowed within Within (OTP: period, a sliding
	// window); with one more, the member that needed it is failed.
	MaxRestarts int
	Within      time.Duration
}

// Specs is the whole set of children of one supervisor. It is a value; nothing here changes it.
type Specs struct {
	// Children are in the order of their declaration, which breaks ties.
	Children []Spec
	Groups   []Group
	// MaxStarts bounds the starts of Local children that run at the same time; 0 is no bound.
	MaxStarts int
}
