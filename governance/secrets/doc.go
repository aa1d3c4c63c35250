// Package secrets resolves credentials and keeps their values out of everything that is written down.
//
// A [Provider] finds values; a [Keeper] hands them out and remembers each one it has seen, so that [Keeper.Mask] can
// take it out of logs, status, audit and errors. Values live in memory only.
//
// # Limits of masking
//
// A value is found as it is, line by line, and in its JSON, query and path spellings; not when a program has changed
// it in another way (base64, hex, cut in two). Values and lines shorter than [MinMasked] bytes are left alone, since
// masking them would make ordinary text unreadable.
//
// # Concurrency
//
// Everything here is safe for concurrent use. Mask takes no lock.
package secrets
