package chaos

import (
	"context"
	"encoding/json"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-supervisor/supervisor/actors"
	"github.com/mcp-supervisor/supervisor/messages"
)

// scripted answers each server's calls with a script of its own; the last line of it is repeated.
type scripted struct {
	mu     sync.Mutex
	script map[string][]messages.CallResult
	asked  []actors.CallRequest
}

func (s *scripted) CallTool(_ context.Context, r actors.CallRequest) messages.CallResult {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, r)
	lines := s.script[r.Server]
	if len(lines) > 1 {
		s.script[r.Server] = lines[1:]
	}
	result := lines[0]
	result.Server, result.Agent = r.Server, r.Agent
	return result
}

func hinting(d time.Duration) messages.CallResult {
	return messages.CallResult{Outcome: messages.Unavailable, Error: &messages.CallError{RetryAfter: messages.Millis(d)}}
}

var fine = messages.CallResult{Outcome: messages.OK}

func TestHintsAreFollowed(t *testing.T) {
	timeout := messages.CallResult{Outcome: messages.Timeout, Error: &messages.CallError{}}
	for _, tt := range []struct {
		name           string
		script         []messages.CallResult
		calls          int
		hinted, ok     int
		atLeast, below time.Duration
	}{
		{"no hint, no wait", []messages.CallResult{fine}, 1, 0, 0, 0, time.Millisecond},
		{"a failure without a hint", []messages.CallResult{timeout}, 1, 0, 0, 0, time.Millisecond},
		{"a hint that holds", []messages.CallResult{hinting(time.Second), fine}, 2, 1, 1, time.Second, 2 * time.Second},
		{"a hint, and another one", []messages.CallResult{hinting(time.Second), hinting(time.Second), fine}, 3, 1, 1, 2 * time.Second, 3 * time.Second},
		{"a hint that does not hold", []messages.CallResult{hinting(time.Second), timeout}, 2, 1, 0, time.Second, 2 * time.Second},
		{"hints without end", []messages.CallResult{hinting(time.Second)}, 4, 1, 0, 3 * time.Second, 4 * time.Second},
		{"a hint that is too long", []messages.CallResult{hinting(time.Minute)}, 1, 0, 0, 0, time.Millisecond},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				gated := &scripted{script: map[string][]messages.CallResult{"a": tt.script}}
				l := &load{caller: newCaller(gated, newBooks()), targets: []Target{{Server: "a", Tool: "x"}}}
				began := time.Now()
				newAgent(l, 0, 1).work(t.Context())
				if took := time.Since(began); took < tt.atLeast || took >= tt.below {
					t.Errorf("took %s, want from %s to below %s", took, tt.atLeast, tt.below)
				}
				if len(gated.asked) != tt.calls || l.hinted != tt.hinted || l.hintedOK != tt.ok {
					t.Errorf("%d calls, %d hints followed, %d ok; want %d, %d, %d", len(gated.asked), l.hinted, l.hintedOK, tt.calls, tt.hinted, tt.ok)
				}
			})
		})
	}
}

func TestAServerThatRestsIsLeftAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gated := &scripted{script: map[string][]messages.CallResult{"a": {hinting(time.Minute)}, "b": {fine}}}
		l := &load{caller: newCaller(gated, newBooks()), targets: []Target{{Server: "a", Tool: "x"}, {Server: "b", Tool: "x"}}}
		agent := newAgent(l, 1, 1)
		for range 100 {
			agent.work(t.Context())
		}
		calls := map[string]int{}
		for _, r := range gated.asked {
			calls[r.Server]++
		}
		if diff := cmp.Diff(map[string]int{"a": 1, "b": 99}, calls); diff != "" {
			t.Errorf("calls (-want +got):\n%s", diff)
		}
		time.Sleep(time.Minute) // of the bubble
		if _, ok := newAgent(l, 1, 1).pick(time.Now()); !ok {
			t.Error("nobody to call after the rest")
		}
	})
}

func TestEveryServerHasCallersOfItsOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gated := &scripted{script: map[string][]messages.CallResult{"a": {fine}, "b": {fine}, "c": {fine}}}
		l := &load{caller: newCaller(gated, newBooks()), targets: []Target{{Server: "a", Tool: "x"}, {Server: "a", Tool: "y"}, {Server: "b", Tool: "x"}, {Server: "c", Tool: "x"}}}
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		l.start(ctx, 6, 1)
		l.wait(time.Minute)
		called := map[string][]string{}
		for _, r := range gated.asked {
			if !slices.Contains(called[r.Agent], r.Server) {
				called[r.Agent] = append(called[r.Agent], r.Server)
			}
		}
		for agent, want := range map[string][]string{"chaos-0": {"a"}, "chaos-2": {"b"}, "chaos-4": {"c"}} {
			if diff := cmp.Diff(want, called[agent]); diff != "" {
				t.Errorf("%s calls (-want +got):\n%s", agent, diff)
			}
		}
		if len(called["chaos-1"]) != 3 {
			t.Errorf("chaos-1 calls %v, want all", called["chaos-1"])
		}
	})
}

func TestTheCallerCounts(t *testing.T) {
	gated := &scripted{script: map[string][]messages.CallResult{
		"echo": {{Outcome: messages.OK, Result: json.RawMessage(`"one"`)}, {Outcome: messages.OK, Result: json.RawMessage(`"one"`)}, {Outcome: messages.Lost}},
		Ledger: {{Outcome: messages.OK, Result: json.RawMessage(`"k1"`)}},
	}}
	c := newCaller(gated, newBooks())
	echo := Target{Server: "echo", Tool: "echo", Marker: "text"}
	for _, text := range []string{"one", "two", "three"} { // two gets the answer of one
		c.call(t.Context(), "chaos-1", echo, text, 0)
	}
	c.call(t.Context(), "chaos-1", Target{Server: Ledger, Tool: "record", Marker: "key"}, "k1", 0)
	got := c.tally()
	want := map[string]map[messages.Outcome]int{"echo": {messages.OK: 2, messages.Lost: 1}, Ledger: {messages.OK: 1}}
	if diff := cmp.Diff(want, got.results); diff != "" {
		t.Errorf("results (-want +got):\n%s", diff)
	}
	if got.begun != 4 || got.ended != 4 || got.swapped != 1 {
		t.Errorf("begun %d, ended %d, swapped %d; want 4, 4, 1", got.begun, got.ended, got.swapped)
	}
	if _, known := got.entries["k1"]; !known || len(got.entries) != 1 {
		t.Errorf("entries %v, want k1 alone", got.entries)
	}
	if arguments := string(gated.asked[1].Arguments); arguments != `{"text":"two"}` {
		t.Errorf("arguments %s", arguments)
	}
}

func TestChoose(t *testing.T) {
	said := func(text string) messages.CallResult {
		return messages.CallResult{Outcome: messages.OK, Result: json.RawMessage(`"` + text + `"`)}
	}
	failed := messages.CallResult{Outcome: messages.ToolError}
	text := json.RawMessage(`{"properties":{"text":{"type":"string"}},"required":["text"]}`)
	tool := func(server, name string) actors.ToolInfo {
		return actors.ToolInfo{Server: server, Name: name, Effect: "read", InputSchema: text}
	}
	gated := &scripted{script: map[string][]messages.CallResult{
		"echo": {said("you said chaos-trial-0")},
		"hard": {failed, said("found nothing"), said("found nothing"), said("too many")},
		"bad":  {failed},
	}}
	tools := []actors.ToolInfo{
		tool("echo", "echo"), tool("hard", "read"), tool("hard", "search"), tool("hard", "list"), tool("hard", "more"), tool("bad", "read"), tool("named", "query"),
	}
	named := []Target{{Server: "named", Tool: "query", Arguments: json.RawMessage(`{"sql":"select 1"}`)}}
	chosen, why := choose(t.Context(), newCaller(gated, newBooks()), []string{"echo", "hard", "bad", "none", "named", Ledger}, tools, named)

	plain := json.RawMessage(`{"text":"chaos"}`)
	want := []Target{
		{Server: "echo", Tool: "echo", Arguments: plain, Marker: "text"},
		{Server: "hard", Tool: "search", Arguments: plain},
		{Server: "hard", Tool: "list", Arguments: plain},
		named[0],
		{Server: Ledger, Tool: "record", Arguments: json.RawMessage("{}"), Marker: "key"},
	}
	if diff := cmp.Diff(want, chosen); diff != "" {
		t.Errorf("chosen (-want +got):\n%s", diff)
	}
	wantWhy := map[string]string{
		"bad":  "tool read ended as tool_error when it was tried",
		"none": "none of its tools says that it reads and has arguments that can be made",
	}
	if diff := cmp.Diff(wantWhy, why); diff != "" {
		t.Errorf("why (-want +got):\n%s", diff)
	}
}

func TestNamedToolsMustBeThere(t *testing.T) {
	tools := []actors.ToolInfo{{Server: "a", Name: "x"}}
	if err := checkNamed([]Target{{Server: "a", Tool: "x"}}, []string{"a"}, tools); err != nil {
		t.Error(err)
	}
	if err := checkNamed([]Target{{Server: "a", Tool: "y"}}, []string{"a"}, tools); !says(err, "no tool a/y to call; servers that are up: a") {
		t.Errorf("checkNamed = %v", err)
	}
}
