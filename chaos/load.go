package chaos

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/mcp-supervisor/supervisor/internal/safe"
	"github.com/mcp-supervisor/supervisor/messages"
)

const (
	// thinking is the longest pause of an agent between two calls. Without one the load would measure the machine.
	thinking = 20 * time.Millisecond
	// longestHint is how long an agent waits where it is told when to try again. Told more, it works with other servers
	// until then.
	longestHint = 2 * time.Second
	// followed is how many hints in a row an agent follows for one task: while servers are struck all the time, the one
	// that came back may be struck again.
	followed = 3
)

// load is many agents that call.
type load struct {
	caller  *caller
	targets []Target

	mu       sync.Mutex
	hinted   int // tasks that were told when to try again, and did
	hintedOK int
	working  sync.WaitGroup
}

// start makes n agents call until ctx ends; a call that is under way then is waited for. Every other agent is at home with one
// server and calls no other: otherwise all would soon wait for the one that hangs, and nobody would see the others come back.
func (l *load) start(ctx context.Context, n int, seed uint64) {
	for i := range n {
		a := newAgent(l, i, seed)
		l.working.Add(1)
		safe.Go("chaos agent", nil, func() {
			defer l.working.Done()
			for ctx.Err() == nil {
				a.work(ctx)
				pause(ctx, time.Duration(a.random.Float64()*float64(thinking)))
			}
		})
	}
}

// servers are those that are called, in order.
func (l *load) servers() []string {
	var ids []string
	for _, t := range l.targets {
		if !slices.Contains(ids, t.Server) {
			ids = append(ids, t.Server)
		}
	}
	return ids
}

// wait returns when all agents are done, or after limit.
func (l *load) wait(limit time.Duration) {
	done := make(chan struct{})
	safe.Go("chaos load", nil, func() { l.working.Wait(); close(done) })
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-done:
	case <-timer.C:
	}
}

func (l *load) follow(ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.hinted++
	if ok {
		l.hintedOK++
	}
}

// agent makes one call after the other.
type agent struct {
	load    *load
	name    string
	targets []Target
	random  *rand.Rand
	calls   int
	rests   map[string]time.Time // by server: when it is expected back
}

func newAgent(l *load, n int, seed uint64) *agent {
	a := &agent{
		load: l, name: agentID(n), targets: l.targets, random: rand.New(rand.NewPCG(seed, uint64(n)+1)), rests: map[string]time.Time{},
	}
	if homes := l.servers(); n%2 == 0 && len(homes) > 0 {
		a.targets = ofServer(homes[n/2%len(homes)], l.targets)
	}
	return a
}

// work is one task: a call, and another one for as long as the answer says when to try again.
func (a *agent) work(ctx context.Context) {
	t, ok := a.pick(time.Now())
	if !ok {
		return
	}
	r := a.call(t)
	for tries := 0; tries < followed; tries++ {
		hint := hintOf(r)
		switch {
		case hint > longestHint:
			a.rests[t.Server] = time.Now().Add(hint)
			return
		case hint == 0 && tries == 0:
			return
		case hint == 0:
			a.load.follow(r.Outcome == messages.OK)
			return
		}
		if pause(ctx, hint); ctx.Err() != nil {
			return // nobody followed the hint to its end
		}
		r = a.call(t)
	}
	a.load.follow(r.Outcome == messages.OK)
}

// hintOf is when to try again; 0 when nobody knows, or when there is no need.
func hintOf(r messages.CallResult) time.Duration {
	if r.Error == nil {
		return 0
	}
	return time.Duration(r.Error.RetryAfter)
}

// pick draws one of the tools whose server does not rest.
func (a *agent) pick(now time.Time) (Target, bool) {
	var awake []Target
	for _, t := range a.targets {
		if !now.Before(a.rests[t.Server]) {
			awake = append(awake, t)
		}
	}
	if len(awake) == 0 {
		return Target{}, false
	}
	return awake[a.random.IntN(len(awake))], true
}

// call ends by itself: every call has a time-out. Its context does not end with the load's, because a cancelled call proves
// little.
func (a *agent) call(t Target) messages.CallResult {
	a.calls++
	r, _ := a.load.caller.call(context.Background(), a.name, t, fmt.Sprintf("%s-%d", a.name, a.calls), 0)
	return r
}
