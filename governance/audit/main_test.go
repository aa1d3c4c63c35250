package audit

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"

	"github.com/mcp-supervisor/supervisor/internal/safe"
	"github.com/mcp-supervisor/supervisor/messages"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func openLog(t testing.TB, dir string, o Options) *Log {
	t.Helper()
	l, err := Open(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}

func mustAppend(t testing.TB, l *Log, records ...Record) (written []Record) {
	t.Helper()
	for _, r := range records {
		w, err := l.Append(r)
		if err != nil {
			t.Fatal(err)
		}
		written = append(written, w)
	}
	return written
}

func verify(t testing.TB, dir string, anchors ...Head) Report {
	t.Helper()
	report, err := Verify(dir, anchors...)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

func wantSound(t testing.TB, dir string, records int64) {
	t.Helper()
	report := verify(t, dir)
	if !report.OK() || report.Records != records || report.Head.Seq != records {
		t.Errorf("report = %+v, want %d records and no problem", report, records)
	}
}

// call returns the two records of one call that went well.
func call(id, agent, server, tool string) []Record {
	c := messages.Call{ID: id, Run: "r1", Agent: agent, Server: server, Tool: tool, Arguments: []byte(`{"n":1}`)}
	d := messages.Decision{Allowed: true, Rule: "builtin:permit-all", Via: "server:" + server}
	result := messages.CallResult{
		CallID: id, Agent: agent, Server: server, Tool: tool, Outcome: messages.OK, Ran: messages.RanYes, Attempts: 1,
		Incarnation: 1, Duration: messages.Millis(1500000),
	}
	return []Record{Intent(c, d), Outcome(result, d).In(c)}
}

func calls(n int) (records []Record) {
	for i := range n {
		records = append(records, call(fmt.Sprintf("c%d", i), "ada", "files", "read")...)
	}
	return records
}

// segmentPaths are the log's segments in their order.
func segmentPaths(t testing.TB, dir string) (paths []string) {
	t.Helper()
	files, err := listSegments(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		paths = append(paths, filepath.Join(dir, f.name))
	}
	return paths
}

func readFile(t testing.TB, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func writeFile(t testing.TB, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// spawn runs fn in a goroutine that ends before the test does.
func spawn(t testing.TB, fn func()) {
	t.Helper()
	done := make(chan struct{})
	t.Cleanup(func() { <-done })
	safe.Go(t.Name(), func(c *safe.Crash) { t.Errorf("%v\n%s", c, c.Stack); close(done) }, func() { fn(); close(done) })
}
