//go:build unix

package mcp

import (
	"io/fs"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// ownGroup makes the command the leader of a session and process group of its own: no terminal, and the terminal's
// Ctrl-C does not reach it.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

const (
	sigTerm = unix.SIGTERM
	sigKill = unix.SIGKILL
)

// signalGroup signals every process of the group.
func signalGroup(cmd *exec.Cmd, sig syscall.Signal) { _ = unix.Kill(-cmd.Process.Pid, sig) }

func mayExecute(path string, _ fs.FileInfo) bool { return unix.Access(path, unix.X_OK) == nil }

func candidates(path string) []string { return []string{path} }
