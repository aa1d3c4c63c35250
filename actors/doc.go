// Package actors runs a workspace: it is the only code that knows protoactor-go, and the embedding API.
//
// # Usage
//
// [Start] takes a loaded workspace and gives a [Supervisor]: make governed calls with CallTool, run a topology of agents
// with Run, look at servers and tools, subscribe to events, and Stop. The package example shows it in twenty lines. There
// is no way here to a session that goes past the gate; package mcp, which has one, says so.
//
// # Actors
//
//	root                      spawns the rest, and takes it down in order
//	├ journal                 the only writer of the audit log
//	├ gate-0..N-1             decide on each call and send it on; sharded by agent
//	├ servers
//	│  └ <server>             the catalogue of one declared server
//	│     └ shared            its instance: state machine, queue, calls in flight, restart history
//	│        └ session-<n>    ONE incarnation: one process group or connection; replaced, never restarted
//	└ agents
//	   └ <run>                one run of a topology
//	      └ <agent>           one agent and, below it, those it delegates to
//
// A call goes agent, gate, journal (the intent is written), instance, session; the answer goes from the instance straight
// back to the caller, and the outcome to the journal.
//
// # Concurrency
//
// All methods of Supervisor are safe for concurrent use. Inside, each piece of state has one writer, its actor, and nothing
// blocks in a Receive: what may block runs in a goroutine and sends its end back as a message, stamped with the incarnation
// it belongs to. Calls of one agent are decided on in the order they were made, and those to one server are sent to it in
// that order. Timers only send messages.
//
// # Failure
//
// A server's end is a message, and package supervision decides what follows. A panic is a bug: it is recovered before
// protoactor sees it, everything the actor held is answered as internal, and its parent makes a new one within a budget.
// What is sent to an actor that is not there becomes a dead letter, and the dead letter gets an answer.
// Whatever happens, each call gets exactly one result, and leaves exactly one intent and one outcome in the audit.
//
// # Testing
//
// Timer-driven rules are tested in testing/synctest bubbles over a fake session, real processes in package mcp, and the
// whole under fire in test/chaos.
package actors
