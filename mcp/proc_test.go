//go:build unix

package mcp

import (
	"fmt"
	"strings"
	"syscall"
)

func killOne(pid int) error { return syscall.Kill(pid, syscall.SIGKILL) }

// state is the letter of a process's state in /proc.
func state(pid int) string {
	stat := read(fmt.Sprintf("/proc/%d/stat", pid))
	fields := strings.Fields(stat[strings.LastIndexByte(stat, ')')+1:])
	if len(fields) == 0 {
		return ""
	}
	return fields[0]
}
