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

// of are the counts before a call.
func (t *tally) of(c messages.Call) governance.Counts {
	t.mu.Lock()
	defer t.mu.Unlock()
	r := t.runs[c.Run]
	if r == nil {
		return governance.Counts{}
	}
	return governance.Counts{Agent: r.agents[c.Agent], Run: r.all, Denied: r.denied[c.Agent]}
}

// count counts a call that was decided.
func (t *tally) count(c messages.Call, denied bool) {
	if c.Run == "" {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	r := t.runs[c.Run]
	if r == nil {
		r = &counts{agents: map[string]int64{}, denied: map[string]int64{}}
		t.runs[c.Run] = r
	}
	r.all++
	r.agents[c.Agent]++
	if denied {
		r.denied[c.Agent]++
	}
}

// forget drops a run that has ended.
func (t *tally) forget(run string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.runs, run)
}
