package main

import (
	"errors"
	"io/fs"
	"syscall"

	"github.com/mcp-supervisor/supervisor/internal/owner"
)

// unwritable reports whether an error says that we may not write there, or not even look.
func unwritable(err error) bool {
	return errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS)
}

// readOnly adds advice to the error of a command that could not use the state folder of the workspace in folder root.
func readOnly(root string, err error) error {
	var known *exit
	if !unwritable(err) || errors.As(err, &known) {
		return err
	}
	return usage("%w; lock and audit log are kept in %s: make it readable and writable for this user, or work in a copy of the workspace",
		err, owner.StateDir(root))
}
