//go:build unix && !linux

package mcp

import (
	"os/exec"

	"golang.org/x/sys/unix"
)

// awaitExit reaps the process: there is no portable way here to wait without. The group is signalled right after; its
// id cannot be used again while a member lives, and hardly so soon when none does.
func awaitExit(cmd *exec.Cmd) { _ = cmd.Wait() }

func reap(*exec.Cmd) {}

func groupLives(pgid int) bool { return unix.Kill(-pgid, 0) != unix.ESRCH }
