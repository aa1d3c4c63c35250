package policy

import (
	"encoding/json"
	"time"

	"github.com/mcp-supervisor/supervisor/governance/spec"
	mcpspec "github.com/mcp-supervisor/supervisor/mcp/spec"
)

// Request is one call that is to be decided.
type Request struct {
	Agent Agent
	// Server is the server's id and Tool the tool's original name.
	Server, Tool         string
	ServerTags, ToolTags []string
	// Effect is what the tool does; empty means write.
	Effect spec.Effect
	// Annotations are the tool's hints.
	Annotations mcpspec.Annotations
	// Arguments is a JSON object, or nil for none.
	Arguments json.RawMessage
	// Run and TraceParent name the run and the W3C trace the call belongs to; may be empty.
	Run, TraceParent string
	Now              time.Time
	// Tier is the tool's permission tier; empty means cautious.
	Tier   spec.Tier
	Counts Counts
	// Implicit is true when a permit is implied, as for a read on a cautious server: only forbids, approvals, redactions
	// and errors matter then.
	Implicit bool
}

// Agent is who calls.
type Agent struct {
	Topology, ID string
	// Role is root, leader or worker; may be empty.
	Role   string
	Groups []string
	// Trust is from 0 (not at all) to 1 (fully).
	Trust float64
	// Operator is true for the person at the keyboard; topology, id and role do not matter then.
	Operator bool
}

// Counts are calls before this one.
type Counts struct {
	// Agent counts the calls of this agent in its run, Run those of all agents of the run, and Denied those of this
	// agent in its run that were denied.
	Agent, Run, Denied int64
}

// Verdict is the policies' word on a call. The zero value is a no without a rule.
type Verdict struct {
	Allowed bool `json:"allowed"`
	// Rule names what decided: a policy by its @id, else by "file.cedar#n" (n counts from 1), or one of the Rule
	// constants. Of several policies the first by name counts; of forbids one with a reason before one without, of permits
	// one that asks for an approval before one that does not.
	Rule string `json:"rule"`
	// Reason is a sentence for the caller of a refused call; empty when it is allowed. It is the forbid's @reason, or else
	// [NotPermitted].
	Reason string `json:"reason,omitempty"`
	// Approve is not nil when the call may go ahead only after a person has approved it. It is nil when it is refused.
	Approve *Approval `json:"approve,omitempty"`
	// Redact lists paths into the arguments that must be kept out of records, sorted, without "$.": names with dots
	// between them. A step into an array means each of its elements.
	Redact []string `json:"redact,omitempty"`
	// Diagnostic is what went wrong, for logs and the audit. It never goes to the caller.
	Diagnostic string `json:"diagnostic,omitempty"`
	// Determining are the names of all policies that led to the verdict, sorted: the forbids that match, else those that
	// could not be evaluated, else the permits that match.
	Determining []string `json:"determining,omitempty"`
}

// Approval is a permit's wish that a person looks at the call first.
type Approval struct {
	// Rule names the permit, Reason is its @approve.
	Rule   string `json:"rule"`
	Reason string `json:"reason"`
}

// Rules of verdicts that no single policy made.
const (
	// RuleDefaultDeny: no policy permits the call.
	RuleDefaultDeny = "policy:default-deny"
	// RuleError: a policy, or the arguments that it looks at, could not be evaluated.
	RuleError = "policy:error"
	// RuleImplicit: no policy says anything, and a permit is implied.
	RuleImplicit = "policy:implicit"
)

// NotPermitted is what callers read when no policy has a reason for them. It is one sentence for no permit, a forbid and
// an error alike, so that a prober cannot tell them apart.
const NotPermitted = "the call is not permitted; go on without it, or ask the operator to permit it in the policies"
