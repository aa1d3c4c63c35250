// Package demoserver holds small, real MCP servers that are served over stdio from inside the supervisor's own binary,
// so that examples, benches and chaos runs need nothing else installed.
//
// # Usage
//
// [Serve] runs one of the servers that [Infos] lists until its input ends. A workspace starts one with the command
// ["${SUPERVISOR}", "demo-server", NAME, ARGS...].
//
// # Concurrency
//
// Calls of one session run at the same time. State that outlives a call is on disk: in a folder (files) or behind a file
// lock (counter), so that several processes may serve the same one.
//
// # Failure
//
// A tool that cannot do what it was asked answers with an isError result that says why; arguments that break its schema
// do too. Only server flaky ends its process on purpose.
//
// # Testing
//
// Well-behaved servers are driven by the SDK's client over pipes. What ends a process is tested in a process: the test
// binary starts itself again.
package demoserver
