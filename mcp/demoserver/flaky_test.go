package demoserver

import (
	"errors"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/mcp-supervisor/supervisor/internal/safe"
)

func TestFlakySaysNo(t *testing.T) {
	session := connect(t, "flaky")
	if got := call(t, session, "fail", args{"message": "no bread"}); got != "error: no bread" {
		t.Errorf("fail = %q", got)
	}
	if got := call(t, session, "echo", args{"text": "still here"}); got != "still here" {
		t.Errorf("echo = %q", got)
	}
	if got := call(t, session, "exit", args{"code": 256}); !strings.HasPrefix(got, "error: code is 256") {
		t.Errorf("exit(256) = %q", got)
	}
}

func TestFlakyEndsItsProcess(t *testing.T) {
	for _, tc := range []struct {
		tool   string
		args   args
		code   int
		stderr string
	}{
		{"crash", nil, 3, "flaky: told to crash"},
		{"crash", args{"after_ms": 50}, 3, "flaky: told to crash"},
		{"exit", args{"code": 0}, 0, ""},
		{"exit", args{"code": 7}, 7, ""},
		{"panic", nil, 2, "flaky: told to panic"},
	} {
		t.Run(tc.tool, func(t *testing.T) {
			session, cmd, stderr := spawn(t, "flaky")
			if got, err := try(t.Context(), session, tc.tool, tc.args); err == nil {
				t.Fatalf("%s answered %q", tc.tool, got)
			}
			_ = session.Close() // waits for the process
			if got := cmd.ProcessState.ExitCode(); got != tc.code {
				t.Errorf("exit code %d, want %d", got, tc.code)
			}
			if !strings.Contains(stderr.String(), tc.stderr) || (tc.stderr == "" && stderr.Len() > 0) {
				t.Errorf("stderr is %q, want %q in it", stderr, tc.stderr)
			}
		})
	}
}

// A call that hangs must not keep the process alive, neither at the end of stdin nor at SIGTERM.
func TestProcessEndsUnderAHangingCall(t *testing.T) {
	for _, tc := range []struct {
		name string
		end  func(*exec.Cmd, func() error) error
	}{
		{"end of stdin", func(_ *exec.Cmd, closeStdin func() error) error { return closeStdin() }},
		{"SIGTERM", func(cmd *exec.Cmd, _ func() error) error { return cmd.Process.Signal(syscall.SIGTERM) }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			cmd, stdin, answers := raw(t, "flaky")
			for _, message := range []string{
				`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`,
				`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
				`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"hang","arguments":{}}}`,
				`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"echo","arguments":{"text":"it hangs"}}}`,
			} {
				if _, err := stdin.Write([]byte(message + "\n")); err != nil {
					t.Fatal(err)
				}
			}
			answers.await(t, "it hangs")
			if err := tc.end(cmd, stdin.Close); err != nil {
				t.Fatal(err)
			}
			if err := reaped(t, cmd); err != nil {
				t.Errorf("the process ended with %v, want exit code 0", err)
			}
		})
	}
}

func reaped(t *testing.T, cmd *exec.Cmd) error {
	t.Helper()
	done := make(chan error, 1)
	safe.Go("wait", nil, func() { done <- cmd.Wait() })
	select {
	case err := <-done:
		return err
	case <-time.After(patience):
		_ = cmd.Process.Kill()
		<-done
		return errors.New("still alive")
	}
}
