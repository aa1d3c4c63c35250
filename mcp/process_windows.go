package mcp

import (
	"io/fs"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/mcp-supervisor/supervisor/mcp/spec"
)

// ownGroup gives the command a process group of its own, so that Ctrl-C does not reach it.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP, HideWindow: true}
}

const (
	sigTerm = syscall.SIGTERM
	sigKill = syscall.SIGKILL
)

// signalGroup kills the process; the job object sees to its children. Windows has no signal that asks.
func signalGroup(cmd *exec.Cmd, sig syscall.Signal) {
	if sig == sigKill {
		_ = cmd.Process.Kill()
	}
}

func awaitExit(cmd *exec.Cmd) spec.Exit {
	await(cmd)
	return postMortem(cmd)
}

func reap(*exec.Cmd) {}

func postMortem(cmd *exec.Cmd) spec.Exit {
	if cmd.ProcessState == nil {
		return spec.Exit{Code: -1}
	}
	return spec.Exit{Code: cmd.ProcessState.ExitCode()}
}

func mayExecute(_ string, info fs.FileInfo) bool { return info.Mode().IsRegular() }

// candidates are the names a command may have; those without an extension get the usual ones.
func candidates(path string) []string {
	if strings.Contains(filepath.Base(path), ".") {
		return []string{path}
	}
	return []string{path + ".exe", path + ".cmd", path + ".bat", path + ".com"}
}
