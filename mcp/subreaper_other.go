//go:build !linux

package mcp

// AdoptOrphans does nothing here: only Linux lets a process be the parent of orphans.
func AdoptOrphans() (stop func()) { return func() {} }
