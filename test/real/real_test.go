package real

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/mcp-supervisor/supervisor/actors"
	"github.com/mcp-supervisor/supervisor/config"
	"github.com/mcp-supervisor/supervisor/mcp/spec"
	"github.com/mcp-supervisor/supervisor/messages"
)

// realServer is one server and a call to it.
type realServer struct {
	name, command, tool, arguments, want string
	tools                                int // at least
}

var realServers = []realServer{
	{"everything", "npx mcp-server-everything", "echo", `{"message": "hi"}`, "hi", 10},
	{"filesystem", "npx mcp-server-filesystem " + "${DATA}", "read_text_file", `{"path": "${DATA}/note.txt"}`, "a note", 10},
	{"memory", "npx mcp-server-memory", "read_graph", `{}`, "entities", 5},
	{"thinking", "npx mcp-server-sequential-thinking", "sequentialthinking", `{"thought": "so", "nextThoughtNeeded": false, "thoughtNumber": 1, "totalThoughts": 1}`, "thoughtNumber", 1},
	{"playwright", "npx playwright-mcp --headless", "", "", "", 20},
}

// TestRealServers starts each server as users do, through npx (npx, sh, node: three processes), calls it, kills the
// wrapper and then the leaf, and calls it again each time. After the stop nothing is left of any of them.
func TestRealServers(t *testing.T) {
	needServers(t)
	for _, server := range realServers {
		t.Run(server.name, func(t *testing.T) {
			s := start(t, server)
			seen := checkTools(t, s, server)
			for _, kill := range []func(*testing.T, int){killLeader, killLeaf} {
				check(t, s, server)
				before := status(t, s)
				kill(t, before.PID)
				seen = append(seen, awaitNext(t, s, before.Incarnation))
			}
			check(t, s, server)
			if err := s.Stop(context.Background()); err != nil {
				t.Fatal(err)
			}
			for _, leader := range seen {
				if left := group(t, leader); len(left) > 0 {
					t.Errorf("left of group %d: %v", leader, left)
				}
			}
		})
	}
}

func start(t *testing.T, server realServer) *actors.Supervisor {
	t.Helper()
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "note.txt"), []byte("a note"), 0o600); err != nil {
		t.Fatal(err)
	}
	words := strings.Fields(strings.ReplaceAll(server.command, "${DATA}", root))
	command, _ := json.Marshal(words) // strings always marshal
	yaml := fmt.Sprintf("apiVersion: supervisor/v1\nkind: Workspace\nmetadata: {id: real, name: real}\nmcp_servers:\n"+
		"  - {id: %s, command: %s, cwd: %q, timeout: 60s, stop_grace: 2s, env: {MEMORY_FILE_PATH: %q}}\n",
		server.name, command, installed, filepath.Join(root, "memory.jsonl"))
	if err := os.WriteFile(filepath.Join(root, "workspace.yaml"), []byte(yaml), 0o600); err != nil {
		t.Fatal(err)
	}
	ws, err := config.Load(root, config.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s, err := actors.Start(context.Background(), ws)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Stop(context.Background()) })
	return s
}

func checkTools(t *testing.T, s *actors.Supervisor, server realServer) (leaders []int) {
	t.Helper()
	found, err := s.Tools(context.Background(), actors.ToolsQuery{})
	if err != nil || len(found.Down) > 0 {
		t.Fatalf("%v %+v", err, found.Down)
	}
	if len(found.Tools) < server.tools {
		t.Errorf("%d tools, want at least %d", len(found.Tools), server.tools)
	}
	for _, w := range found.Warnings {
		t.Errorf("warning: %s", w)
	}
	return []int{status(t, s).PID}
}

func check(t *testing.T, s *actors.Supervisor, server realServer) {
	t.Helper()
	if server.tool == "" {
		return
	}
	root := s.StateDir()[:len(s.StateDir())-len("/.supervisor")]
	r := s.CallTool(context.Background(), actors.CallRequest{
		Server: server.name, Tool: server.tool,
		Arguments: json.RawMessage(strings.ReplaceAll(server.arguments, "${DATA}", root)),
	})
	if text := spec.Text(r.Result); r.Outcome != messages.OK || !strings.Contains(text, server.want) {
		t.Fatalf("%s: %q, %+v; want %q", r.Outcome, text, r.Error, server.want)
	}
}

func status(t *testing.T, s *actors.Supervisor) messages.ServerStatus {
	t.Helper()
	all, err := s.Servers(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return all[0]
}

func killLeader(t *testing.T, leader int) {
	t.Helper()
	if err := syscall.Kill(leader, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
}

// killLeaf kills the last process of the chain, which is the real server.
func killLeaf(t *testing.T, leader int) {
	t.Helper()
	leaf := 0
	for pid := range group(t, leader) {
		leaf = max(leaf, pid)
	}
	if err := syscall.Kill(leaf, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
}

// awaitNext polls until a later incarnation is up.
func awaitNext(t *testing.T, s *actors.Supervisor, before int) (leader int) {
	t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if now := status(t, s); now.Incarnation > before && now.State == messages.StateUp {
			return now.PID
		}
	}
	t.Fatalf("it did not come up again: %+v", status(t, s))
	return 0
}
