package mcp

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

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
func reap(cmd *exec.Cmd) { _ = cmd.Wait() }

// groupLives reports whether the group has a member that is not only waiting to be reaped: dead orphans are for process 1
// to reap, which may take its time.
func groupLives(pgid int) bool {
	if unix.Kill(-pgid, 0) == unix.ESRCH {
		return false
	}
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, file := range stats {
		stat, err := os.ReadFile(file)
		if err == nil && livesInGroup(stat, pgid) {
			return true
		}
	}
	return len(stats) == 0 // without /proc nobody knows
}

// livesInGroup reads one /proc/PID/stat: pid (name) state ppid pgrp ... A name may hold anything, brackets too.
func livesInGroup(stat []byte, pgid int) bool {
	var state string
	var ppid, group int
	_, _ = fmt.Sscan(string(stat[bytes.LastIndexByte(stat, ')')+1:]), &state, &ppid, &group)
	return group == pgid && state != "Z" && state != "X"
}
