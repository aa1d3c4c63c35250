// Package supervision decides what to start, restart and stop, when, and when to give up.
//
// It is pure: no actors, no clock, no I/O and no randomness of its own. The actors feed it events and carry its actions
// out; tables, properties and simulations drive the same code in tests. The words (permanent, transient, temporary,
// intensity, period, one_for_all, rest_for_one) are Erlang/OTP's.
//
// [Decide] is about a whole set of children: groups, dependencies, the order of starts and stops, and a cap on starts.
// [Restart.Next] is the rule for one child; Decide uses it, and whoever has but one child may use it alone.
//
// # What the caller owes
//
// Decide is told everything, in the order it happened. After Open follows at most one Up and then exactly one Ended,
// also where the incarnation is closed meanwhile; after Close follows Ended. After a Wait or a Fail with a delay follows
// one Due, unless another action for the child came first. With that, every child that is to start is opened in the end.
//
// # Concurrency
//
// All types are values, and Decide changes none it is given. One goroutine asks and keeps the newest [History]; any
// may read an older one. A decision takes time in proportion to the number of children: some hundred microseconds for
// a thousand.
//
// # Where we differ from OTP
//
// There is a back-off between restarts. A child that used up its budget, or its group's, is failed by itself, with those
// of its group that cannot do without it, instead of taking its supervisor down. Members that are restarted for another's
// sake are asked to finish what they do, and nothing is charged to them.
package supervision
