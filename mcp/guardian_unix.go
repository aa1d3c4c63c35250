//go:build unix

package mcp

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
)

// usualPath is where POSIX tools are when PATH names other folders only.
const usualPath = "/usr/bin:/bin"

// guardianTools says which tool of the guardian is missing in a PATH.
func guardianTools(path string) error {
	for _, tool := range []string{"sh", "grep", "xargs", "sleep"} {
		if _, err := find(tool, "/", path); err != nil {
			return fmt.Errorf("it needs a POSIX shell, grep, xargs and sleep: %w", err)
		}
	}
	return nil
}

func guardianPath() string { return strings.TrimPrefix(os.Getenv("PATH")+":"+usualPath, ":") }

// startGuardian starts the shell and returns the pipe to it. The shell gets nothing of ours: no terminal, no signals of
// our group, no folder, and an environment without the cookie that we may carry ourselves.
func startGuardian() (*exec.Cmd, *os.File, error) {
	path, err := find("sh", "/", guardianPath())
	if err != nil {
		return nil, nil, err
	}
	theirs, ours, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = theirs.Close() }()
	shell := &exec.Cmd{
		Path: path, Args: []string{"sh", "-c", guardianScript, "mcp-supervisor-guardian", cookieName}, Dir: "/",
		Env: []string{"PATH=" + guardianPath(), "LC_ALL=C"}, Stdin: theirs, ExtraFiles: allClosed(), SysProcAttr: &syscall.SysProcAttr{Setsid: true},
	}
	if err := startOwn(shell); err != nil {
		_ = ours.Close()
		return nil, nil, err
	}
	return shell, ours, nil
}

// allClosed has a nil for each descriptor above stderr that we may have, which closes it in the process that gets the list.
// Ours are not inherited anyway, but whoever started us may have left us some that are, and may wait for their end.
func allClosed() []*os.File {
	last := 2
	open, _ := os.ReadDir("/dev/fd")
	for _, fd := range open {
		if n, err := strconv.Atoi(fd.Name()); err == nil {
			last = max(last, n)
		}
	}
	return make([]*os.File, min(last, 4096)-2)
}
