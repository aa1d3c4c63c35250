package main

import (
	"context"
	"errors"
	"io/fs"
	"os"

	"github.com/mcp-supervisor/supervisor/control"
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
	if !dir.exists() {
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
	if !dir.exists() {
		return audit.Report{Problems: []audit.Problem{}, Unfinished: []string{}}, nil
	}
	return audit.Verify(string(dir))
}

// exists reports whether there is a log, or something in its place that a look at it will tell of.
func (dir archive) exists() bool {
	_, err := os.Stat(string(dir))
	return !errors.Is(err, fs.ErrNotExist)
}

// sealed is the log in a folder that we may only read. It can be checked; a search would have to write its index there.
type sealed struct {
	archive
	why error
}

func (s sealed) Audit(context.Context, audit.Filter) ([]audit.Record, error) { return nil, s.why }

// withAudit runs fn with the workspace's audit log: through the owner, if there is one, or else with the folder while
// holding the owner's lock. No server is started, and nothing is written where there is no log.
func (a *app) withAudit(ctx context.Context, workspace string, fn func(context.Context, auditor) error) error {
	root, err := a.folder(workspace)
	if err != nil {
		return err
	}
	state := owner.StateDir(root)
	log := archive(owner.AuditDir(state))
	if !log.exists() {
		a.say("there is no audit yet")
		return fn(ctx, log)
	}
	in := a.catch(ctx, endings())
	defer in.release()
	err = search(in.soft, func() (*owner.HeldError, error) {
		lock, err := owner.Acquire(state)
		if err == nil {
			return nil, errors.Join(fn(in.soft, log), lock.Release())
		}
		if unwritable(err) { // and nobody holds the lock, as far as we can see
			return nil, readOnly(root, fn(in.soft, sealed{log, readOnly(root, err)}))
		}
		return asking(in.soft, err, func(ctx context.Context, c *control.Client) error { return fn(ctx, c) })
	})
	if err != nil && interrupted(in.soft) {
		return interruptedExit(err)
	}
	return err
}
