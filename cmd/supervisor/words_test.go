package main

import (
	"strings"
	"testing"
	"time"

	"github.com/mcp-supervisor/supervisor/actors"
	"github.com/mcp-supervisor/supervisor/governance/audit"
	"github.com/mcp-supervisor/supervisor/messages"
)

func TestProgress(t *testing.T) {
	began := time.Now()
	for name, c := range map[string]struct {
		event messages.Event
		want  string
	}{
		"a server is up":     {messages.Event{Kind: messages.ServerUp, Server: "files", Detail: "4 tools", Duration: ms(310)}, "  +1.20s   server files up (4 tools, 0.31s)\n"},
		"a start again":      {messages.Event{Kind: messages.ServerRestarting, Server: "files", Restarts: 1, Budget: 5}, "  +1.20s ! server files restart 1 of 5 in 0.00s\n"},
		"a stop of ours":     {messages.Event{Kind: messages.ServerStopped, Server: "files"}, ""},
		"it is given up":     {messages.Event{Kind: messages.ServerFailed, Server: "files", Detail: "no more"}, "  +1.20s ! server files failed: no more\n"},
		"a call is ok":       {messages.Event{Kind: messages.CallEnded, Agent: "researcher", Server: "files", Tool: "read_file", Outcome: messages.OK, Duration: ms(3)}, "  +1.20s   researcher → files/read_file ok 3ms\n"},
		"a call is denied":   {messages.Event{Kind: messages.CallEnded, Agent: "a", Server: "s", Tool: "t", Outcome: messages.Denied, Detail: "DENIED: no"}, "  +1.20s ! a → s/t denied 0s: DENIED: no\n"},
		"a crash, no stack":  {messages.Event{Kind: messages.ActorCrashed, Detail: "gate: panic: x\ngoroutine 1"}, "  +1.20s ! internal error: gate: panic: x\n"},
		"a start is no news": {messages.Event{Kind: messages.ServerStarting, Server: "files"}, ""},
		"a server's tricks":  {messages.Event{Kind: messages.ServerWarning, Server: "s", Detail: "junk \x1b[2J\nmore"}, "  +1.20s ! server s: junk \\u001b[2J more\n"},
	} {
		t.Run(name, func(t *testing.T) {
			var b strings.Builder
			c.event.Time = began.Add(1200 * time.Millisecond)
			(&progress{out: &b, began: began}).show(c.event)
			if b.String() != c.want {
				t.Errorf("showed %q, want %q", b.String(), c.want)
			}
		})
	}
}

func TestAnExitIsToldWithWhatFollowsFromIt(t *testing.T) {
	exited := messages.Event{Kind: messages.ServerExited, Server: "files", Detail: "killed by SIGKILL"}
	call := messages.Event{Kind: messages.CallEnded, CallID: "c", Server: "files", Outcome: messages.OK}
	for name, c := range map[string]struct {
		next messages.Event
		want string
	}{
		"it starts again": {messages.Event{Kind: messages.ServerRestarting, Restarts: 2, Budget: 5, After: ms(250)}, "! server files killed by SIGKILL; restart 2 of 5 in 0.25s"},
		"it rests":        {messages.Event{Kind: messages.ServerStopped, Detail: "rests until it is needed"}, "  server files killed by SIGKILL; rests until it is needed"},
		"it is given up":  {messages.Event{Kind: messages.ServerFailed, Detail: "it was killed too often"}, "! server files failed: it was killed too often"},
		"we stopped it":   {messages.Event{Kind: messages.ServerStopped}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			var b strings.Builder
			p := newProgress(&b)
			p.show(exited)
			p.show(call) // in between, and no news of the server's
			b.Reset()
			c.next.Server = "files"
			p.show(c.next)
			_, got, _ := strings.Cut(strings.TrimSpace(b.String()), "s ")
			if got != c.want {
				t.Errorf("showed %q, want %q", got, c.want)
			}
		})
	}
}

func ms(n int) messages.Millis { return messages.Millis(time.Duration(n) * time.Millisecond) }

func TestTheEndOfARun(t *testing.T) {
	var b strings.Builder
	newProgress(&b).end(actors.RunResult{
		Run: "r1", Duration: ms(1500), Calls: map[messages.Outcome]int{messages.Denied: 1, messages.OK: 10, messages.Lost: 1},
	})
	if want := "run r1 answered after 1.50s; 12 calls: 10 ok, 1 denied, 1 lost\n"; !strings.HasSuffix(b.String(), want) {
		t.Errorf("showed %q, want ...%q", b.String(), want)
	}
}

func TestExplain(t *testing.T) {
	for name, c := range map[string]struct {
		result messages.CallResult
		want   string
	}{
		"denied": {
			messages.CallResult{Outcome: messages.Denied, Error: &messages.CallError{Kind: "denied", Message: "DENIED: no grant"}},
			"s/t: denied: DENIED: no grant; `supervisor audit list --outcome denied` names the rule",
		},
		"a JSON-RPC error": {
			messages.CallResult{Outcome: messages.ToolError, Error: &messages.CallError{Kind: "rpc", Code: -32000, Message: "boom"}},
			"s/t: tool_error: boom (JSON-RPC error -32000)",
		},
		"unavailable, and when it is back": {
			messages.CallResult{Outcome: messages.Unavailable, Error: &messages.CallError{Kind: "unavailable", Message: "server `s` is down", RetryAfter: ms(250)}},
			"s/t: unavailable: server `s` is down (expected back in 0.25s)",
		},
		"nothing said": {messages.CallResult{Outcome: messages.Stopped}, "s/t: stopped"},
	} {
		t.Run(name, func(t *testing.T) {
			c.result.Server, c.result.Tool = "s", "t"
			if got := explain(c.result); got != c.want {
				t.Errorf("explain = %q, want %q", got, c.want)
			}
		})
	}
}

func TestParseSince(t *testing.T) {
	now := time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
	for text, want := range map[string]time.Time{
		"":                     {},
		"10m":                  now.Add(-10 * time.Minute),
		"2026-05-01T00:00:00Z": time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC),
		"2026-05-01":           time.Date(2026, 5, 1, 0, 0, 0, 0, time.Local),
	} {
		if got, err := parseSince(text, now); err != nil || !got.Equal(want) {
			t.Errorf("parseSince(%q) = %v, %v, want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"yesterday", "-5m"} {
		if _, err := parseSince(text, now); err == nil {
			t.Errorf("parseSince(%q) is no error", text)
		}
	}
}

func TestRecordLine(t *testing.T) {
	r := audit.Record{
		Timestamp: time.Date(2026, 5, 4, 12, 0, 0, 0, time.Local), EventType: audit.PolicyDenied, AgentID: "a", Server: "s", Tool: "t",
		Outcome: messages.Denied, PolicyReason: "not granted", PolicyRule: "builtin:grant",
	}
	if got, want := recordLine(r), "2026-05-04 12:00:00.000 policy.denied a s/t denied not granted [builtin:grant]"; got != want {
		t.Errorf("recordLine = %q, want %q", got, want)
	}
}

func TestPromises(t *testing.T) {
	good := func() (demoTally, books) {
		return demoTally{
			runs: 3, calls: map[messages.Outcome]int{messages.OK: 8, messages.Lost: 1, messages.Denied: 1}, restarts: 2,
			kills: map[string]int{"a": 1, "b": 1}, recovered: 2, slowest: time.Second, slowestOf: "b",
		}, books{report: audit.Report{Records: 30}, intents: 10, outcomes: 10}
	}
	for name, spoil := range map[string]func(*demoTally, *books){
		"":                       func(*demoTally, *books) {},
		"runs":                   func(t *demoTally, _ *books) { t.runs = 0 },
		"outcomes":               func(t *demoTally, _ *books) { t.doubled = 1 },
		"kills,slowest recovery": func(t *demoTally, _ *books) { t.kills, t.recovered = nil, 0 },
		"restarts":               func(t *demoTally, _ *books) { t.recovered = 1 },
		"servers up at the end":  func(t *demoTally, _ *books) { t.down = []string{"a (failed)"} },
		"audit":                  func(_ *demoTally, b *books) { b.outcomes = 9 },
		"processes left":         func(t *demoTally, _ *books) { t.left = []int{42} },
	} {
		t.Run("spoilt "+name, func(t *testing.T) {
			tally, b := good()
			spoil(&tally, &b)
			var broken []string
			for _, p := range promises(tally, b) {
				if !p.kept {
					broken = append(broken, p.what)
				}
			}
			if got := strings.Join(broken, ","); got != name {
				t.Errorf("broken promises: %q, want %q", got, name)
			}
		})
	}
}
