package demoserver

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/mcp-supervisor/supervisor/internal/safe"
)

// lines are what a process wrote to its stdout.
type lines chan string

// raw starts a demo server in a process of its own, without an MCP client in front of it.
func raw(t *testing.T, name string, args ...string) (*exec.Cmd, io.WriteCloser, lines) {
	t.Helper()
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), serveEnv+"="+name)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	ours, theirs, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdout = theirs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = theirs.Close()
	out := make(lines, 100)
	safe.Go("read", nil, func() {
		defer close(out)
		for scan := bufio.NewScanner(ours); scan.Scan(); {
			out <- scan.Text()
		}
	})
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // a process that ended already is fine
		_ = ours.Close()
		for range out {
		}
	})
	return cmd, stdin, out
}

// await returns when a line with that text comes.
func (l lines) await(t *testing.T, text string) {
	t.Helper()
	limit := time.After(patience)
	for {
		select {
		case line, open := <-l:
			if !open {
				t.Fatalf("stdout ended without %q", text)
			}
			if strings.Contains(line, text) {
				return
			}
		case <-limit:
			t.Fatalf("no line with %q came", text)
		}
	}
}
