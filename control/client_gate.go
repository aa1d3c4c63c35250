package control

import (
	"context"
	"net/http"

	"github.com/mcp-supervisor/supervisor/actors"
	"github.com/mcp-supervisor/supervisor/governance"
	"github.com/mcp-supervisor/supervisor/governance/approval"
)

// Approvals lists the calls that wait in the owner. Errors: also [ErrNotSent].
func (c *Client) Approvals(ctx context.Context) ([]approval.Pending, error) {
	var out []approval.Pending
	err := c.ask(ctx, http.MethodGet, pathApprovals, nil, &out)
	return out, err
}

// Answer answers one of them through the owner. Errors: also [ErrNotSent], and [ErrBroken] when the owner went away
// meanwhile; then the call was refused with it.
func (c *Client) Answer(ctx context.Context, a actors.ApprovalAnswer) (approval.Outcome, error) {
	return manage[approval.Outcome](ctx, c, pathAnswer, a)
}

// Freeze throws the owner's kill switch. Errors: also [ErrNotSent]; and [ErrBroken] when the owner went away meanwhile,
// and it is not known whether the freeze was kept.
func (c *Client) Freeze(ctx context.Context, f governance.Frozen) (governance.Frozen, error) {
	return c.turn(ctx, pathFreeze, f)
}

// Thaw takes back what was frozen. Errors: as for Freeze.
func (c *Client) Thaw(ctx context.Context, f governance.Frozen) (governance.Frozen, error) {
	return c.turn(ctx, pathThaw, f)
}

func (c *Client) turn(ctx context.Context, path string, f governance.Frozen) (governance.Frozen, error) {
	out, err := manage[frozenNow](ctx, c, path, f)
	if err == nil && out.Error != nil {
		err = out.Error.err()
	}
	return out.Frozen, err
}

// Frozen is what is frozen in the owner. Errors: also [ErrNotSent].
func (c *Client) Frozen(ctx context.Context) (governance.Frozen, error) {
	var out governance.Frozen
	err := c.ask(ctx, http.MethodGet, pathFrozen, nil, &out)
	return out, err
}

// ToolChanges lists the tools that are not as they were approved. Errors: also [ErrNotSent].
func (c *Client) ToolChanges(ctx context.Context) ([]actors.ToolChange, error) {
	var out []actors.ToolChange
	err := c.ask(ctx, http.MethodGet, pathChanges, nil, &out)
	return out, err
}

// ApproveTools approves tools through the owner. Errors: also [ErrNotSent], and [ErrBroken] when the owner went away
// meanwhile.
func (c *Client) ApproveTools(ctx context.Context, a actors.ToolApproval) ([]actors.ToolChange, error) {
	return manage[[]actors.ToolChange](ctx, c, pathApprove, a)
}

// Explain has the owner decide about a call that is not made. Errors: also [ErrNotSent].
func (c *Client) Explain(ctx context.Context, r actors.CallRequest) (actors.Explanation, error) {
	return manage[actors.Explanation](ctx, c, pathExplain, r)
}
