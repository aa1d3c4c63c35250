package faults

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/mcp-supervisor/supervisor/actors"
	"github.com/mcp-supervisor/supervisor/config"
	"github.com/mcp-supervisor/supervisor/governance/audit"
	"github.com/mcp-supervisor/supervisor/internal/safe"
	mcpspec "github.com/mcp-supervisor/supervisor/mcp/spec"
	"github.com/mcp-supervisor/supervisor/messages"
	"github.com/mcp-supervisor/supervisor/test/faulty/fake"
)

// patience bounds every wait for something that takes milliseconds when all is well.
const patience = 30 * time.Second

// TestMain makes the test binary the fake server when its first argument says so.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "fake" {
		os.Exit(fake.Main(os.Args[2:]))
	}
	goleak.VerifyTestMain(m)
}

// fakeCommand is the command, as YAML, of a stdio server that is the fake with these arguments.
func fakeCommand(args ...string) string {
	words := []string{`"${SUPERVISOR}"`, "fake"}
	for _, arg := range args {
		quoted, err := json.Marshal(arg)
		if err != nil {
			panic(err) // no string fails to marshal
		}
		words = append(words, string(quoted))
	}
	return "[" + strings.Join(words, ", ") + "]"
}

// running is a supervisor that a test started.
type running struct {
	*actors.Supervisor
	t     *testing.T
	calls atomic.Int64 // made with call
}

// start starts a supervisor on a workspace that declares the servers that yaml lists: entries of mcp_servers, flow
// style or block style, without indentation. At the test's end it is stopped, and its audit must hold exactly one intent
// and one outcome for each call that was made with call.
func start(t *testing.T, yaml string, opts ...actors.Option) *running {
	t.Helper()
	root := t.TempDir()
	text := "apiVersion: supervisor/v1\nkind: Workspace\nmetadata: {id: faults, name: faults}\nmcp_servers:\n" + yaml + "\n"
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
	r := &running{Supervisor: s, t: t}
	t.Cleanup(func() {
		if err := s.Stop(context.Background()); err != nil {
			t.Error(err)
		}
		r.checkAudit()
	})
	return r
}

// call makes one call as the operator and returns its result. args is a JSON object.
func (r *running) call(server, tool, args string) messages.CallResult {
	r.calls.Add(1)
	return r.CallTool(context.Background(), actors.CallRequest{Server: server, Tool: tool, Arguments: json.RawMessage(args)})
}

// echo calls the tool echo and returns the result.
func (r *running) echo(server string) messages.CallResult {
	return r.call(server, "echo", `{"text":"hi"}`)
}

// status is the status of a server.
func (r *running) status(server string) messages.ServerStatus {
	r.t.Helper()
	list, err := r.Servers(context.Background())
	if err != nil {
		r.t.Fatal(err)
	}
	for _, s := range list {
		if s.ID == server {
			return s
		}
	}
	r.t.Fatalf("no server %q", server)
	return messages.ServerStatus{}
}

// awaitState waits until a server is in a state, and returns its status then.
func (r *running) awaitState(server string, state messages.ServerState) messages.ServerStatus {
	r.t.Helper()
	var s messages.ServerStatus
	eventually(r.t, fmt.Sprintf("%s is %s", server, state), func() bool {
		s = r.status(server)
		return s.State == state
	})
	return s
}

func (r *running) checkAudit() {
	r.t.Helper()
	dir := filepath.Join(r.StateDir(), "audit")
	report, err := audit.Verify(dir)
	if err != nil {
		r.t.Error(err)
		return
	}
	for _, p := range report.Problems {
		r.t.Errorf("audit: %s", p)
	}
	intents, outcomes := auditCounts(r.t, dir)
	if n := int(r.calls.Load()); intents != n || outcomes != n {
		r.t.Errorf("audit: %d intents and %d outcomes of %d calls", intents, outcomes, n)
	}
}

func auditCounts(t *testing.T, dir string) (intents, outcomes int) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		for _, line := range readLines(t, file) {
			var record struct {
				EventType audit.EventType  `json:"event_type"`
				CallID    string           `json:"call_id"`
				Outcome   messages.Outcome `json:"outcome"`
			}
			if err := json.Unmarshal([]byte(line), &record); err != nil {
				t.Fatal(err)
			}
			switch {
			case record.EventType == audit.ToolIntent:
				intents++
			case record.CallID != "" && record.Outcome != "":
				outcomes++
			}
		}
	}
	return intents, outcomes
}

// readLines reads a file of lines; a file that is not there has none.
func readLines(t *testing.T, path string) []string {
	t.Helper()
	f, err := os.Open(path)
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	var list []string
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		list = append(list, lines.Text())
	}
	return list
}

// expect checks how a call ended; every part of text must be in the error's message, or in the result's text if it went
// well.
func expect(t *testing.T, got messages.CallResult, outcome messages.Outcome, ran messages.Ran, text ...string) {
	t.Helper()
	said := ""
	if got.Error != nil {
		said = got.Error.Message
	} else {
		said = mcpspec.Text(got.Result)
	}
	if got.Outcome != outcome || got.Ran != ran {
		t.Fatalf("the call ended as %s, ran %s (%s); want %s, ran %s", got.Outcome, got.Ran, said, outcome, ran)
	}
	for _, part := range text {
		if !strings.Contains(said, part) {
			t.Errorf("%q does not say %q", said, part)
		}
	}
}

// eventually polls until ok is true.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for limit := time.Now().Add(patience); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(limit) {
			t.Fatalf("never came true: %s", what)
		}
	}
}

// spawn runs fn beside the test. It must not fail the test by itself.
func spawn(fn func()) { safe.Go("test", nil, fn) }

// contains reports whether a result's text holds text.
func contains(r messages.CallResult, text string) bool {
	return strings.Contains(mcpspec.Text(r.Result), text)
}
