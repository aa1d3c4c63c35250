package actors

import (
	"context"
	"time"

	"github.com/mcp-supervisor/supervisor/governance"
	"github.com/mcp-supervisor/supervisor/governance/policy"
	gov "github.com/mcp-supervisor/supervisor/governance/spec"
	"github.com/mcp-supervisor/supervisor/messages"
)

// Explanation is the gate's decision about a call, with its reasons.
type Explanation struct {
	Allowed bool `json:"allowed"`
	// Outcome is what the call would end in when it is not allowed.
	Outcome messages.Outcome `json:"outcome,omitempty"`
	// Rule names what decided, and Reason is what the caller would read.
	Rule   string `json:"rule"`
	Reason string `json:"reason,omitempty"`
	// Via names the skill or grant, Tier and Effect what holds for the tool.
	Via    string     `json:"via,omitempty"`
	Tier   gov.Tier   `json:"tier,omitempty"`
	Effect gov.Effect `json:"effect,omitempty"`
	// ScopesGranted are the needed scopes that the agent holds, ScopesDenied those that it lacks.
	ScopesGranted []string `json:"scopes_granted,omitempty"`
	ScopesDenied  []string `json:"scopes_denied,omitempty"`
	// Approve is who is asked for what before the call is let through; nil for nobody.
	Approve *governance.Approval `json:"approve,omitempty"`
	Redact  []string             `json:"redact,omitempty"`
	// Policies is what the policies say; nil when they were not asked.
	Policies *policy.Explanation `json:"policies,omitempty"`
}

// Explain implements [Gatekeeper].
func (s *Supervisor) Explain(ctx context.Context, r CallRequest) (Explanation, error) {
	if err := s.checkServer(r.Server); err != nil {
		return Explanation{}, err
	}
	known, err := s.learn(ctx, r.Server)
	if err != nil {
		return Explanation{}, err
	}
	in := s.env.world.Load()
	topology, agent := caller(r.Agent)
	action := governance.Action{
		Topology: topology, Agent: agent, Server: r.Server, Tool: r.Tool, Arguments: r.Arguments,
		Catalogue: known.under(rulesIn(in.ws, r.Server)).Catalogue, Now: time.Now(),
	}
	if !in.pure() {
		return explained(overruled(in, action, governance.Evaluate(ctx, in.provider, action, in.patience())), nil), nil
	}
	d, why := in.builtin.Explain(action)
	return explained(d, why), nil
}

// overruled is what the gate makes of a provider's yes: it goes neither around the kill switch nor to a tool that is not
// exposed.
func overruled(in *world, a governance.Action, d governance.Decision) governance.Decision {
	c := messages.Call{Topology: a.Topology, Agent: a.Agent, Server: a.Server, Tool: a.Tool}
	word := d.Message()
	switch {
	case !d.Allowed:
		return d
	case frozenCall(in.frozen, c):
		word = frozenDecision(word, frozenText(in.frozen, c))
	case !exposes(a.Catalogue, a.Tool):
		word = unknown(word, noTool(c))
	default:
		return d
	}
	d.Allowed, d.Outcome, d.Rule, d.Reason, d.Approve = false, word.Outcome, word.Rule, word.Reason, nil
	return d
}

func explained(d governance.Decision, why *policy.Explanation) Explanation {
	return Explanation{
		Allowed: d.Allowed, Outcome: d.Outcome, Rule: d.Rule, Reason: d.Reason, Via: d.Via, Tier: d.Tier, Effect: d.Effect,
		ScopesGranted: d.ScopesGranted, ScopesDenied: d.ScopesDenied, Approve: d.Approve, Redact: d.Redact, Policies: why,
	}
}

// learn is what a server offers, after a start if need be.
func (s *Supervisor) learn(ctx context.Context, server string) (offer, error) {
	switch m := s.env.wantAll(ctx, []string{server}, "", want{})[server].(type) {
	case catalogueKnown:
		return m.offer, nil
	case startFailed:
		return offer{}, &RunError{Outcome: messages.Unavailable, Message: m.Error.Message, Exit: m.Error.Exit}
	}
	return offer{}, &RunError{Outcome: messages.Internal, Message: "internal error: no answer from the server's actor"}
}
