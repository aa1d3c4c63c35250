package chaos

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/mcp-supervisor/supervisor/actors"
	"github.com/mcp-supervisor/supervisor/messages"
)

// gated makes governed calls. *actors.Supervisor does.
type gated interface {
	CallTool(ctx context.Context, r actors.CallRequest) messages.CallResult
}

// caller makes every call of a run, and counts.
type caller struct {
	gated gated
	books *books

	mu      sync.Mutex
	begun   int
	results map[string]map[messages.Outcome]int // by server
	entries map[string]messages.CallResult      // what became of the ledger's keys; without their results
	swapped int                                 // answers that do not hold their own call's marker
}

func newCaller(g gated, b *books) *caller {
	return &caller{gated: g, books: b, results: map[string]map[messages.Outcome]int{}, entries: map[string]messages.CallResult{}}
}

// call makes one call and enters its one result. text is what takes the marker's place; it is returned for convenience.
func (c *caller) call(ctx context.Context, agent string, t Target, text string, limit time.Duration) (messages.CallResult, string) {
	c.mu.Lock()
	c.begun++
	c.mu.Unlock()
	r := c.gated.CallTool(ctx, actors.CallRequest{
		Agent: agent, Server: t.Server, Tool: t.Tool, Arguments: t.arguments(text), Timeout: limit,
	})
	c.books.ended(r, time.Now())
	c.enter(r, t, text)
	return r, text
}

func (c *caller) enter(r messages.CallResult, t Target, text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.results[t.Server] == nil {
		c.results[t.Server] = map[messages.Outcome]int{}
	}
	c.results[t.Server][r.Outcome]++
	if agentMarks(t, r) && !strings.Contains(string(r.Result), text) {
		c.swapped++
	}
	if t.Server == Ledger {
		r.Result, r.Error = nil, nil // a run of hours has millions of them
		c.entries[text] = r
	}
}

// agentMarks reports whether the answer has to hold the marker. A trial call by the operator only looks whether it does.
func agentMarks(t Target, r messages.CallResult) bool {
	return t.Marker != "" && r.Outcome == messages.OK && strings.HasPrefix(r.Agent, "chaos-")
}

// tally is what was counted so far.
type tally struct {
	begun, ended, swapped int
	results               map[string]map[messages.Outcome]int
	entries               map[string]messages.CallResult
}

func (c *caller) tally() tally {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := tally{begun: c.begun, swapped: c.swapped, entries: map[string]messages.CallResult{}, results: map[string]map[messages.Outcome]int{}}
	for server, outcomes := range c.results {
		t.results[server] = map[messages.Outcome]int{}
		for o, n := range outcomes {
			t.results[server][o] = n
			t.ended += n
		}
	}
	for key, r := range c.entries {
		t.entries[key] = r
	}
	return t
}
