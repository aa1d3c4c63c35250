package faults

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/mcp-supervisor/supervisor/actors"
	mcpspec "github.com/mcp-supervisor/supervisor/mcp/spec"
	"github.com/mcp-supervisor/supervisor/messages"
)

// Whatever stands between the messages, the session goes on, and the warning is told once.
func TestB24ToB28OddStdout(t *testing.T) {
	tests := []struct{ name, mode, warning string }{
		{"B24 banner", "junk-stdout", "skipped on the server's output"},
		{"B24 log lines", "junk-interleaved", "skipped on the server's output"},
		{"B24 colours", "ansi", ""},
		{"B24 blank lines", "blank-lines", ""},
		{"B25 JSON that is no JSON-RPC", "junk-json", "skipped on the server's output"},
		{"B26 a malformed frame", "bad-json", "skipped on the server's output"},
		{"B28 CR LF", "crlf", ""},
		{"all of it", "junk-stdout,junk-interleaved,ansi,blank-lines,junk-json,bad-json,crlf", "skipped on the server's output"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := startOne(t, test.mode)
			if n := len(r.tools("fake")); n != 8 {
				t.Errorf("%d tools", n)
			}
			for range 3 {
				expect(t, r.echo("fake"), messages.OK, messages.RanYes, "hi")
			}
			mentions(t, "warnings", r.warnings("fake"), test.warning)
			if n := r.status("fake").Incarnation; n != 1 {
				t.Errorf("incarnation %d", n)
			}
		})
	}
}

func TestB31StderrIsDrained(t *testing.T) {
	for _, mode := range []string{"stderr-flood", "stderr-flood-call"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			slow := slog.New(slog.NewTextHandler(slowWriter{}, &slog.HandlerOptions{Level: slog.LevelDebug}))
			r := start(t, fakeEntry("fake", mode, quick, "--size", "2000000"), actors.WithLogger(slow))
			expect(t, r.echo("fake"), messages.OK, messages.RanYes, "hi")
			expect(t, r.echo("fake"), messages.OK, messages.RanYes, "hi")
		})
	}
}

// slowWriter is a log that takes its time.
type slowWriter struct{}

func (slowWriter) Write(p []byte) (int, error) {
	time.Sleep(time.Millisecond)
	return len(p), nil
}

// logBuffer is a log that can be read while it is written.
type logBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *logBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(p)
}

func (l *logBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}

func TestB33StderrIsStructuredAndKept(t *testing.T) {
	t.Parallel()
	var log logBuffer
	handler := slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})
	r := start(t, fakeEntry("fake", "stderr-flood", quick, "--size", "5000"), actors.WithLogger(slog.New(handler)))
	expect(t, r.echo("fake"), messages.OK, messages.RanYes)
	kept := filepath.Join(r.StateDir(), "logs", "fake.log")
	eventually(t, "all is kept", func() bool { return len(readLines(t, kept)) >= 5000/77 })
	for _, line := range readLines(t, kept) {
		if at, _, _ := strings.Cut(line, " "); !isTime(at) || !strings.Contains(line, "DEBUG cache") && len(line) > 102 {
			t.Fatalf("kept as %q", line)
		}
	}
	if info, err := os.Stat(kept); err != nil || info.Mode().Perm() != 0o600 {
		t.Error(info, err)
	}
	var found int
	for _, line := range strings.Split(strings.TrimSpace(log.String()), "\n") {
		var record struct{ Msg, Server, Line string }
		if err := json.Unmarshal([]byte(line), &record); err != nil {
			t.Fatalf("no record: %q", line)
		}
		if record.Msg == "server.stderr" && record.Server == "fake" {
			found++
		}
	}
	if found < 5000/77 {
		t.Errorf("%d records", found)
	}
}

func isTime(s string) bool {
	_, err := time.Parse(time.RFC3339Nano, s)
	return err == nil
}

func TestB34LongLines(t *testing.T) {
	for mode, size := range map[string]string{"huge-result": "9000000", "huge-result,crlf": "70000", "huge-tools": "3000000"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			r := startOne(t, mode, "--size", size)
			long := strings.Repeat("y", 3_000_000)
			got := r.call("fake", "echo", `{"text":"`+long+`"}`)
			if said := mcpspec.Text(got.Result); got.Outcome != messages.OK || strings.HasPrefix(mode, "huge-result") != strings.HasPrefix(said, "xxx") {
				t.Errorf("%s: %.200s", got.Outcome, said)
			}
		})
	}
}

// max_message: the call whose answer is too long fails with the size, and the session lives.
func TestB34BeyondMaxMessage(t *testing.T) {
	t.Parallel()
	r := start(t, fakeEntry("fake", "huge-result", "max_message: 1MB, "+quick, "--size", "5000000"))
	for range 2 {
		if got := r.echo("fake"); got.Outcome != messages.Lost && got.Outcome != messages.ToolError || !strings.Contains(shown(got), "1000000 bytes (max_message)") {
			t.Errorf("%.500s", shown(got))
		}
	}
	if n := r.status("fake").Incarnation; n != 1 {
		t.Errorf("incarnation %d", n)
	}
}

func TestB37EndlessLine(t *testing.T) {
	t.Parallel()
	r := start(t, fakeEntry("fake", "endless-line", "timeout: 20s, max_message: 1MB, "+quick, "--size", "100000000"))
	before := rss(t)
	got := r.echo("fake")
	if !strings.Contains(shown(got), "max_message") {
		t.Errorf("%.500s", shown(got))
	}
	eventually(t, "it was replaced", func() bool { return r.status("fake").Incarnation > 1 })
	mentions(t, "the reason", r.status("fake").LastExit, "without a line end")
	if grown := rss(t) - before; grown > 300<<20 {
		t.Errorf("memory grew by %d MiB", grown>>20)
	}
}

// The line stops too early for 16 x max_message: the next call's time decides.
func TestB37UnfinishedLine(t *testing.T) {
	t.Parallel()
	r := start(t, fakeEntry("fake", "endless-line", "timeout: 500ms, max_message: 1MB, "+quick, "--size", "3000000"))
	if got := r.echo("fake"); !strings.Contains(shown(got), "max_message") {
		t.Errorf("%.500s", shown(got))
	}
	if got := r.echo("fake"); got.Outcome != messages.Timeout && got.Outcome != messages.Lost {
		t.Errorf("%.500s", shown(got))
	}
	eventually(t, "it was replaced", func() bool { return r.status("fake").Incarnation > 1 })
	mentions(t, "the reason", r.status("fake").LastExit, "max_message")
}

func TestB38OddText(t *testing.T) {
	for mode, want := range map[string]string{"invalid-utf8": "\uFFFD", "lone-surrogate": "", "nul-char": ""} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			r := startOne(t, mode)
			for range 2 {
				got := r.echo("fake")
				said := mcpspec.Text(got.Result)
				if got.Outcome != messages.OK || !utf8.Valid(got.Result) || !json.Valid(got.Result) || !utf8.ValidString(said) || !strings.Contains(said, want) {
					t.Errorf("%s %q", got.Outcome, got.Result)
				}
			}
		})
	}
}

// rss is this process's memory in bytes.
func rss(t *testing.T) int64 {
	t.Helper()
	status, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Skip("no /proc here")
	}
	pages := int64(0)
	for _, c := range strings.Fields(string(status))[1] {
		pages = 10*pages + int64(c-'0')
	}
	return pages * int64(os.Getpagesize())
}
