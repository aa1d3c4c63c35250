package mcp

import (
	"os/exec"

	"golang.org/x/sys/unix"
)

// awaitExit returns when the process has ended, and leaves it unreaped: as long as it is, its id and its group's are not
// given to anybody else.
func awaitExit(cmd *exec.Cmd) {
	var info unix.Siginfo
	for unix.Waitid(unix.P_PID, cmd.Process.Pid, &info, unix.WEXITED|unix.WNOWAIT, nil) == unix.EINTR {
	}
}

// reap takes the exit status of a process that has ended.
func reap(cmd *exec.Cmd) { await(cmd) }
