package control

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-supervisor/supervisor/actors"
	"github.com/mcp-supervisor/supervisor/governance"
	"github.com/mcp-supervisor/supervisor/governance/approval"
	"github.com/mcp-supervisor/supervisor/governance/policy"
	gov "github.com/mcp-supervisor/supervisor/governance/spec"
	"github.com/mcp-supervisor/supervisor/messages"
)

// gatekeeper is an actors.Gatekeeper that notes what it is asked and answers with what it holds.
type gatekeeper struct {
	asked    *any // nil: nobody looks
	waiting  []approval.Pending
	answered approval.Outcome
	frozen   governance.Frozen
	changes  []actors.ToolChange
	why      actors.Explanation
	err      error
}

func (g gatekeeper) note(v any) {
	if g.asked != nil {
		*g.asked = v
	}
}

func (g gatekeeper) Approvals(context.Context) ([]approval.Pending, error) { return g.waiting, g.err }

func (g gatekeeper) Answer(_ context.Context, a actors.ApprovalAnswer) (approval.Outcome, error) {
	g.note(a)
	return g.answered, g.err
}

func (g gatekeeper) Freeze(_ context.Context, f governance.Frozen) (governance.Frozen, error) {
	g.note(f)
	return g.frozen, g.err
}

func (g gatekeeper) Thaw(_ context.Context, f governance.Frozen) (governance.Frozen, error) {
	g.note(f)
	return g.frozen, g.err
}

func (g gatekeeper) Frozen(context.Context) (governance.Frozen, error) { return g.frozen, g.err }

func (g gatekeeper) ToolChanges(context.Context) ([]actors.ToolChange, error) {
	return g.changes, g.err
}

func (g gatekeeper) ApproveTools(_ context.Context, a actors.ToolApproval) ([]actors.ToolChange, error) {
	g.note(a)
	return g.changes, g.err
}

func (g gatekeeper) Explain(_ context.Context, r actors.CallRequest) (actors.Explanation, error) {
	g.note(r)
	return g.why, g.err
}

// what a gatekeeper can be asked: the same value goes in, and the same comes out, on both sides of the socket.
var (
	noon    = time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
	pending = approval.Pending{
		Request: approval.Request{
			Binding: approval.Binding{Topology: "t", Agent: "a", Server: "s", Tool: "drop", Digest: "d1", ToolHash: "h1", PolicyVersion: "v1"},
			CallID:  "c1", Run: "r1", Arguments: json.RawMessage(`{"n":12345678901234567890,"html":"<&>"}`),
			Reason: "it drops", Rule: "drops", Timeout: 5 * time.Minute, Remember: true,
		},
		ID: "k3f9", Asked: noon, Expires: noon.Add(5 * time.Minute),
	}
	answered = approval.Outcome{Pending: pending, Verdict: approval.Allow, By: "alice", Comment: "fine", Answered: noon.Add(time.Minute)}
	frozen   = governance.Frozen{All: true, Agents: []string{"t/a"}, Servers: []string{"s"}}
	changes  = []actors.ToolChange{{Server: "s", Tool: "drop", Kind: "changed", Text: `tool "drop" changed: description`, What: []string{"description"}}}
	why      = actors.Explanation{
		Outcome: messages.Denied, Rule: "no-drops", Reason: "nothing is dropped", Via: "skill", Tier: gov.Cautious, Effect: gov.Write,
		Approve: &governance.Approval{Rule: "x", Reason: "y"}, Redact: []string{"text"},
		Policies: &policy.Explanation{
			Verdict:  policy.Verdict{Rule: "no-drops", Reason: "nothing is dropped", Determining: []string{"no-drops"}},
			Policies: []policy.Considered{{Rule: "no-drops", Effect: "forbid", File: "a.cedar", Line: 3, Column: 1, State: policy.Matched}},
			Needed:   "no forbid may match",
		},
	}
)

func TestTheGateIsKeptThroughTheSocket(t *testing.T) {
	answer := actors.ApprovalAnswer{ID: "k3f9", Verdict: approval.Deny, By: "alice", Comment: "no"}
	approve := actors.ToolApproval{Server: "s", Tools: []string{"drop"}}
	call := actors.CallRequest{Agent: "t/a", Server: "s", Tool: "drop", Arguments: json.RawMessage(`{"n":1}`)}
	for name, c := range map[string]struct {
		ask      func(context.Context, *Client) (any, error)
		told     any
		answered any
	}{
		"approvals": {func(ctx context.Context, c *Client) (any, error) { return c.Approvals(ctx) }, nil, []approval.Pending{pending}},
		"answer":    {func(ctx context.Context, c *Client) (any, error) { return c.Answer(ctx, answer) }, answer, answered},
		"freeze":    {func(ctx context.Context, c *Client) (any, error) { return c.Freeze(ctx, frozen) }, frozen, frozen},
		"thaw":      {func(ctx context.Context, c *Client) (any, error) { return c.Thaw(ctx, frozen) }, frozen, frozen},
		"frozen":    {func(ctx context.Context, c *Client) (any, error) { return c.Frozen(ctx) }, nil, frozen},
		"changes":   {func(ctx context.Context, c *Client) (any, error) { return c.ToolChanges(ctx) }, nil, changes},
		"approve":   {func(ctx context.Context, c *Client) (any, error) { return c.ApproveTools(ctx, approve) }, approve, changes},
		"explain":   {func(ctx context.Context, c *Client) (any, error) { return c.Explain(ctx, call) }, call, why},
	} {
		t.Run(name, func(t *testing.T) {
			var told any
			keeper := gatekeeper{asked: &told, waiting: []approval.Pending{pending}, answered: answered, frozen: frozen, changes: changes, why: why}
			_, client := serve(t, owner{gatekeeper: keeper})
			got, err := c.ask(t.Context(), client)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.answered, got); diff != "" {
				t.Errorf("answer (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(c.told, told); diff != "" {
				t.Errorf("the owner was told (-want +got):\n%s", diff)
			}

			_, client = serve(t, owner{gatekeeper: gatekeeper{err: &actors.RunError{Outcome: messages.Invalid, Message: "no such thing"}}})
			_, err = c.ask(t.Context(), client)
			var run *actors.RunError
			if !errors.As(err, &run) || run.Outcome != messages.Invalid || run.Message != "no such thing" {
				t.Errorf("the owner's error came as %v", err)
			}

			if _, err := c.ask(t.Context(), newClient(filepath.Join(t.TempDir(), "s"))); !errors.Is(err, ErrNotSent) {
				t.Errorf("without an owner: %v, want ErrNotSent", err)
			}
		})
	}
}

func TestAFreezeThatIsNotKeptTellsWhatIsFrozenAllTheSame(t *testing.T) {
	_, c := serve(t, owner{gatekeeper: gatekeeper{frozen: frozen, err: errors.New("keep what is frozen: disk full")}})
	got, err := c.Freeze(t.Context(), frozen)
	if err == nil || err.Error() != "keep what is frozen: disk full" {
		t.Errorf("Freeze = %v, want the owner's error", err)
	}
	if diff := cmp.Diff(frozen, got); diff != "" {
		t.Errorf("frozen (-want +got):\n%s", diff)
	}
}

func TestAnAnswerOfAnOwnerThatDies(t *testing.T) {
	if _, err := newClient(answering(t, takeBody)).Answer(t.Context(), actors.ApprovalAnswer{ID: "k"}); !errors.Is(err, ErrBroken) {
		t.Errorf("Answer = %v, want ErrBroken", err)
	}
}
