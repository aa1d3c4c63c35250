package demoserver

import (
	"context"
	"encoding/json"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcp-supervisor/supervisor/internal/safe"
)

func TestServeRefusesWhatItCannotServe(t *testing.T) {
	for _, tc := range []struct {
		name, server string
		args         []string
		want         string
	}{
		{"an unknown name lists the known ones", "hallo", nil, "hello, files, clock, counter, flaky, echo, ledger"},
		{"no name", "", nil, `no demo server is called ""`},
		{"an argument too many", "hello", []string{"x"}, "usage: hello"},
		{"an argument missing", "files", nil, "usage: files ROOT"},
		{"a root that is not there", "files", []string{"/does/not/exist"}, "no such file or directory"},
		{"a root that is a file", "files", []string{"demoserver_test.go"}, "not a directory"},
		{"a counter file without a number", "counter", []string{"demoserver_test.go"}, "does not hold a number"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			in, _ := io.Pipe()
			_, out := io.Pipe()
			err := Serve(t.Context(), tc.server, tc.args, in, out, io.Discard)
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("Serve = %v, want an error with %q", err, tc.want)
			}
		})
	}
}

// The hints and the schemas are what the gate decides on.
func TestToolsAreDescribed(t *testing.T) {
	const read, add, destroy = "reads", "adds", "destroys"
	for server, want := range map[string]map[string]string{
		"hello":   {"greet": read},
		"files":   {"read_file": read, "list_directory": read, "write_file": destroy, "delete_file": destroy},
		"clock":   {"now": read, "sleep": read},
		"counter": {"increment": add, "get": read},
		"flaky":   {"echo": read, "crash": add, "hang": read, "fail": read, "exit": add, "panic": add},
		"echo":    {"echo": read, "ping": read},
		"ledger":  {"record": add},
	} {
		t.Run(server, func(t *testing.T) {
			got := map[string]string{}
			for _, tool := range list(t, connect(t, server, usable(t, server)...)) {
				got[tool.Name] = hint(tool.Annotations)
				if closed := schemaOf(t, tool)["additionalProperties"]; closed != false {
					t.Errorf("%s: additionalProperties is %v, want false", tool.Name, closed)
				}
				if tool.Description == "" {
					t.Errorf("%s has no description", tool.Name)
				}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("tools (-want +got):\n%s", diff)
			}
		})
	}
}

func hint(a *sdk.ToolAnnotations) string {
	switch {
	case a.ReadOnlyHint:
		return "reads"
	case *a.DestructiveHint:
		return "destroys"
	}
	return "adds"
}

func usable(t *testing.T, server string) []string {
	return map[string][]string{"files": {t.TempDir()}, "counter": {filepath.Join(t.TempDir(), "count")}, "ledger": {filepath.Join(t.TempDir(), "ledger")}}[server]
}

func list(t *testing.T, session *sdk.ClientSession) []*sdk.Tool {
	t.Helper()
	result, err := session.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return result.Tools
}

func schemaOf(t *testing.T, tool *sdk.Tool) map[string]any {
	t.Helper()
	data, err := json.Marshal(tool.InputSchema)
	if err != nil {
		t.Fatal(err)
	}
	var schema map[string]any
	if err := json.Unmarshal(data, &schema); err != nil {
		t.Fatal(err)
	}
	return schema
}

func TestEveryServerIsListedOnce(t *testing.T) {
	var fromInfos []string
	for _, i := range Infos() {
		if i.About == "" {
			t.Errorf("%s says nothing about itself", i.Name)
		}
		fromInfos = append(fromInfos, i.Name)
	}
	if diff := cmp.Diff([]string{"hello", "files", "clock", "counter", "flaky", "echo", "ledger"}, fromInfos); diff != "" {
		t.Errorf("Infos (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(Names(), fromInfos); diff != "" {
		t.Errorf("Infos and Names differ:\n%s", diff)
	}
}

func TestHello(t *testing.T) {
	session := connect(t, "hello")
	for _, tc := range []struct {
		arguments args
		want      string
	}{
		{args{"audience": "world"}, "Hello, world!"},
		{args{"audience": ""}, "Hello, !"},
		{args{}, "error: "},
		{args{"audience": 7}, "error: "},
		{args{"audience": "x", "mood": "good"}, "error: "},
	} {
		if got := call(t, session, "greet", tc.arguments); !strings.HasPrefix(got, tc.want) {
			t.Errorf("greet(%v) = %q, want %q", tc.arguments, got, tc.want)
		}
	}
}

func TestEcho(t *testing.T) {
	session := connect(t, "echo")
	for _, tc := range []struct {
		arguments args
		want      string
	}{
		{args{"text": "hi"}, "hi"},
		{args{"text": ""}, ""},
		{args{}, "error: echo wants"},
		{args{"text": 1}, "error: echo wants"},
	} {
		if got := call(t, session, "echo", tc.arguments); !strings.HasPrefix(got, tc.want) {
			t.Errorf("echo(%v) = %q, want %q", tc.arguments, got, tc.want)
		}
	}
	if got := call(t, session, "ping", nil); got != "pong" {
		t.Errorf("ping = %q", got)
	}
}

func TestClockTellsTheTime(t *testing.T) {
	session := connect(t, "clock")
	for _, tc := range []struct {
		zone args
		name string
	}{
		{args{}, "UTC"},
		{args{"timezone": "UTC"}, "UTC"},
		{args{"timezone": "Asia/Kolkata"}, "Asia/Kolkata"},
	} {
		before := time.Now().Truncate(time.Second)
		got, err := time.Parse(time.RFC3339, call(t, session, "now", tc.zone))
		if err != nil || got.Before(before) || got.After(time.Now()) {
			t.Errorf("now(%v) = %v, %v; want the time between the question and the answer", tc.zone, got, err)
		}
		loc, err := time.LoadLocation(tc.name)
		if err != nil {
			t.Fatal(err)
		}
		if _, offset := got.Zone(); offset != zoneOffset(got.In(loc)) {
			t.Errorf("now(%v) has offset %d s, want %s", tc.zone, offset, tc.name)
		}
	}
	for _, unknown := range []string{"Mars/Olympus", "Local", "../../etc/passwd"} {
		if got := call(t, session, "now", args{"timezone": unknown}); !strings.HasPrefix(got, "error: unknown time zone") {
			t.Errorf("now(%q) = %q, want an error", unknown, got)
		}
	}
}

func zoneOffset(t time.Time) int {
	_, offset := t.Zone()
	return offset
}

func TestSleep(t *testing.T) {
	session := connect(t, "clock")
	start := time.Now()
	if got := call(t, session, "sleep", args{"ms": 30}); got != "slept 30 ms" || time.Since(start) < 30*time.Millisecond {
		t.Errorf("sleep(30) = %q after %v", got, time.Since(start))
	}
	for _, ms := range []int{-1, 600_001} {
		if got := call(t, session, "sleep", args{"ms": ms}); !strings.HasPrefix(got, "error: ms is") {
			t.Errorf("sleep(%d) = %q, want an error", ms, got)
		}
	}
}

// After a cancelled call the session must end at once. It ends only when all calls have returned.
func TestSleepHonoursCancellation(t *testing.T) {
	session, served := dial(t, "clock")
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := try(ctx, session, "sleep", args{"ms": 600_000}); err == nil {
		t.Fatal("a cancelled sleep answered")
	}
	_ = session.Close()
	select {
	case err := <-served:
		if err != nil {
			t.Errorf("Serve = %v", err)
		}
	case <-time.After(patience):
		t.Fatal("the cancelled sleep still runs")
	}
}

func TestServeReportsBrokenInput(t *testing.T) {
	in, toServer := io.Pipe()
	served := make(chan error, 1)
	safe.Go("serve", func(c *safe.Crash) { served <- c }, func() {
		served <- Serve(t.Context(), "hello", nil, in, discard{}, io.Discard)
	})
	if _, err := io.WriteString(toServer, "this is no JSON\n"); err != nil {
		t.Fatal(err)
	}
	if err := <-served; err == nil || !strings.Contains(err.Error(), "invalid character") {
		t.Errorf("Serve = %v, want what is wrong with the input", err)
	}
}

// discard is an output nobody reads.
type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }
func (discard) Close() error                { return nil }
