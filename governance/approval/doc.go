// Package approval is the book of calls that wait for a person's yes.
//
// # Purpose
//
// The gate asks ([Book.Ask]), a person answers ([Book.Answer]), time runs out ([Book.Expire]), the caller gives up
// ([Book.Withdraw]) or the supervisor stops ([Book.Refuse]). Each call that was asked about leaves the book exactly once,
// and only an answer of allow makes it a yes.
//
// # What an approval is worth
//
// It is for one call, and bound to what the person saw: agent, server, tool, arguments, the tool's hash and the version
// of the policies ([Binding]). Between question and answer a tool or a policy may change, so whoever lets the call
// go on checks with [Outcome.Covers]. Where a rule says `remember: run`, a yes also holds for later calls of the same
// run with the same binding ([Book.Recall]); it ends with the run ([Book.Forget]).
//
// # Concurrency
//
// A Book has one writer: the actor that holds it. It reads no clock, times are arguments, and it starts nothing.
//
// # Memory
//
// Pending calls are bounded by [MaxPending], ended ones that are still known by their id by a smaller number, and
// remembered answers by the answers that people gave in runs that still go on.
package approval
