package faults

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/mcp-supervisor/supervisor/actors"
	mcpspec "github.com/mcp-supervisor/supervisor/mcp/spec"
	"github.com/mcp-supervisor/supervisor/messages"
)

// What servers ask is answered, before and after the handshake; older and stricter servers work.
func TestB89ToB98Conversations(t *testing.T) {
	tests := []struct {
		name, mode string
		want       []string
	}{
		{"B89", "server-ping", []string{"hi", `client answered`, `"result":{}`}},
		{"B89 before the handshake", "request-before-init", []string{"hi"}},
		{"B92", "roots-request", []string{"hi", `"uri":"file:///`}},
		{"B92", "unknown-request", []string{"hi", `"code":-32601`}},
		{"B92", "same-id-request", []string{"hi", `"result":{}`}},
		{"B95", "progress", []string{"hi"}},
		{"B95", "progress-bogus", []string{"hi"}},
		{"B97", "proto-old", []string{"hi"}},
		{"B97", "proto-mid", []string{"hi"}},
		{"B98", "strict-init", []string{"hi"}},
		{"B98", "early-notification", []string{"hi"}},
		{"B118", "case-keys", []string{"hi"}},
		{"B118", "dup-keys", []string{"hi"}},
	}
	for _, test := range tests {
		t.Run(test.name+" "+test.mode, func(t *testing.T) {
			t.Parallel()
			r := startOne(t, test.mode)
			for range 2 {
				r.calls.Add(1)
				got := r.CallTool(context.Background(), actors.CallRequest{
					Server: "fake", Tool: "echo", Arguments: json.RawMessage(`{"text":"hi"}`), Meta: json.RawMessage(`{"progressToken":"tok"}`),
				})
				expect(t, got, messages.OK, messages.RanYes, test.want...)
			}
			if s := r.status("fake"); s.Incarnation != 1 || s.State != messages.StateUp {
				t.Errorf("%+v", s)
			}
		})
	}
}

func TestB90HealthProbes(t *testing.T) {
	const probed = "health: {every: 100ms, timeout: 150ms, misses: 2}, " + quick
	t.Run("no-ping is alive", func(t *testing.T) {
		t.Parallel()
		r := start(t, fakeEntry("fake", "no-ping", probed)+fakeEntry("silent", "ping-silent", probed))
		r.tools("fake")
		r.tools("silent")
		eventually(t, "the silent one is replaced", func() bool { return r.status("silent").Incarnation > 1 })
		if n := r.status("fake").Incarnation; n != 1 {
			t.Errorf("the one that knows no ping was replaced: %d", n)
		}
	})
	t.Run("a busy one is left alone", func(t *testing.T) {
		t.Parallel()
		r := start(t, fakeEntry("fake", "block-call", probed, "--ms", "900"))
		expect(t, r.echo("fake"), messages.OK, messages.RanYes)
		if n := r.status("fake").Incarnation; n != 1 {
			t.Errorf("it was replaced: %d", n)
		}
	})
}

func TestB93TimeoutIsToldToTheServer(t *testing.T) {
	t.Parallel()
	log := file(t, "log")
	r := start(t, fakeEntry("fake", "ok", "timeout: 300ms, "+quick, "--log", log))
	expect(t, r.call("fake", "sleep", `{"ms":20000}`), messages.Timeout, messages.RanMaybe)
	expect(t, r.echo("fake"), messages.OK, messages.RanYes)
	eventually(t, "the server was told", func() bool {
		said := strings.Join(readLines(t, log), "\n")
		return strings.Contains(said, "notifications/cancelled") && strings.Contains(said, "sleep-stopped")
	})
}

func TestB97ProtocolOfTheWorkspace(t *testing.T) {
	t.Parallel()
	log := file(t, "log")
	r := start(t, fakeEntry("fake", "ok", "protocol: 2025-03-26, "+quick, "--log", log))
	expect(t, r.echo("fake"), messages.OK, messages.RanYes)
	if first := readLines(t, log)[0]; !strings.Contains(first, `"protocolVersion":"2025-03-26"`) {
		t.Errorf("asked with %s", first)
	}
}

func TestB116AnswersOutOfOrder(t *testing.T) {
	for mode, n := range map[string]int{"out-of-order": 12, "cross-talk": 2} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			r := startOne(t, mode, "--n", fmt.Sprint(n))
			r.tools("fake")
			var all sync.WaitGroup
			for i := range n {
				all.Add(1)
				inBackground(t, func() {
					defer all.Done()
					said := fmt.Sprintf("text %d", i)
					got := r.call("fake", "echo", fmt.Sprintf(`{"text":%q}`, said))
					if got.Outcome != messages.OK || mcpspec.Text(got.Result) != said {
						t.Errorf("%s got %s", said, shown(got))
					}
				})
			}
			all.Wait()
		})
	}
}
