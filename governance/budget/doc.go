// Package budget counts what agents spend: calls in a while ([Rates]), steps of a run ([Steps]) and money ([Cost]).
//
// # Purpose
//
// All three are asked before something is done, and say no rather than let it pass a limit. Whoever asked and then did
// not do it gives it back, where that is possible: Steps and Cost are reserved, a call that was taken from Rates is gone.
//
// # Concurrency
//
// Each value has one writer: the actor that holds it. Nothing reads a clock, times are arguments, and nothing is started.
// There are no floating-point numbers, so that sums are exact.
package budget
