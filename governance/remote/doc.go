// Package remote asks a governance provider outside the process: a command ([NewExec]) or a web service ([NewHTTP]).
//
// # Purpose
//
// Both speak one small JSON contract, docs/governance-provider.md: one request, one answer.
//
// # Failure
//
// It fails closed. Whatever is not a clean answer is a no: an error, a time-out, more output than 64 KiB, another
// version, a field that is not known (it might be an obligation), a key that is there twice. The decision's rule is
// governance.RuleProvider then, its reason tells the caller nothing, and its diagnostic holds the error.
//
// # Concurrency
//
// A [Provider] is safe for concurrent use. Requests of one command run side by side, at most 16 of them.
package remote
