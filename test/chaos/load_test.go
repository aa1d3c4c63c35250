package chaos

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"github.com/mcp-supervisor/supervisor/actors"
	"github.com/mcp-supervisor/supervisor/internal/safe"
	"github.com/mcp-supervisor/supervisor/messages"
)

// load is many agents that call, and what became of their calls.
type load struct {
	s       *actors.Supervisor
	servers int
	agents  sync.WaitGroup

	mu       sync.Mutex
	outcomes map[messages.Outcome]int
	hinted   int // tasks that were told when to try again, and did
	hintedOK int
	doubled  int // calls that got another call's answer
}

func newLoad(s *actors.Supervisor, servers int) *load {
	return &load{s: s, servers: servers, outcomes: map[messages.Outcome]int{}}
}

func (l *load) start(ctx context.Context, agents int, seed uint64) {
	for n := range agents {
		l.agents.Add(1)
		random := rand.New(rand.NewPCG(seed, uint64(n)))
		safe.Go("chaos agent", nil, func() {
			defer l.agents.Done()
			for ctx.Err() == nil {
				l.task(n, random)
			}
		})
	}
}

func (l *load) wait() { l.agents.Wait() }

// patience is how often an agent follows a retry hint before it lets a task be.
const patience = 3

// task is one thing an agent wants done: a call, and another one for as long as the answer says when to try again.
func (l *load) task(agent int, random *rand.Rand) {
	server := fmt.Sprintf("echo-%d", random.IntN(l.servers))
	r := l.call(agent, server, random)
	if r.Error == nil || r.Error.RetryAfter == 0 {
		return
	}
	for tries := 0; tries < patience && r.Error != nil && r.Error.RetryAfter > 0; tries++ {
		time.Sleep(time.Duration(r.Error.RetryAfter))
		r = l.call(agent, server, random)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.hinted++
	if r.Outcome == messages.OK {
		l.hintedOK++
	}
}

func (l *load) call(agent int, server string, random *rand.Rand) messages.CallResult {
	text := fmt.Sprintf("agent %d says %d", agent, random.Uint64())
	arguments, _ := json.Marshal(map[string]string{"text": text}) // strings always marshal
	r := l.s.CallTool(context.Background(), actors.CallRequest{
		Agent: fmt.Sprintf("agent-%d", agent), Server: server, Tool: "echo", Arguments: arguments,
	})
	l.mu.Lock()
	defer l.mu.Unlock()
	l.outcomes[r.Outcome]++
	if r.Outcome == messages.OK && !strings.Contains(string(r.Result), text) {
		l.doubled++
	}
	return r
}

func (l *load) total() int {
	n := 0
	for _, count := range l.outcomes {
		n += count
	}
	return n
}
