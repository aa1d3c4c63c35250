// Package chaos runs package chaos over servers of several kinds: bare, behind wrappers, and on node where there is one.
// Every invariant must hold. Run it for longer with `make chaos`.
package chaos
