package main

import (
	"strings"
	"testing"
	"time"

	"github.com/mcp-supervisor/supervisor/actors"
	"github.com/mcp-supervisor/supervisor/config"
	"github.com/mcp-supervisor/supervisor/governance/audit"
	gov "github.com/mcp-supervisor/supervisor/governance/spec"
	"github.com/mcp-supervisor/supervisor/messages"
)

func TestProgress(t *testing.T) {
	began := time.Now()
	for name, c := range map[string]struct {
		event messages.Event
		want  string
	}{
		"a server is up":     {messages.Event{Kind: messages.ServerUp, Server: "files", Detail: "4 tools", Duration: ms(310)}, "  +1.20s   server files up (4 tools, 0.31s)\n"},
		"an agent is done":   {messages.Event{Kind: messages.AgentCompleted, Agent: "r", Outcome: messages.OK}, "  +1.20s   agent r done\n"},
		"an agent gave up":   {messages.Event{Kind: messages.AgentCompleted, Agent: "r", Outcome: messages.Cancelled}, "  +1.20s ! agent r ended: cancelled\n"},
		"a start again":      {messages.Event{Kind: messages.ServerRestarting, Server: "files", Restarts: 1, Budget: 5}, "  +1.20s ! server files restart 1 of 5 in 0.00s\n"},
		"a stop of ours":     {messages.Event{Kind: messages.ServerStopped, Server: "files"}, ""},
		"it is given up":     {messages.Event{Kind: messages.ServerFailed, Server: "files", Detail: "no more"}, "  +1.20s ! server files failed: no more\n"},
		"a call is ok":       {messages.Event{Kind: messages.CallEnded, Agent: "researcher", Server: "files", Tool: "read_file", Outcome: messages.OK, Duration: ms(3)}, "  +1.20s   researcher → files/read_file ok 3ms\n"},
		"a call is denied":   {messages.Event{Kind: messages.CallEnded, Agent: "a", Server: "s", Tool: "t", Outcome: messages.Denied, Detail: "DENIED: no"}, "  +1.20s ! a → s/t denied 0s: DENIED: no\n"},
		"a crash, no stack":  {messages.Event{Kind: messages.ActorCrashed, Detail: "gate: panic: x\ngoroutine 1"}, "  +1.20s ! internal error: gate: panic: x\n"},
		"a call waits":       {messages.Event{Kind: messages.ApprovalRequested, CallID: "c", Agent: "a", Server: "s", Tool: "t", Detail: "k3f9: it drops"}, "  +1.20s ! a → s/t waits for approval k3f9: it drops; `supervisor approvals allow k3f9`\n"},
		"it waits no more":   {messages.Event{Kind: messages.ApprovalResolved, CallID: "c", Detail: "k3f9: allow"}, "  +1.20s   approval k3f9: allow\n"},
		"a freeze":           {messages.Event{Kind: messages.GateFrozen, Detail: "server `s`"}, "  +1.20s ! frozen: server `s`\n"},
		"a thaw":             {messages.Event{Kind: messages.GateFrozen, Detail: "nothing"}, "  +1.20s   thawed: nothing is frozen\n"},
		"a start is no news": {messages.Event{Kind: messages.ServerStarting, Server: "files"}, ""},
		"a server's tricks":  {messages.Event{Kind: messages.ServerWarning, Server: "s", Detail: "junk \x1b[2J\nmore"}, "  +1.20s ! server s: junk \\u001b[2J more\n"},
	} {
		t.Run(name, func(t *testing.T) {
			var b strings.Builder
			c.event.Time = began.Add(1200 * time.Millisecond)
			p := newProgress(&b)
			p.began = began
			p.show(c.event)
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
		"it rests":        {messages.Event{Kind: messages.ServerStopped, Detail: "rests until it is needed"}, "  server files killed by SIGKILL; stopped: rests until it is needed"},
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

func TestStderrIsShownWhereItExplains(t *testing.T) {
	lines := []string{"0", "1", "2", "3", "4", "5\x1b"}
	const tail = "      stderr | 1\n      stderr | 2\n      stderr | 3\n      stderr | 4\n      stderr | 5\\u001b\n"
	starting := messages.Event{Kind: messages.ServerStarting}
	up := messages.Event{Kind: messages.ServerUp}
	again := messages.Event{Kind: messages.ServerRestarting, Budget: 5}
	for name, c := range map[string]struct {
		before []messages.Event
		exit   *messages.Exit
		next   messages.Event
		want   string
	}{
		"it did not come up":          {[]messages.Event{starting}, &messages.Exit{Code: 0, StderrTail: lines}, again, tail},
		"it was killed while it came": {[]messages.Event{starting}, &messages.Exit{Code: -1, Signal: "SIGKILL", StderrTail: lines}, again, tail},
		"it is given up":              {[]messages.Event{starting}, &messages.Exit{Code: 3, StderrTail: lines}, messages.Event{Kind: messages.ServerFailed}, tail},
		"it exited with an error":     {[]messages.Event{starting, up}, &messages.Exit{Code: 3, StderrTail: lines}, again, tail},
		"we saw no start of it":       {nil, &messages.Exit{Code: 3, StderrTail: lines}, again, tail},
		"it was killed":               {[]messages.Event{starting, up}, &messages.Exit{Code: -1, Signal: "SIGKILL", StderrTail: lines}, again, ""},
		"it ended well":               {[]messages.Event{starting, up}, &messages.Exit{Code: 0, StderrTail: lines}, again, ""},
		"we stopped it":               {[]messages.Event{starting, up}, &messages.Exit{Code: 3, StderrTail: lines}, messages.Event{Kind: messages.ServerStopped}, ""},
		"no post-mortem":              {[]messages.Event{starting}, nil, again, ""},
	} {
		t.Run(name, func(t *testing.T) {
			var b strings.Builder
			p := newProgress(&b)
			for _, e := range append(c.before, messages.Event{Kind: messages.ServerExited, Exit: c.exit}, c.next) {
				e.Server = "s"
				p.show(e)
			}
			_, got, _ := strings.Cut(b.String(), "      stderr")
			if got != "" {
				got = "      stderr" + got
			}
			if got != c.want {
				t.Errorf("showed %q, want %q", got, c.want)
			}
		})
	}
}

func ms(n int) messages.Millis { return messages.Millis(time.Duration(n) * time.Millisecond) }

func TestTally(t *testing.T) {
	for want, calls := range map[string]map[messages.Outcome]int{
		"no calls":     nil,
		"1 call: 1 ok": {messages.OK: 1},
	} {
		if got := tally(calls); got != want {
			t.Errorf("tally = %q, want %q", got, want)
		}
	}
}

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
		hints  hints
		want   string
	}{
		"denied": {
			messages.CallResult{Outcome: messages.Denied, Error: &messages.CallError{Kind: "denied", Message: "DENIED: no grant"}},
			hints{workspace: " ws"},
			"s/t: denied: DENIED: no grant; `supervisor audit list ws --outcome denied` names the rule",
		},
		"no such tool": {
			messages.CallResult{Outcome: messages.Invalid, Error: &messages.CallError{Kind: "invalid", Message: "no tool"}},
			hints{workspace: " ws"},
			"s/t: invalid: no tool; `supervisor tools ws` lists what there is, with --json the schemas of the arguments",
		},
		"no such agent": {
			messages.CallResult{Outcome: messages.Invalid, Error: &messages.CallError{Kind: "invalid", Message: "no agent"}},
			hints{unknownAgent: true},
			"s/t: invalid: no agent",
		},
		"a JSON-RPC error": {
			messages.CallResult{Outcome: messages.ToolError, Error: &messages.CallError{Kind: "rpc", Code: -32000, Message: "boom"}},
			hints{},
			"s/t: tool_error: boom (JSON-RPC error -32000)",
		},
		"unavailable, and when it is back": {
			messages.CallResult{Outcome: messages.Unavailable, Error: &messages.CallError{Kind: "unavailable", Message: "server `s` is down", RetryAfter: ms(250)}},
			hints{},
			"s/t: unavailable: server `s` is down (expected back in 0.25s)",
		},
		"nothing said": {messages.CallResult{Outcome: messages.Stopped}, hints{}, "s/t: stopped"},
	} {
		t.Run(name, func(t *testing.T) {
			c.result.Server, c.result.Tool = "s", "t"
			if got := explain(c.result, c.hints); got != c.want {
				t.Errorf("explain = %q, want %q", got, c.want)
			}
		})
	}
}

func TestAHintNamesTheWorkspaceAgain(t *testing.T) {
	for _, c := range []struct{ flag, arg, want string }{
		{"", "", ""}, {"", "./ws", " ./ws"}, {"other", "", " other"}, {"", "my ws's", ` 'my ws'\''s'`},
	} {
		if got := (&app{workspace: c.flag}).named(c.arg); got != c.want {
			t.Errorf("named(%q) = %q, want %q", c.arg, got, c.want)
		}
	}
}

func TestKnows(t *testing.T) {
	boss := config.Agent{Agent: gov.Agent{ID: "boss"}}
	ws := &config.Workspace{Topologies: map[string]config.Topology{"a": {Name: "a", Root: boss}, "b": {Name: "b", Root: boss}}}
	for name, want := range map[string]bool{"": true, "operator": true, "a/boss": true, "boss": false, "nobody": false, "c/boss": false} {
		if got := knows(ws, name); got != want {
			t.Errorf("knows(%q) = %v", name, got)
		}
	}
}

func TestTheLogHasNoStacks(t *testing.T) {
	var b strings.Builder
	a := &app{err: &b, logLevel: "error", logFormat: "console"}
	log, err := a.logger()
	if err != nil {
		t.Fatal(err)
	}
	log.Warn("unheard")
	log.Error("heard", "key", "value")
	if got := b.String(); strings.Count(got, "\n") != 1 || !strings.Contains(got, "heard") || strings.Contains(got, "unheard") {
		t.Errorf("logged %q, want one line", got)
	}
}

// At most a screenful of unfinished calls is told one by one.
func TestUnfinishedCalls(t *testing.T) {
	var b strings.Builder
	r := audit.Report{Records: 50, Segments: 1, Unfinished: make([]string, maxUnfinished+2)}
	if err := (&app{out: &b}).printReport(r, false, func(string) string { return "one" }); err != nil {
		t.Fatal(err)
	}
	if got := b.String(); strings.Count(got, "unfinished: one\n") != maxUnfinished || !strings.Contains(got, "unfinished: and 2 more;") {
		t.Errorf("printed %s", got)
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
