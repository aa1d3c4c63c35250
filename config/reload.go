package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// ErrNotLoaded is what Reload returns for a Workspace that was put together by the host program: there are no files to
// read again. A program that wants to reload one makes a new Workspace itself.
var ErrNotLoaded = errors.New("the workspace was not loaded from files, so there is nothing to load again")

// source is all that a load takes from outside. The zero source is that of a workspace that was not loaded.
type source struct {
	named string // as the user named it, for messages
	path  string // the same, absolute: a program may change its working directory between two loads
	// options have no unset fields.
	options Options
}

func newSource(path string, o Options) (s source, err error) {
	s = source{named: path, options: o}
	if s.path, err = filepath.Abs(path); err != nil {
		return s, err
	}
	if s.options.LookupEnv == nil {
		s.options.LookupEnv = os.LookupEnv
	}
	if s.options.Supervisor == "" {
		if s.options.Supervisor, err = os.Executable(); err != nil {
			return s, fmt.Errorf("path of the running binary: %w", err)
		}
	}
	return s, nil
}

// load is one load of the source.
func (s source) load() (*Workspace, error) {
	l, err := newLoader(s)
	if err != nil {
		return nil, Faults{{File: s.named, Message: err.Error()}}
	}
	l.load()
	if len(l.faults) > 0 {
		return nil, Faults(sorted(l.named(l.main, l.faults)))
	}
	l.ws.Warnings = sorted(l.named(l.main, l.warnings))
	l.ws.Files, l.ws.Digest = digest(l.files)
	return l.ws, nil
}

// Reload loads the same path with the same options again; the workspace itself stays as it is.
//
// Errors: as those of [Load], or [ErrNotLoaded]. Safe for concurrent use.
func (w *Workspace) Reload() (*Workspace, error) {
	if w.from.path == "" {
		return nil, ErrNotLoaded
	}
	return w.from.load()
}
