package chaos

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-supervisor/supervisor/governance/audit"
	"github.com/mcp-supervisor/supervisor/messages"
)

func TestReadTrail(t *testing.T) {
	dir := t.TempDir()
	log, err := audit.Open(dir, audit.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ended := func(id string, o messages.Outcome) audit.Record {
		return audit.Outcome(messages.CallResult{CallID: id, Outcome: o}, messages.Decision{})
	}
	for _, r := range []audit.Record{
		audit.Fact(audit.SupervisorStarted, nil),
		audit.Intent(messages.Call{ID: "1"}, messages.Decision{}), audit.Intent(messages.Call{ID: "2"}, messages.Decision{}),
		ended("1", messages.OK),
		audit.Intent(messages.Call{ID: "3"}, messages.Decision{}),
		ended("2", messages.Lost),
	} {
		if _, err := log.Append(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	got, err := readTrail(dir)
	if err != nil {
		t.Fatal(err)
	}
	want := Trail{Records: 6, Intents: 3, Outcomes: 2, Unfinished: 1, Problems: []string{}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("trail (-want +got):\n%s", diff)
	}
}

func TestRSS(t *testing.T) {
	for status, want := range map[string]int64{"Name:\tx\nVmRSS:\t  2048 kB\nVmData:\t 9 kB\n": 2 << 20, "": -1, "VmRSS:\tmany kB\n": -1} {
		if got := rss(status); got != want {
			t.Errorf("rss(%q) = %d, want %d", status, got, want)
		}
	}
}
