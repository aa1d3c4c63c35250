package chaos

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-supervisor/supervisor/messages"
)

func TestPrint(t *testing.T) {
	r := good()
	ms := func(n int) time.Duration { return time.Duration(n) * time.Millisecond }
	r.Seed, r.Agents, r.Budget, r.Duration, r.KillEvery = 7, 50, "raised", messages.Millis(time.Minute), messages.Millis(ms(200))
	r.Servers = []Server{
		{ID: "echo", Tools: []Target{{Tool: "echo"}}, Calls: map[messages.Outcome]int{messages.OK: 10, messages.Lost: 2}, Strikes: map[Kind]int{Kill: 3}, Restarts: 3, ColdStart: messages.Millis(ms(30))},
		{ID: "mute", NotCalled: "no\x1btool"},
	}
	r.Left.LoadedRSS = [2]int64{30 << 20, -1}
	r.Notes = []string{"a note"}
	r.summarize([]recovery{{Kill, "echo", ms(40)}, {Kill, "echo", ms(41)}, {Kill, "echo", ms(1500)}}, []time.Duration{1234 * time.Microsecond})
	r.Checked = judge(r)
	var b strings.Builder
	if err := r.Print(&b, func(s string) string { return strings.ReplaceAll(s, "\x1b", "?") }); err != nil {
		t.Fatal(err)
	}
	var got []string
	for line := range strings.Lines(b.String()) {
		got = append(got, strings.Join(strings.Fields(line), " "))
	}
	want := []string{
		"SERVER TOOLS CALLS OK STRIKES RESTARTS COLD START BACK, MEDIAN BACK, SLOWEST",
		"echo echo 12 10 3 3 30ms 41ms 1.5s",
		"mute - 0 0 0 0 0s - -",
		"mute is not called: no?tool",
		"",
		"FAULT STRIKES RECOVERIES MEDIAN 95 % 99 % SLOWEST",
		"kill 3 3 41ms 1.5s 1.5s 1.5s",
		"kill heard 1 1.23ms 1.23ms 1.23ms 1.23ms",
		"",
		"calls: 10 ok, 2 lost",
		"recovery is slower than a cold start by 11ms (median)",
		"strikes that found no server up: 0; hangs not noticed within 10s: 0",
		"calls carried out and not answered: 1",
		"memory of the supervisor: 30.0 MiB before the load, unknown after it",
		"seed 7, 50 agents, struck for 1m0s, every 200ms, budget raised",
		"note: a note",
		"",
		"ok the run proves something 3 strikes, 10 calls ok",
		"ok each call has one outcome 12 calls, 0 unanswered",
		"ok no answer of another call 0 swapped",
		"ok no bug of ours 0 internal",
		"ok none doubled, none invented ledger: 4 calls, 4 lines, 0 doubled, 0 ok without a line, 0 lines unexpected",
		"ok the audit is complete 12 intents and 12 outcomes of 12 calls, 0 without outcome",
		"ok every struck server is back 1 struck, all back",
		"ok hangs are noticed 0 of 0 were not within 10s",
		"ok retry hints hold 18 of 20 tasks that followed them ended ok",
		"ok nothing is left 0 processes, +0 file descriptors, +0 goroutines",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Print (-want +got):\n%s", diff)
	}
}
