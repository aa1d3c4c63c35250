package owner

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"
)

// Find returns who owns the workspace whose state folder is stateDir; nil when nobody does. Unlike Acquire it owns
// nothing itself and creates nothing. An owner in its first microseconds, before it says who it is, is not found yet.
//
// An error means that nobody can tell, because the folder cannot be read.
func Find(stateDir string) (*HeldError, error) {
	dir, err := filepath.Abs(stateDir)
	if err != nil {
		return nil, fmt.Errorf("state folder %s: %w", stateDir, err)
	}
	path := filepath.Join(dir, lockName)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, fmt.Errorf("look for the workspace's owner: %w", err)
	}
	if found := held(dir); found.PID != 0 && isHeld(path) {
		return found, nil
	}
	return nil, nil
}

// isHeld tries a note's word: its process may be another one by now that was given the same number. The lock is taken
// for a moment only where nobody holds it, and shared, so that two who look do not see each other.
func isHeld(path string) bool {
	lock := flock.New(path, flock.SetFlag(os.O_RDONLY))
	free, err := lock.TryRLock()
	_ = lock.Close()
	return err == nil && !free
}
