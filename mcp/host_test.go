//go:build unix

package mcp

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/mcp-supervisor/supervisor/mcp/spec"
)

// host is a program that embeds this package. It runs one server, a shell script, and lives until its stdin ends; a line
// "close" before makes that an orderly end. HOST_MODE is a list of: unguarded (no guardian), bare (no cgroup).
func host(script string) int {
	mode := os.Getenv("HOST_MODE")
	var options Options
	if !strings.Contains(mode, "unguarded") {
		g, err := NewGuardian(GuardianOptions{bare: strings.Contains(mode, "bare")})
		if err != nil {
			fmt.Println("error", err)
			return 1
		}
		options.Guardian = g
	}
	exe, _ := os.Executable()
	s, err := Open(context.Background(), spec.Server{
		ID: "hosted", Command: []string{"sh", "-c", script, exe}, StartTimeout: limit, StopGrace: time.Second,
		Env: map[string]string{"FAKE_MODE": "ignore-eof,ignore-sigterm", "GORACE": "atexit_sleep_ms=0"},
	}, options)
	if err != nil {
		fmt.Println("error", err)
		return 1
	}
	pid := 0
	if options.Guardian != nil {
		pid = options.Guardian.PID()
	}
	fmt.Println("up", s.PID(), pid, s.Guarantee())
	line, _ := bufio.NewReader(os.Stdin).ReadString('\n')
	if line == "close\n" {
		s.Close()
		options.Guardian.Close()
	}
	return 0
}

// hosted is a running host.
type hosted struct {
	cmd              *exec.Cmd
	in               io.WriteCloser
	server, guardian int
	guarantee        Guarantee
}

func startHost(t *testing.T, mode, script string) *hosted {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	h := &hosted{cmd: exec.Command(exe)}
	h.cmd.Env = append(os.Environ(), "FAKE_HOST="+script, "HOST_MODE="+mode)
	h.cmd.Stderr = os.Stderr
	if h.in, err = h.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := h.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := h.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.kill)
	line, _ := bufio.NewReader(out).ReadString('\n')
	if _, err := fmt.Sscan(line, new(string), &h.server, &h.guardian, &h.guarantee); err != nil {
		t.Fatalf("host: %q", line)
	}
	return h
}

// kill is SIGKILL: the host has no chance to clean up.
func (h *hosted) kill() {
	_ = h.cmd.Process.Kill()
	_ = h.cmd.Wait()
}

// mark returns an argument for sleep that no other process has, and kills who has it at the end.
func mark(t *testing.T) string {
	t.Helper()
	arg := strconv.FormatInt(1e9+time.Now().UnixNano()%1e12, 10)
	t.Cleanup(func() {
		for _, pid := range marked(arg) {
			_ = killOne(pid)
		}
	})
	return arg
}

// marked lists the living processes that have an argument.
func marked(arg string) (pids []int) {
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, file := range files {
		line, _ := os.ReadFile(file)
		pid, _ := strconv.Atoi(strings.Split(file, "/")[2])
		if bytes.Contains(line, []byte("\x00"+arg+"\x00")) && state(pid) != "Z" {
			pids = append(pids, pid)
		}
	}
	return pids
}

// within fails unless a condition comes true in time, and says how long it took.
func within(t *testing.T, d time.Duration, what string, is func() bool) {
	t.Helper()
	began := time.Now()
	for !is() {
		if time.Since(began) > d {
			t.Fatalf("did not happen within %v: %s", d, what)
		}
		time.Sleep(2 * time.Millisecond)
	}
	t.Logf("%s after %v", what, time.Since(began).Round(time.Millisecond))
}

func alive(pid int) bool {
	s := state(pid)
	return syscall.Kill(pid, 0) == nil && s != "Z" && s != ""
}
