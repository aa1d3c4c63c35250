// Package chaos holds the chaos test: servers are killed with SIGKILL under load, and every invariant must hold.
// Run it with `make chaos`.
package chaos
