package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/mcp-supervisor/supervisor/actors"
	"github.com/mcp-supervisor/supervisor/internal/safe"
	"github.com/mcp-supervisor/supervisor/messages"
)

// witness sees everything that happens during the demo: it shows it, and counts.
type witness struct {
	sup    *actors.Supervisor
	events *actors.Subscription
	view   *progress
	done   chan struct{} // closed when the last event is seen
	groups groups

	mu      sync.Mutex
	tally   demoTally
	ends    map[string]int        // how many ends each call had
	pending map[string]killedOnce // by server
}

// killedOnce is a kill that its server has not recovered from yet.
type killedOnce struct {
	at          time.Time
	incarnation int
}

// demoTally is what the witness counted.
type demoTally struct {
	runs     int
	calls    map[messages.Outcome]int
	restarts int
	kills    map[string]int // by server
	// slowest is the longest time from a kill to the next server.up, and of which server.
	slowest   time.Duration
	slowestOf string
	// recovered counts kills that were followed by a server.up.
	recovered int
	doubled   int // calls that ended more than once
	dropped   int // events the witness was too slow for
	down      []string
	left      []int
}

// eventBuffer holds the events of some seconds, so that a slow terminal loses none.
const eventBuffer = 1 << 16

func newWitness(sup *actors.Supervisor, view *progress) *witness {
	w := &witness{
		sup: sup, view: view, events: sup.Subscribe(eventBuffer), done: make(chan struct{}),
		ends: map[string]int{}, pending: map[string]killedOnce{},
		tally: demoTally{calls: map[messages.Outcome]int{}, kills: map[string]int{}},
	}
	w.look()
	safe.Go("demo.witness", nil, func() {
		defer close(w.done)
		for e := range w.events.C {
			w.see(e)
		}
	})
	return w
}

// close returns when the last event is seen. It is called when the supervisor has stopped.
func (w *witness) close() {
	w.events.Close()
	<-w.done
}

func (w *witness) see(e messages.Event) {
	if interesting(e) {
		w.view.show(e)
	}
	if e.Kind == messages.ServerUp {
		w.look()
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	switch e.Kind {
	case messages.CallEnded:
		w.tally.calls[e.Outcome]++
		w.ends[e.CallID]++
	case messages.ServerRestarting:
		w.tally.restarts++
	case messages.ServerUp:
		w.recover(e)
	default:
	}
}

// interesting leaves the many calls out that went as they should: the swarm is denied one call a run on purpose.
func interesting(e messages.Event) bool {
	return e.Kind != messages.AgentCompleted &&
		(e.Kind != messages.CallEnded || e.Outcome != messages.OK && e.Outcome != messages.Denied)
}

func (w *witness) recover(e messages.Event) {
	k, ok := w.pending[e.Server]
	if !ok || e.Incarnation <= k.incarnation {
		return
	}
	delete(w.pending, e.Server)
	w.tally.recovered++
	if took := e.Time.Sub(k.at); took > w.tally.slowest {
		w.tally.slowest, w.tally.slowestOf = took, e.Server
	}
}

// look notes the process groups that are there now.
func (w *witness) look() {
	statuses, err := w.sup.Servers(context.Background())
	if err != nil {
		return // it has stopped
	}
	for _, s := range statuses {
		w.groups.note(s.PID)
	}
}

// kills is told just before a server is killed.
func (w *witness) kills(s messages.ServerStatus) {
	w.groups.note(s.PID)
	_, _ = fmt.Fprintf(w.view.out, "%8s x kill -9 %s (pid %d)\n", "+"+seconds(time.Since(w.view.began)), s.ID, s.PID)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.tally.kills[s.ID]++
	w.pending[s.ID] = killedOnce{at: time.Now(), incarnation: s.Incarnation}
}

func (w *witness) answered(actors.RunResult) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.tally.runs++
}

// result is the tally, with what was looked up after the end.
func (w *witness) result(down []string, left []int) demoTally {
	w.mu.Lock()
	defer w.mu.Unlock()
	t := w.tally
	t.down, t.left, t.dropped = down, left, w.events.Dropped()
	for _, n := range w.ends {
		if n > 1 {
			t.doubled++
		}
	}
	return t
}
