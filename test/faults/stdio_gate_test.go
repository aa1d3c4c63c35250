package faults

import (
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-supervisor/supervisor/actors"
	"github.com/mcp-supervisor/supervisor/governance/audit"
	"github.com/mcp-supervisor/supervisor/messages"
)

func TestB120FilteredToolsCannotBeCalled(t *testing.T) {
	t.Parallel()
	log, ledger := file(t, "log"), file(t, "ledger")
	r := startWorkspace(t, "mcp_servers:\n"+fakeEntry("fake", "ok", "prefix: px_, tools: [echo], "+quick, "--log", log, "--ledger", ledger))
	if diff := cmp.Diff([]string{"echo"}, toolNames(r.tools("fake"))); diff != "" {
		t.Error(diff)
	}
	for _, spelling := range []string{"write", "px_write", "Write", "WRITE", " write", "fake_write", "fake.write"} {
		got := r.call("fake", spelling, `{"what":"x"}`)
		if got.Ran != messages.RanNo || got.Outcome != messages.Invalid && got.Outcome != messages.Denied {
			t.Errorf("%q: %s", spelling, shown(got))
		}
	}
	expect(t, r.echo("fake"), messages.OK, messages.RanYes)
	if said := strings.Join(readLines(t, log), "\n"); strings.Contains(strings.ToLower(said), "write") || len(readLines(t, ledger)) > 0 {
		t.Errorf("it was asked: %s", said)
	}
	refused, err := r.Audit(context.Background(), audit.Filter{Server: "fake"})
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, record := range refused {
		if record.Outcome == messages.Invalid || record.Outcome == messages.Denied {
			n++
		}
	}
	if n != 7 {
		t.Errorf("%d refusals in the audit, want 7", n)
	}
}

const marker = "sk-marker-99"

func TestB124SecretsAreNowhere(t *testing.T) {
	t.Setenv("FAULTS_MARKER", marker)
	var log logBuffer
	handler := slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})
	r := startWorkspace(t, "credentials: {key: {source: env, config: {env: FAULTS_MARKER}}}\nmcp_servers:\n"+
		fakeEntry("tells", "stderr-secret", `env: {API_KEY: "{credential.key}"}, `+quick)+
		fakeEntry("dies", "stderr-secret,exit-on-start", `env: {API_KEY: "{credential.key}"}, `+once),
		actors.WithLogger(slog.New(handler)))
	expect(t, r.echo("tells"), messages.OK, messages.RanYes)
	dead := r.echo("dies")
	expect(t, dead, messages.Unavailable, messages.RanNo, "reason-marker-4711")
	kept := filepath.Join(r.StateDir(), "logs", "tells.log")
	eventually(t, "its stderr is kept", func() bool { return len(readLines(t, kept)) > 0 })
	status, err := json.Marshal([]any{r.status("tells"), r.status("dies"), dead})
	if err != nil {
		t.Fatal(err)
	}
	r.stop()
	if all := string(status) + log.String() + allFiles(t, r.StateDir()); strings.Contains(all, marker) {
		at := strings.Index(all, marker)
		t.Errorf("the secret is told: %s", all[max(0, at-200):at+50])
	}
	mentions(t, "the log of its stderr", strings.Join(readLines(t, kept), "\n"), "using API_KEY")
}

// allFiles is what all files below a folder hold.
func allFiles(t *testing.T, root string) string {
	t.Helper()
	var all strings.Builder
	err := filepath.WalkDir(root, func(path string, entry os.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		content, err := os.ReadFile(path)
		all.Write(content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all.String()
}

func TestB125OneAuditRecordForEachCall(t *testing.T) {
	t.Parallel()
	r := startWorkspace(t, "mcp_servers:\n"+
		fakeEntry("ok", "ok", "permission: open, tools: [echo, sleep], "+quick)+fakeEntry("strict", "ok", "permission: strict, "+quick)+
		fakeEntry("says-no", "is-error", "")+fakeEntry("rpc", "error-rpc", "")+fakeEntry("crashes", "crash-on-call", "")+
		fakeEntry("hangs", "hang-call", "timeout: 200ms, "+quick))
	want := map[string]messages.Outcome{}
	do := func(server, tool, args string, outcome messages.Outcome) {
		got := r.call(server, tool, args)
		if got.Outcome != outcome {
			t.Errorf("%s %s: %s", server, tool, shown(got))
		}
		want[got.CallID] = got.Outcome
	}
	do("ok", "echo", `{"text":"x"}`, messages.OK)
	do("says-no", "echo", `{"text":"x"}`, messages.ToolError)
	do("rpc", "echo", `{"text":"x"}`, messages.ToolError)
	do("crashes", "echo", `{"text":"x"}`, messages.Lost)
	do("hangs", "echo", `{"text":"x"}`, messages.Timeout)
	do("ok", "unknown", `{}`, messages.Invalid)
	do("ok", "echo", `{"text":5}`, messages.Invalid)
	do("nobody", "echo", `{}`, messages.Invalid)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	got := r.CallTool(ctx, actors.CallRequest{Server: "ok", Tool: "sleep", Arguments: json.RawMessage(`{"ms":10000}`)})
	if got.Outcome != messages.Cancelled {
		t.Error(shown(got))
	}
	want[got.CallID] = got.Outcome

	records, err := r.Audit(context.Background(), audit.Filter{})
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]messages.Outcome{}
	for _, record := range records {
		if record.CallID == "" || record.Outcome == "" {
			continue
		}
		if other, twice := found[record.CallID]; twice {
			t.Errorf("call %s ended as %s and %s", record.CallID, other, record.Outcome)
		}
		found[record.CallID] = record.Outcome
	}
	if diff := cmp.Diff(want, found); diff != "" {
		t.Error(diff)
	}
}

func TestB126LogsCannotBeForged(t *testing.T) {
	t.Parallel()
	var log logBuffer
	r := startWorkspace(t, "mcp_servers:\n"+fakeEntry("fake", "log-injection,weird-names", ""),
		actors.WithLogger(slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))))
	forged := "x\r\n{\"event_type\":\"forged\"}\x1b[2J"
	quoted, err := json.Marshal(forged)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		expect(t, r.call("fake", "echo", `{"text":`+string(quoted)+`}`), messages.OK, messages.RanYes)
		expect(t, r.call("fake", "new\nline", `{}`), messages.OK, messages.RanYes)
	}
	r.stop()
	for _, path := range auditFiles(t, r.StateDir()) {
		for _, line := range readLines(t, path) {
			var record struct {
				EventType string `json:"event_type"`
			}
			if err := json.Unmarshal([]byte(line), &record); err != nil || record.EventType == "forged" || hasControl(line) {
				t.Errorf("%v: %q", err, line)
			}
		}
	}
	for _, line := range strings.Split(strings.TrimSpace(log.String()), "\n") {
		if !json.Valid([]byte(line)) || hasControl(line) {
			t.Errorf("%q", line)
		}
	}
}

func auditFiles(t *testing.T, stateDir string) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(stateDir, "audit", "*.jsonl"))
	if err != nil || len(paths) == 0 {
		t.Fatal(paths, err)
	}
	return paths
}

func hasControl(line string) bool {
	return slices.ContainsFunc([]rune(line), func(r rune) bool { return r < ' ' || r == 0x7f || r == 0x2028 })
}
