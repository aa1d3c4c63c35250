package faults

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/mcp-supervisor/supervisor/actors"
	"github.com/mcp-supervisor/supervisor/config"
	"github.com/mcp-supervisor/supervisor/messages"
)

// quick makes a server's restarts and stops short.
const quick = `stop_grace: 200ms, restart: {max_restarts: 100, within: 1m, backoff: {min: 10ms, max: 100ms, jitter: 0}}`

// fakeEntry is an entry of mcp_servers: the fake in modes, with short times; more is further fields, flow style.
func fakeEntry(id, modes, more string, args ...string) string {
	if more == "" {
		more = quick
	}
	return "- {id: " + id + ", command: " + fakeCommand(append([]string{"--mode", modes}, args...)...) + ", " + more + "}\n"
}

// startOne starts a supervisor with one server, fake, in modes.
func startOne(t *testing.T, modes string, args ...string) *running {
	t.Helper()
	return start(t, fakeEntry("fake", modes, "", args...))
}

// startWorkspace starts a supervisor on a whole workspace file, and leaves the audit to the test.
func startWorkspace(t *testing.T, workspace string, opts ...actors.Option) *running {
	t.Helper()
	root := t.TempDir()
	text := "apiVersion: supervisor/v1\nkind: Workspace\nmetadata: {id: faults, name: faults}\n" + workspace
	if err := os.WriteFile(filepath.Join(root, "workspace.yaml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	ws, err := config.Load(root, config.Options{Supervisor: os.Args[0]})
	if err != nil {
		t.Fatal(err)
	}
	s, err := actors.Start(context.Background(), ws, opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Stop(context.Background()) })
	return &running{Supervisor: s, t: t}
}

// tools lists a server's tools, which starts it.
func (r *running) tools(server string) []actors.ToolInfo {
	r.t.Helper()
	found, err := r.Tools(context.Background(), actors.ToolsQuery{Server: server})
	if err != nil || len(found.Down) > 0 {
		r.t.Fatalf("tools of %s: %v %+v", server, err, found.Down)
	}
	return found.Tools
}

func toolNames(tools []actors.ToolInfo) (list []string) {
	for _, tool := range tools {
		list = append(list, tool.Name)
	}
	return list
}

// warnings are the warnings of a server, in one text.
func (r *running) warnings(server string) string {
	r.t.Helper()
	return strings.Join(r.status(server).Warnings, "\n")
}

// stop stops the supervisor and returns how long that took.
func (r *running) stop() time.Duration {
	r.t.Helper()
	began := time.Now()
	if err := r.Stop(context.Background()); err != nil {
		r.t.Error(err)
	}
	return time.Since(began)
}

// pids reads the pids in a pidfile.
func pids(t *testing.T, path string) (list []int) {
	t.Helper()
	for _, line := range readLines(t, path) {
		fields := strings.Fields(line)
		pid, err := strconv.Atoi(fields[1])
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, pid)
	}
	return list
}

func alive(pid int) bool { return syscall.Kill(pid, 0) == nil }

// noneAlive waits until no pid in a pidfile is there any more.
func noneAlive(t *testing.T, path string) {
	t.Helper()
	list := pids(t, path)
	if len(list) == 0 {
		t.Fatalf("%s is empty", path)
	}
	for _, pid := range list {
		eventually(t, fmt.Sprintf("process %d is gone", pid), func() bool { return !alive(pid) })
	}
}

// zombies counts this process's children that have exited and were not reaped.
func zombies(t *testing.T) (n int) {
	t.Helper()
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range stats {
		stat, err := os.ReadFile(path)
		if err != nil {
			continue // it is gone
		}
		_, rest, _ := strings.Cut(string(stat), ") ")
		if strings.HasPrefix(rest, fmt.Sprintf("Z %d ", os.Getpid())) {
			n++
		}
	}
	return n
}

// file is the path of a file of the test's own that is not there yet.
func file(t *testing.T, name string) string {
	t.Helper()
	return filepath.Join(t.TempDir(), name)
}

func mentions(t *testing.T, what, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%s: no %q in %.2000s", what, part, text)
		}
	}
}

// shown makes a call's result readable for a message.
func shown(r messages.CallResult) string {
	out, err := json.Marshal(r)
	if err != nil {
		return err.Error()
	}
	return string(out)
}
