//go:build unix

package mcp

import (
	"io/fs"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/mcp-supervisor/supervisor/mcp/spec"
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

func mayExecute(path string, _ fs.FileInfo) bool { return unix.Access(path, unix.X_OK) == nil }

func candidates(path string) []string { return []string{path} }
