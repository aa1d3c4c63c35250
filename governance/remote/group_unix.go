//go:build unix

package remote

import (
	"os/exec"
	"syscall"
)

// ownGroup makes the command the leader of a session and process group of its own: no terminal, and whatever it starts
// can be killed with it.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

func killGroup(cmd *exec.Cmd) error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
