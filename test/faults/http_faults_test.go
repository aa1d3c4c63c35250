package faults

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcp-supervisor/supervisor/test/faulty/fake"
)

// remote is a fake over HTTP, inside the test, with a log of what it was sent.
type remote struct {
	t   *testing.T
	url string
	log string
	// stop ends it before the test does.
	stop func()
}

// fakeHTTP serves the fake over HTTP until the test's end. The mode comes first, its options follow.
func fakeHTTP(t *testing.T, mode string, args ...string) *remote {
	t.Helper()
	log := filepath.Join(t.TempDir(), "log")
	url, stop, err := fake.Listen(append([]string{"--mode", mode, "--log", log}, args...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop)
	return &remote{t: t, url: url, log: log, stop: stop}
}

// requests are those of a method whose body contains text.
func (f *remote) requests(method, text string) []fake.Request {
	f.t.Helper()
	var list []fake.Request
	for _, line := range readLines(f.t, f.log) {
		var r fake.Request
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			f.t.Fatal(err)
		}
		if (method == "*" || r.Method == method) && strings.Contains(r.Body, text) {
			list = append(list, r)
		}
	}
	return list
}

// calls counts the tools/call requests.
func (f *remote) calls() int { return len(f.requests("POST", `"method":"tools/call"`)) }

// starts counts the initialize requests.
func (f *remote) starts() int { return len(f.requests("POST", `"method":"initialize"`)) }

// entry is the server's entry in the workspace; more are further fields, in flow style.
func (f *remote) entry(more ...string) string {
	fields := append([]string{"id: fake", "endpoint: '" + f.url + "'"}, more...)
	return "- {" + strings.Join(fields, ", ") + "}"
}
