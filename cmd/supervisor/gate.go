package main

import (
	"context"
	"errors"

	"github.com/mcp-supervisor/supervisor/actors"
	"github.com/mcp-supervisor/supervisor/config"
	"github.com/mcp-supervisor/supervisor/control"
)

// atGate runs fn with the workspace's owner, which this process becomes when there is none: then no server is started,
// and alone is true. Files with faults do not keep anybody from an owner that is there; ws is nil then.
func (a *app) atGate(ctx context.Context, workspace string, fn func(ctx context.Context, g actors.Gatekeeper, ws *config.Workspace, alone bool) error) error {
	ws, faults := a.load(workspace)
	if faults == nil {
		return a.withAPI(ctx, ws, func(ctx context.Context, api api) error {
			_, alone := api.(local)
			return fn(ctx, api, ws, alone)
		})
	}
	root, err := a.folder(workspace)
	if err != nil {
		return err
	}
	err = a.askOwner(ctx, root, func(ctx context.Context, owner *control.Client) error { return fn(ctx, owner, nil, false) })
	if errors.Is(err, errNobody) {
		return faults
	}
	return err
}
