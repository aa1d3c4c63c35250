// Package governance is the gate: it says whether an agent may make a call.
//
// # Purpose
//
// Every tool call of every agent becomes an [Action] and gets one [Decision] from a [Provider]. [Builtin] is the
// provider of a workspace; a host program may bring its own.
//
// # Purity
//
// A Builtin is an immutable snapshot: no actors, no clock, no I/O. Equal actions give equal decisions. Whoever runs a
// provider does it through [Evaluate], which makes a panic, a time-out or a senseless answer of it a no.
//
// # Order
//
// Builtin asks in a fixed order, and the first no wins: identity, kill switch, grant, server, scopes, tool, tier,
// arguments. Grant and scopes come before anything that tells what exists, so that an agent cannot find out by asking.
//
// # Concurrency
//
// Everything here is safe for concurrent use.
package governance
