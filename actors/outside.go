package actors

import (
	"context"
	"fmt"

	"github.com/mcp-supervisor/supervisor/config"
	"github.com/mcp-supervisor/supervisor/governance"
	"github.com/mcp-supervisor/supervisor/governance/remote"
)

// outsideProvider is the provider that a workspace chose outside this process; nil when our own decides alone. Its
// secrets are resolved now: a reload resolves them anew.
func (e *env) outsideProvider(ctx context.Context, ws *config.Workspace) (*remote.Provider, error) {
	g := ws.Governance
	switch {
	case e.custom != nil:
		return nil, nil
	case g.Provider == config.GovernanceExec && g.Exec != nil:
		variables, err := e.expand(ctx, g.Exec.Env)
		if err != nil {
			return nil, fmt.Errorf("governance.exec.env: %w", err)
		}
		return remote.NewExec(remote.Exec{Command: g.Exec.Command, Env: variables, Dir: ws.Root, Timeout: g.Exec.Timeout, Log: e.log})
	case g.Provider == config.GovernanceHTTP && g.HTTP != nil:
		headers, err := e.expand(ctx, g.HTTP.Headers)
		if err != nil {
			return nil, fmt.Errorf("governance.http.headers: %w", err)
		}
		return remote.NewHTTP(remote.HTTP{URL: g.HTTP.Endpoint, Headers: headers, Timeout: g.HTTP.Timeout, Log: e.log})
	}
	return nil, nil
}

// second asks our own provider first and another one after it. Both have to allow a call: what grants, scopes, tiers and
// policies refuse, nobody outside can let through.
type second struct {
	*governance.Builtin
	outside governance.Provider
}

func (s second) EvaluateAction(ctx context.Context, a governance.Action) governance.Decision {
	ours := s.Builtin.EvaluateAction(ctx, a)
	if !ours.Allowed {
		return ours
	}
	theirs := s.outside.EvaluateAction(ctx, a)
	theirs.Via, theirs.Tier, theirs.Effect, theirs.ToolHash = ours.Via, ours.Tier, ours.Effect, ours.ToolHash
	theirs.ScopesGranted, theirs.PolicyVersion = ours.ScopesGranted, ours.PolicyVersion
	theirs.Redact = append(theirs.Redact[:len(theirs.Redact):len(theirs.Redact)], ours.Redact...)
	if theirs.Approve == nil {
		theirs.Approve = ours.Approve
	}
	return theirs
}

// VerifyIdentity believes whom both believe.
func (s second) VerifyIdentity(ctx context.Context, c governance.Credential) governance.Identity {
	if ours := s.Builtin.VerifyIdentity(ctx, c); !ours.Verified {
		return ours
	}
	return s.outside.VerifyIdentity(ctx, c)
}

func (s second) RecordEvent(ctx context.Context, e governance.Event) error {
	return s.outside.RecordEvent(ctx, e)
}

// TrustScore is the lower of the two.
func (s second) TrustScore(ctx context.Context, agent string) governance.Trust {
	ours, theirs := s.Builtin.TrustScore(ctx, agent), s.outside.TrustScore(ctx, agent)
	if theirs.Score < ours.Score {
		return theirs
	}
	return ours
}
