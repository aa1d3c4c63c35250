package actors

import (
	"context"
	"errors"
	"fmt"

	"github.com/mcp-supervisor/supervisor/config"
	"github.com/mcp-supervisor/supervisor/governance"
	"github.com/mcp-supervisor/supervisor/governance/audit"
	"github.com/mcp-supervisor/supervisor/governance/pins"
	"github.com/mcp-supervisor/supervisor/governance/secrets"
	"github.com/mcp-supervisor/supervisor/internal/owner"
)

// state is the folder that one supervisor owns: the lock, the audit log and its index.
type state struct {
	dir    string
	frozen governance.Frozen // since before the start
	lock   *pins.Lock        // the approved tools
	owner  *owner.Owner
	log    *audit.Log
	index  *audit.Index
}

func openState(dir, lockFile string) (*state, error) {
	held, err := owner.Acquire(dir)
	if err != nil {
		return nil, fmt.Errorf("own %s: %w", dir, err)
	}
	s := &state{dir: dir, owner: held}
	if s.frozen, err = keptFrozen(dir); err != nil {
		return nil, errors.Join(err, s.close(nil))
	}
	if s.lock, err = readLock(lockFile); err != nil {
		return nil, errors.Join(err, s.close(nil))
	}
	folder := owner.AuditDir(dir)
	if s.index, err = audit.OpenIndex(folder); err != nil {
		return nil, errors.Join(fmt.Errorf("open the audit index: %w", err), s.close(nil))
	}
	if s.log, err = audit.Open(folder, audit.Options{Notify: s.index.Notify}); err != nil {
		return nil, errors.Join(fmt.Errorf("open the audit log: %w", err), s.close(nil))
	}
	return s, nil
}

// close lets go of the folder, after it wrote what found no journal. Mostly the journal has closed the log by then.
func (s *state) close(e *env) error {
	var errs []error
	if s.log != nil {
		if e != nil {
			errs = append(errs, e.writeLate(s.log))
		}
		errs = append(errs, s.log.Close())
	}
	if s.index != nil {
		errs = append(errs, s.index.Close())
	}
	return errors.Join(append(errs, s.owner.Release())...)
}

// Audit lists records of the audit log, those of calls that ended before it included.
func (s *Supervisor) Audit(ctx context.Context, f audit.Filter) ([]audit.Record, error) {
	if _, err := s.env.askSurely(ctx, s.env.journal, barrier{}); err != nil {
		return nil, err
	}
	if err := s.state.index.CatchUp(ctx); err != nil {
		return nil, err
	}
	return s.state.index.List(ctx, f)
}

// VerifyAudit checks the whole chain of the audit log.
func (s *Supervisor) VerifyAudit(ctx context.Context) (audit.Report, error) {
	if _, err := s.env.askSurely(ctx, s.env.journal, barrier{}); err != nil {
		return audit.Report{}, err
	}
	return audit.Verify(owner.AuditDir(s.state.dir))
}

func (e *env) record(r audit.Record) { e.send(e.journal, noted{Record: r}) }

// started is the first record of a supervisor: which workspace it runs, and what it declares.
func started(ws *config.Workspace) audit.Record {
	ids := make([]string, len(ws.Servers))
	for i, s := range ws.Servers {
		ids[i] = s.ID
	}
	return audit.Fact(audit.SupervisorStarted, map[string]any{"workspace": ws.ID, "servers": ids, "digest": ws.Digest})
}

func newKeeper(ws *config.Workspace, p secrets.Provider) *secrets.Keeper {
	if p == nil {
		p = secrets.Builtin(nil)
	}
	return secrets.NewKeeper(references(ws), p)
}

func references(ws *config.Workspace) []secrets.Reference {
	var refs []secrets.Reference
	for name, c := range ws.Credentials {
		refs = append(refs, secrets.Reference{Name: name, Source: c.Source, Config: c.Config})
	}
	return refs
}
