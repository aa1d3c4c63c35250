// Package mcp owns one MCP server's process group and session.
//
// [Open] starts or connects to a server, shakes hands and lists its tools; the [Session] then answers calls until it
// ends, and says how it ended. A session is never restarted: whoever wants the server back opens a new one.
//
// # The ungated door
//
// A Session sends whatever it is asked to send. It knows no agents and no policies, and writes no audit. Programs that
// want every call decided and recorded go through the actors.
//
// # Processes
//
// A stdio server gets a session and process group of its own, and a cookie in its environment. Whatever ends the session,
// all that is in the group or the process session, or carries the cookie, is killed before the leader is reaped: neither
// launchers such as npx nor daemons that left the group stay behind, and a reused id is never signalled.
// [Session.Guarantee] says what holds on this system, and a [Guardian] makes it hold when this program is killed.
//
// # Two paths on one connection
//
// tools/call, tools/list and ping are written here, with ids of our own, and their answers are handed on undecoded: big
// integers, unknown content and unknown fields arrive as the server sent them. The SDK's client session does the rest on
// the same connection: the handshake and the answers to what a server asks.
//
// # Concurrency
//
// All methods of a Session are safe for concurrent use. A Call never waits for I/O. Callbacks run on the session's own
// goroutines: they must not block, and must not call Close or Kill.
//
// # Failure
//
// Junk from a server (log lines, broken JSON, odd bytes) is skipped, counted and warned of; one bad line never ends a
// session. What does end it: the process's exit, either pipe closed, a server that does not read, a flood of junk, an
// expired HTTP session. Then every pending call ends with an error, and [Session.Exit] is the post-mortem: both at once
// ([Session.Dead]), while the clearing up ([Session.Done]) takes some milliseconds more.
package mcp
