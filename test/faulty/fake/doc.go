// Package fake is an MCP server over stdio or HTTP that misbehaves in one or more ways, each of which somebody has met in a real
// server.
//
// # Usage
//
//	go run ./test/faulty --mode crash-after-n --n 2
//	go run ./test/faulty --http :0 --mode session-404 --n 1
//	go run ./test/faulty --list
//
// Modes combine: --mode ignore-eof,ignore-sigterm. Without a mode it behaves well. A test binary can be the server as
// well: it calls [Main] from TestMain when an environment variable says so. Over HTTP it can run inside a test: [Listen].
//
// # Shape
//
// It speaks JSON-RPC by hand, because it has to be wrong to the byte. A [mode] is a set of hooks around a well-behaved
// server; the hooks of several modes nest in the order they are named in. The server handles one message at a time, and
// only what has to wait for something, with the hooks inside it, runs beside that: so the order of what it does is the
// order of what it was sent.
//
// All modes are one table (catalogue). Over HTTP each request is an exchange, around which modes have hooks of their own;
// inside it a message takes the same way as over stdio, so that most modes work over both.
//
// # Failure
//
// A panic in it is a bug: it is printed and ends the process with code 70.
package fake
