// Package chaos runs a workspace under load, hurts its servers, and says in numbers what became of it.
//
// # Usage
//
// [Run] takes a loaded workspace and gives a [Report]. It works on a copy of the value, with a state folder of its own: the
// workspace's audit log and its running owner, if there is one, are left alone. The servers are real, and so is what their
// tools do: only tools that say they read are called, unless the caller names others.
//
// # Structure
//
//	workspace   the copy: agents with real identities, the ledger server, a restart budget that the strikes cannot use up
//	tools       which tools are called, and with what
//	dice        what is struck, how and when: a pure sequence, equal for equal seeds
//	injector    carries it out, on processes of sessions that this run opened and on no others
//	load        agents that call, one call after the other, and follow retry hints
//	books       what was struck and what was answered: recoveries and bad news, in time
//	verdict     the invariants, from numbers alone
//
// # Concurrency
//
// A Run owns its goroutines and has ended them when it returns. Two at the same time in one process are not meant to be: each
// would count the processes, file descriptors and goroutines of the other.
package chaos
