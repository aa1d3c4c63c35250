package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/mcp-supervisor/supervisor/control"
	"github.com/mcp-supervisor/supervisor/internal/owner"
)

// errNobody: a command that only an owner can carry out found none, and a short-lived one would make no sense.
var errNobody = errors.New("nobody runs this workspace")

// askOwner runs fn with the owner of the workspace in folder root, and never becomes it. fn is run again when it returns
// control.ErrNotSent, which says that nothing was done. fn's context ends at the first signal.
// Errors: errNobody when there is no owner.
func (a *app) askOwner(ctx context.Context, root string, fn func(context.Context, *control.Client) error) error {
	in := a.catch(ctx, endings())
	defer in.release()
	err := search(in.soft, func() (*owner.HeldError, error) {
		held, err := owner.Find(owner.StateDir(root))
		switch {
		case err != nil:
			return nil, readOnly(root, err)
		case held == nil:
			return nil, fmt.Errorf("%w; `supervisor serve%s` does", errNobody, a.given)
		}
		return asking(in.soft, held, fn)
	})
	if err != nil && interrupted(in.soft) {
		return interruptedExit(err)
	}
	return err
}
