// Package exact reads JSON where two readings of one text would be a hole: approvals that are bound to arguments, lock
// files, and the answers of providers outside the process.
//
// encoding/json lets the last of two equal keys win, matches keys without regard to case, and turns every broken
// character into the same U+FFFD. Each of these lets one text mean two things; here they are refused, or left to the
// caller to see.
//
// # Concurrency
//
// Functions only; they keep nothing and are safe for concurrent use.
package exact
