package owner

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

const noteName = "owner.json"

// note is what an owner tells about itself. It is a file of its own, replaced by rename: the lock file must stay the
// same inode for ever.
type note struct {
	PID    int    `json:"pid"`
	Socket string `json:"socket"`
}

// write replaces the note in dir. Only the owner calls it, so that the temporary name needs no randomness.
func (n note) write(dir string) error {
	data, err := json.Marshal(n)
	if err != nil {
		return fmt.Errorf("publish the owner: %w", err)
	}
	path := filepath.Join(dir, noteName)
	if err := os.WriteFile(path+".tmp", append(data, '\n'), 0o600); err != nil {
		return fmt.Errorf("publish the owner: %w", err)
	}
	if err := os.Rename(path+".tmp", path); err != nil {
		return fmt.Errorf("publish the owner: %w", err)
	}
	return nil
}

// readNote returns the note in dir, or an empty one when there is none that a living process could have written.
func readNote(dir string) note {
	data, err := os.ReadFile(filepath.Join(dir, noteName))
	if err != nil {
		return note{}
	}
	var n note
	if err := json.Unmarshal(data, &n); err != nil || !alive(n.PID) {
		return note{}
	}
	return n
}

func alive(pid int) bool {
	if pid <= 0 {
		return false // kill would take it for a process group
	}
	err := unix.Kill(pid, 0)
	return err == nil || errors.Is(err, unix.EPERM)
}
