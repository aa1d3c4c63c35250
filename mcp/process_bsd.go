//go:build unix && !linux

package mcp

import (
	"errors"
	"os/exec"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/mcp-supervisor/supervisor/mcp/spec"
)

// awaitExit reaps the process: there is no portable way here to wait without. The group is signalled right after; its
// id cannot be used again while a member lives, and hardly so soon when none does.
func awaitExit(cmd *exec.Cmd) spec.Exit {
	await(cmd)
	return postMortem(cmd)
}

// postMortem reads how the process ended.
func postMortem(cmd *exec.Cmd) spec.Exit {
	exit := spec.Exit{Code: -1}
	if cmd.ProcessState == nil {
		return exit
	}
	status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus)
	switch {
	case ok && status.Signaled():
		exit.Signal = unix.SignalName(status.Signal())
	case ok && status.Exited():
		exit.Code = status.ExitStatus()
	}
	return exit
}

func reap(*exec.Cmd) {}

// groupTime bounds the wait for killed members of a group to be gone; the kernel needs a moment for each.
const groupTime = 250 * time.Millisecond

// awaitGroup waits until a killed group has no member left, and reports whether that came to be. It only looks, so that
// it does no harm if the id is used again meanwhile.
func awaitGroup(pgid int) bool {
	for wait := time.Millisecond; ; wait *= 2 {
		if errors.Is(unix.Kill(-pgid, 0), unix.ESRCH) {
			return true
		}
		if wait > groupTime {
			return false
		}
		time.Sleep(wait)
	}
}
