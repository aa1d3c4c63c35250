//go:build !unix

package remote

import "os/exec"

// ownGroup does nothing: there are no process groups here.
func ownGroup(*exec.Cmd) {}

// killGroup kills the command; what it started is left alone.
func killGroup(cmd *exec.Cmd) error { return cmd.Process.Kill() }
