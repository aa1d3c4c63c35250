// Package control lets the commands on one workspace share its one owner.
//
// # Purpose
//
// The process that holds a workspace's lock runs its servers. Every other command on the same workspace asks that owner
// over a Unix socket instead of starting the servers a second time: [Serve] answers, [Dial] asks. The wire is HTTP/1.1
// with JSON bodies, so that curl --unix-socket is enough to look at it.
//
// # Trust
//
// The socket has mode 0600, and on Linux each connection's peer must have our own user id. Whoever passes is the person
// at the keyboard: calls without an agent are the operator's. It is no way in for agents.
//
// # Concurrency
//
// [Server] and [Client] are safe for concurrent use. Each request has a connection of its own, and a connection that
// closes cancels its request: a command that is killed leaves no call running.
//
// # Failure
//
// A request's body is sent only after the owner asked for it (HTTP's Expect: 100-continue), so that it is always known
// whether the owner may have acted. A request that never got that far fails with [ErrNotSent] and may be sent to the
// next owner; a call that breaks later ends as lost, and its tool may have run.
package control
