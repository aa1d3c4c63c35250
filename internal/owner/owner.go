package owner

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/gofrs/flock"
)

const (
	lockName   = "lock"
	ignoreName = ".gitignore"
)

// ErrHeld is what a *HeldError is: another process, or another Owner of this one, owns the workspace.
var ErrHeld = errors.New("the workspace has an owner already")

// HeldError is returned by Acquire when there is an owner. The caller talks to that owner through Socket.
type HeldError struct {
	// StateDir is the state folder that is owned.
	StateDir string
	// PID is the owner's process, or 0 when the owner has not said so yet.
	PID int
	// Socket is the path of the owner's control socket. It is empty while the owner is still starting, or stopping.
	Socket string
}

func (e *HeldError) Error() string {
	who := "another process"
	if e.PID != 0 {
		who = fmt.Sprintf("process %d", e.PID)
	}
	return fmt.Sprintf("%s is owned by %s", e.StateDir, who)
}

// Is makes errors.Is(err, ErrHeld) true.
func (e *HeldError) Is(target error) bool { return target == ErrHeld }

// Owner is the ownership of one workspace, from Acquire until Release or the end of the process.
type Owner struct {
	dir  string
	mu   sync.Mutex
	lock *flock.Flock
}

// Acquire makes the caller the owner of the workspace whose state folder is stateDir, and never waits.
//
// It creates stateDir (0700) with a .gitignore that covers all of it. If there is an owner the error is a *HeldError;
// any other error means that the folder or the lock file cannot be used.
func Acquire(stateDir string) (*Owner, error) {
	dir, err := filepath.Abs(stateDir)
	if err != nil {
		return nil, fmt.Errorf("state folder %s: %w", stateDir, err)
	}
	if err := prepare(dir); err != nil {
		return nil, err
	}
	lock := flock.New(filepath.Join(dir, lockName))
	taken, err := lock.TryLock()
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", lock.Path(), err)
	}
	if !taken {
		return nil, held(dir)
	}
	o := &Owner{dir: dir, lock: lock}
	// An empty socket replaces the note of an owner that was killed, before anybody can mistake it for ours.
	if err := o.Publish(""); err != nil {
		return nil, errors.Join(err, o.Release())
	}
	return o, nil
}

// Publish tells the other processes that the owner listens on socket. It replaces what was published before, in one
// step for readers. It is an error after Release.
func (o *Owner) Publish(socket string) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.lock == nil {
		return fmt.Errorf("publish the socket of %s: not the owner any more", o.dir)
	}
	return note{PID: os.Getpid(), Socket: socket}.write(o.dir)
}

// Release ends the ownership. The lock file stays, because a new one would be another lock. Calling it again does
// nothing.
func (o *Owner) Release() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.lock == nil {
		return nil
	}
	lock := o.lock
	o.lock = nil
	// The note goes first: after the unlock it may be the next owner's.
	err := os.Remove(filepath.Join(o.dir, noteName))
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return errors.Join(err, lock.Close())
}

func prepare(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("create the state folder: %w", err)
	}
	ignore, err := os.OpenFile(filepath.Join(dir, ignoreName), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("create the state folder: %w", err)
	}
	_, err = ignore.WriteString("*\n")
	return errors.Join(err, ignore.Close())
}

func held(dir string) *HeldError {
	n := readNote(dir)
	return &HeldError{StateDir: dir, PID: n.PID, Socket: n.Socket}
}
