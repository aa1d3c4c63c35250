package actors

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/mcp-supervisor/supervisor/config"
	"github.com/mcp-supervisor/supervisor/governance/pins"
)

// lockPath is where a workspace's approved tools are kept; "" when it has no folder.
func lockPath(ws *config.Workspace) string {
	if ws.Root == "" {
		return ""
	}
	return filepath.Join(ws.Root, pins.FileName)
}

// readLock reads the approved tools. No file is a lock of nothing; a file that cannot be read is an error, because to
// start without it would approve whatever the servers offer now.
func readLock(path string) (*pins.Lock, error) {
	if path == "" {
		return &pins.Lock{}, nil
	}
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return &pins.Lock{}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the approved tools: %w", err)
	}
	lock, err := pins.Parse(raw)
	var at *pins.ParseError
	switch {
	case errors.As(err, &at):
		return nil, fmt.Errorf("%s:%d: %s; %s", path, at.Line, at.What, at.Fix)
	case err != nil:
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return lock, nil
}

// writeLock replaces the file as a whole.
func writeLock(path string, lock *pins.Lock) error {
	if err := os.WriteFile(path+".next", lock.Encode(), 0o644); err != nil {
		return err
	}
	return os.Rename(path+".next", path)
}
