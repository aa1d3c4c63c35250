//go:build unix && !linux

package mcp

import "os/exec"

// fence is nothing beside the process group: without /proc nobody can be known by an environment.
type fence struct{}

func (f *fence) start(cmd *exec.Cmd, _ *box) (*exec.Cmd, error) { return cmd, startOwn(cmd) }

func (f *fence) sweep(leader int, _ string) bool { return awaitGroup(leader) }

func (f *fence) close() {}

func (f *fence) guarantee() Guarantee { return ByGroup }
