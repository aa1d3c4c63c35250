package governance

import (
	"context"
	"encoding/json"
	"time"

	"github.com/mcp-supervisor/supervisor/governance/spec"
	"github.com/mcp-supervisor/supervisor/messages"
)

// Provider governs agents. Its methods are safe for concurrent use.
type Provider interface {
	// EvaluateAction decides about one action. It has no error: what a provider cannot decide is a no.
	// It returns soon after ctx ends.
	EvaluateAction(ctx context.Context, a Action) Decision
	// VerifyIdentity says who the holder of a credential is.
	VerifyIdentity(ctx context.Context, c Credential) Identity
	// RecordEvent tells the provider what happened. The journal calls it in order and off the path of a call; an error
	// is reported and changes nothing else.
	RecordEvent(ctx context.Context, e Event) error
	// TrustScore says how far an agent, by "id" or "topology/id", is trusted.
	TrustScore(ctx context.Context, agentID string) Trust
}

// Action is what an agent wants to do: call one tool.
type Action struct {
	// Topology is where the agent is declared. Empty is enough when its id is declared once, and for the operator.
	Topology string
	Agent    string
	Run      string // empty outside a run
	// Server and Tool are the server's id and the tool's original name.
	Server string
	Tool   string
	// ScopesRequired are needed beside those that the grant asks for.
	ScopesRequired []string
	// Arguments is a JSON object, or nil for none.
	Arguments json.RawMessage
	// Catalogue holds the server's tools; nil while they are not known.
	Catalogue *Catalogue
	// Context is what else policies may look at.
	Context map[string]any
	// Counts are the calls of the run so far.
	Counts Counts
	Now    time.Time
}

// Counts are calls of one run before the one that is decided: those of the agent, those of all its agents, and those of
// the agent that were denied. All are 0 outside a run.
type Counts struct{ Agent, Run, Denied int64 }

// Name is the action's name in policies and in the audit: mcp:call:<server>:<tool>.
func (a Action) Name() string { return "mcp:call:" + a.Server + ":" + a.Tool }

// Decision is a provider's word on one action. Its zero value is a no without an outcome, which [Evaluate] makes denied.
type Decision struct {
	Allowed bool
	// NeedsCatalogue is true when all that can be decided without the server's tools was a yes: learn them and ask
	// again. Allowed is false then, and Outcome is empty.
	NeedsCatalogue bool
	// Outcome is what a refused call ends in: messages.Denied or messages.Invalid.
	Outcome messages.Outcome
	// Rule names what decided. It goes into the audit, never to the caller.
	Rule string
	// Reason is a sentence for the caller that says what to do.
	Reason string
	// Diagnostic is what went wrong inside a provider, for the log. It never goes to the caller.
	Diagnostic string
	Tier       spec.Tier
	Effect     spec.Effect
	// Via names the skill or grant that was used.
	Via           string
	ScopesGranted []string
	ScopesDenied  []string
	// ToolHash is the hash of the tool as it was when decided; see [Tool].
	ToolHash string
	// PolicyVersion names the policies that decided; empty when there are none.
	PolicyVersion string
	// Approve asks for a person's yes before an allowed call is let through; nil when none is needed.
	Approve *Approval
	// Redact are JSONPaths into the arguments of what only the server may see: not the audit, nor who approves.
	Redact []string
}

// Approval is why a person has to be asked.
type Approval struct {
	// Rule names what asks, for the audit; Reason is the sentence that the person reads.
	Rule   string `json:"rule"`
	Reason string `json:"reason"`
}

// Message is the decision as it crosses actors.
func (d Decision) Message() messages.Decision {
	return messages.Decision{
		Allowed:  d.Allowed,
		Outcome:  d.Outcome,
		Rule:     d.Rule,
		Reason:   d.Reason,
		Via:      d.Via,
		ToolHash: d.ToolHash,
	}
}

// Credential is what somebody shows to prove who they are.
type Credential struct {
	Topology string
	Agent    string
	// Type is the kind of proof, such as "ed25519" or "bearer"; empty for a caller inside the process.
	Type  string
	Value string
}

// Identity is who a credential belongs to.
type Identity struct {
	Verified bool
	Topology string
	Agent    string
	Role     string
	// Reason says why it is not verified.
	Reason string
}

// Event is one past fact that a provider may learn from. Fields that do not apply are zero.
type Event struct {
	// Type is the event's name in the audit, such as "policy.denied" or "tool.called".
	Type     string
	Time     time.Time
	Topology string
	Agent    string
	Run      string
	Server   string
	Tool     string
	CallID   string
	Outcome  messages.Outcome
	Rule     string
	Reason   string
}

// Trust is how far an agent is trusted.
type Trust struct {
	Score float64 // 0 (not at all) to 1 (fully)
	Tier  TrustTier
}

// TrustTier is a coarse trust score.
type TrustTier string

const (
	Trusted   TrustTier = "trusted"
	Degraded  TrustTier = "degraded"
	Untrusted TrustTier = "untrusted"
)
