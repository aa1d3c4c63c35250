package main

import (
	"context"
	"errors"
	"io/fs"
	"os"

	"github.com/mcp-supervisor/supervisor/governance/audit"
	"github.com/mcp-supervisor/supervisor/internal/owner"
)

// auditor reads the audit log of a workspace.
type auditor interface {
	Audit(ctx context.Context, f audit.Filter) ([]audit.Record, error)
	VerifyAudit(ctx context.Context) (audit.Report, error)
}

// archive is the log of a workspace without an owner, in its folder.
type archive string

func (dir archive) Audit(ctx context.Context, f audit.Filter) (records []audit.Record, err error) {
	if _, err := os.Stat(string(dir)); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	index, err := audit.OpenIndex(string(dir))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, index.Close()) }()
	if err := index.CatchUp(ctx); err != nil {
		return nil, err
	}
	return index.List(ctx, f)
}

func (dir archive) VerifyAudit(context.Context) (audit.Report, error) {
	if _, err := os.Stat(string(dir)); errors.Is(err, fs.ErrNotExist) {
		return audit.Report{}, nil
	}
	return audit.Verify(string(dir))
}

// withAudit runs fn with the workspace's audit log: through the owner, if there is one, or else with the folder while
// holding the owner's lock. No server is started.
func (a *app) withAudit(ctx context.Context, workspace string, fn func(context.Context, auditor) error) error {
	root, err := a.folder(workspace)
	if err != nil {
		return err
	}
	in := a.catch(ctx)
	defer in.release()
	state := owner.StateDir(root)
	err = search(in.soft, func() (*owner.HeldError, error) {
		lock, err := owner.Acquire(state)
		if err == nil {
			return nil, errors.Join(fn(in.soft, archive(owner.AuditDir(state))), lock.Release())
		}
		return asking(in.soft, err, func(ctx context.Context, api api) error { return fn(ctx, api) })
	})
	if err != nil && interrupted(in.soft) {
		return interruptedExit(err)
	}
	return err
}
