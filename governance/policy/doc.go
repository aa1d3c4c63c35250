// Package policy decides about tool calls by policies written in Cedar.
//
// # Purpose
//
// [Load] makes a [Set] of policy files. The set answers a [Request] with a [Verdict]: whether the call is permitted, by
// which policy, whether a person has to approve it, and which arguments the audit must not hold. [Set.Explain] says why,
// [Set.Check] finds policies that name what does not exist, [Set.Run] runs the test cases of policy authors.
//
// # Meaning
//
// The agent is the principal, the tool is the resource, Action::"call_tool" is the only action, and the arguments of the
// call are context.arguments. A matching forbid wins, no matching permit is a no, and so is a policy that cannot be
// evaluated, whatever the others say: unlike Cedar's own authorizer, which skips it. docs/policies.md lists entities and
// attributes.
//
// # Purity
//
// No clock, no I/O, no state: equal requests to equal sets give equal verdicts. Files are read, and test cases are
// parsed, by others. Verdicts do not depend on the order of files, nor on the order of policies that have an id.
//
// # Concurrency
//
// A set is immutable; everything here is safe for concurrent use.
package policy
