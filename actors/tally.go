package actors

import (
	"sync"

	"github.com/mcp-supervisor/supervisor/governance"
	"github.com/mcp-supervisor/supervisor/messages"
)

// tally counts the calls of runs, for policies that ask how many there were. The gates count; agents of one run may be
// in several of them.
type tally struct {
	mu   sync.Mutex
	runs map[string]*counts
}

type counts struct {
	all            int64
	agents, denied map[string]int64
}

// enter counts a call as it comes, and returns the calls before it: two that come at the same time are never both the
// first, however long each waits for its decision.
func (t *tally) enter(c messages.Call) governance.Counts {
	if c.Run == "" {
		return governance.Counts{}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	r := t.runs[c.Run]
	if r == nil {
		r = &counts{agents: map[string]int64{}, denied: map[string]int64{}}
		t.runs[c.Run] = r
	}
	before := governance.Counts{Agent: r.agents[c.Agent], Run: r.all}
	r.all++
	r.agents[c.Agent]++
	return before
}

// again is for a call that was entered before and is decided anew: at most the calls before it, and those since.
func (t *tally) again(c messages.Call) governance.Counts {
	t.mu.Lock()
	defer t.mu.Unlock()
	r := t.runs[c.Run]
	if r == nil {
		return governance.Counts{}
	}
	return governance.Counts{Agent: max(r.agents[c.Agent]-1, 0), Run: max(r.all-1, 0)}
}

// deny counts a denied call.
func (t *tally) deny(c messages.Call) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if r := t.runs[c.Run]; r != nil {
		r.denied[c.Agent]++
	}
}

// denials are the denied calls of a call's agent in its run.
func (t *tally) denials(c messages.Call) int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	if r := t.runs[c.Run]; r != nil {
		return r.denied[c.Agent]
	}
	return 0
}

// forget drops a run that has ended.
func (t *tally) forget(run string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.runs, run)
}
