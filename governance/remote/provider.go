package remote

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"time"

	"github.com/mcp-supervisor/supervisor/governance"
	"github.com/mcp-supervisor/supervisor/messages"
)

const (
	// DefaultTimeout bounds one request when nothing else is said. Every call of an agent waits for it.
	DefaultTimeout = 5 * time.Second
	// maxAnswer bounds an answer, in bytes.
	maxAnswer = 64 << 10
	// unnamed is the rule of an answer that names none; governance.RuleProvider means that there was no answer.
	unnamed = governance.RuleProvider + ":unnamed"
)

// Provider is a governance provider outside the process. Make it with [NewExec] or [NewHTTP].
type Provider struct {
	// send carries one request there and the answer back. It returns soon after ctx ends.
	send    func(ctx context.Context, request []byte) (answer []byte, err error)
	release func()
	timeout time.Duration
	log     *slog.Logger
}

var _ governance.Provider = (*Provider)(nil)

func newProvider(timeout time.Duration, log *slog.Logger) *Provider {
	if timeout <= 0 {
		timeout = DefaultTimeout
	}
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	return &Provider{timeout: timeout, log: log, release: func() {}}
}

// Close gives up connections that are kept for later requests. Requests under way go on, and new ones still work.
func (p *Provider) Close() { p.release() }

// EvaluateAction asks for a decision. A yes is one only for a tool that the server exposes: while its tools are not
// known the decision needs the catalogue, and a tool that is not in it is invalid.
func (p *Provider) EvaluateAction(ctx context.Context, a governance.Action) governance.Decision {
	tool, known := find(a)
	raw, err := p.ask(ctx, request{Method: evaluateAction, Action: actionOf(a, tool)})
	if err != nil {
		return failed(err)
	}
	d, err := decision(raw)
	switch {
	case err != nil:
		return failed(err)
	case !d.Allowed:
		return d
	case !known:
		return governance.Decision{NeedsCatalogue: true, Rule: d.Rule}
	case tool == nil:
		return governance.Decision{Outcome: messages.Invalid, Rule: "tool", Reason: "there is no such tool; list the tools of the server"}
	}
	d.ToolHash, d.Effect = tool.Hash, tool.Effect
	return d
}

// find returns the action's tool, nil when there is none; known is false while nobody knows.
func find(a governance.Action) (tool *governance.Tool, known bool) {
	if a.Catalogue == nil {
		return nil, false
	}
	if t, ok := a.Catalogue.Find(a.Tool); ok {
		return &t, true
	}
	return nil, true
}

// decision reads the answer to evaluate_action.
func decision(raw []byte) (governance.Decision, error) {
	a := read(raw, "allowed", "reason", "rule", "approve", "redact")
	d := governance.Decision{
		Allowed: a.flag("allowed"),
		Rule:    cmp.Or(a.text("rule"), unnamed),
		Reason:  a.text("reason"),
		Redact:  a.paths("redact"),
	}
	approve := a.approval("approve")
	if a.err != nil {
		return governance.Decision{}, a.err
	}
	switch {
	case !d.Allowed:
		d.Outcome = messages.Denied
		d.Reason = cmp.Or(d.Reason, "the governance provider does not allow it")
	case approve != "":
		d.Approve = &governance.Approval{Rule: d.Rule, Reason: approve}
	}
	return d, nil
}

// failed is the decision that could not be had.
func failed(err error) governance.Decision {
	return governance.Decision{
		Outcome:    messages.Denied,
		Rule:       governance.RuleProvider,
		Reason:     "the call could not be checked and is refused; the supervisor's log says why",
		Diagnostic: err.Error(),
	}
}

// VerifyIdentity asks who a credential belongs to. Whoever could not be asked about is not verified; the log says why.
func (p *Provider) VerifyIdentity(ctx context.Context, c governance.Credential) governance.Identity {
	raw, err := p.ask(ctx, request{Method: verifyIdentity, Credential: &credential{c.Topology, c.Agent, c.Type, c.Value}})
	if err == nil {
		var id governance.Identity
		if id, err = identity(raw); err == nil {
			return id
		}
	}
	p.log.Error("governance provider", "method", verifyIdentity, "error", err)
	return governance.Identity{Topology: c.Topology, Agent: c.Agent, Reason: "the identity could not be checked; the supervisor's log says why"}
}

func identity(raw []byte) (governance.Identity, error) {
	a := read(raw, "verified", "topology", "agent", "role", "reason")
	id := governance.Identity{
		Verified: a.flag("verified"), Topology: a.text("topology"), Agent: a.text("agent"), Role: a.text("role"), Reason: a.text("reason"),
	}
	if id.Verified && id.Agent == "" {
		a.fail("the answer verifies nobody: agent is missing")
	}
	return id, a.err
}

// RecordEvent tells what happened.
func (p *Provider) RecordEvent(ctx context.Context, e governance.Event) error {
	raw, err := p.ask(ctx, request{Method: recordEvent, Event: eventOf(e)})
	if err == nil {
		err = read(raw).err
	}
	if err != nil {
		return fmt.Errorf("governance provider: %s: %w", recordEvent, err)
	}
	return nil
}

// TrustScore asks how far an agent is trusted. Whoever could not be asked about is not; the log says why.
func (p *Provider) TrustScore(ctx context.Context, agentID string) governance.Trust {
	raw, err := p.ask(ctx, request{Method: trustScore, Agent: agentID})
	if err == nil {
		var t governance.Trust
		if t, err = trust(raw); err == nil {
			return t
		}
	}
	p.log.Error("governance provider", "method", trustScore, "error", err)
	return governance.Trust{Tier: governance.Untrusted}
}

func trust(raw []byte) (governance.Trust, error) {
	a := read(raw, "score", "tier")
	t := governance.Trust{Score: a.fraction("score"), Tier: governance.TrustTier(a.text("tier"))}
	switch t.Tier {
	case governance.Trusted, governance.Degraded, governance.Untrusted:
	default:
		a.fail("the answer's tier must be trusted, degraded or untrusted")
	}
	return t, a.err
}

// ask sends one request within the provider's time-out.
func (p *Provider) ask(ctx context.Context, r request) ([]byte, error) {
	r.Version = version
	raw, err := json.Marshal(r)
	if err != nil {
		return nil, fmt.Errorf("write the request: %w", err)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, p.timeout, fmt.Errorf("no answer within %v", p.timeout))
	defer cancel()
	out, err := p.send(ctx, raw)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return out, err
}
