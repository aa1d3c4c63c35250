package chaos

import (
	"slices"
	"sync"
	"time"

	"github.com/mcp-supervisor/supervisor/messages"
)

// blow is one strike that hit.
type blow struct {
	kind        Kind
	server      string
	incarnation int // of the session that was hit
	at          time.Time
}

// books hold what was struck and what was heard and answered afterwards.
type books struct {
	mu    sync.Mutex
	open  map[string][]*blow         // by server: not recovered from yet
	last  map[string]map[int]blow    // by server and incarnation: the deadly blows whose bad news may still come
	hits  map[string]map[Kind]int    // by server
	back  []recovery                 // in the order they were seen
	heard []time.Duration            // from a deadly blow to the end of each call it cost
	up    map[string]cameUp          // the incarnations that are up
	ups   map[string][]time.Duration // what starts took
	again map[string]int             // restarts
}

type cameUp struct {
	incarnation int
	at          time.Time
}

// recovery is how long a blow took the server from its callers.
type recovery struct {
	kind   Kind
	server string
	took   time.Duration
}

func newBooks() *books {
	return &books{
		open: map[string][]*blow{}, last: map[string]map[int]blow{}, hits: map[string]map[Kind]int{},
		up: map[string]cameUp{}, ups: map[string][]time.Duration{}, again: map[string]int{},
	}
}

// strike enters a blow that is about to fall, so that no answer can be faster than the entry. miss takes it back.
func (b *books) strike(hit blow) (miss func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.hits[hit.server] == nil {
		b.hits[hit.server], b.last[hit.server] = map[Kind]int{}, map[int]blow{}
	}
	b.hits[hit.server][hit.kind]++
	entry := &hit
	if hit.kind.ends() {
		b.open[hit.server] = append(b.open[hit.server], entry)
	}
	deadly := hit.kind == Kill || hit.kind == Wrapper
	if deadly {
		b.last[hit.server][hit.incarnation] = hit
	}
	return func() {
		b.forget(entry)
		b.mu.Lock()
		defer b.mu.Unlock()
		b.hits[hit.server][hit.kind]--
		if deadly {
			delete(b.last[hit.server], hit.incarnation)
		}
	}
}

// forget says that there is nothing to recover from, after all: the server had only been stopped.
func (b *books) forget(entry *blow) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.open[entry.server] = slices.DeleteFunc(b.open[entry.server], func(o *blow) bool { return *o == *entry })
}

// ended enters the end of a call. A good answer of a later incarnation is the recovery from all blows before it; lost is
// the news of the blow that hit its own incarnation.
func (b *books) ended(r messages.CallResult, at time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch r.Outcome {
	case messages.OK:
		b.recovered(r.Server, r.Incarnation, at)
	case messages.Lost:
		if hit, ok := b.last[r.Server][r.Incarnation]; ok && at.After(hit.at) {
			b.heard = append(b.heard, at.Sub(hit.at))
		}
	default:
	}
}

func (b *books) recovered(server string, incarnation int, at time.Time) {
	b.open[server] = slices.DeleteFunc(b.open[server], func(hit *blow) bool {
		if incarnation <= hit.incarnation {
			return false
		}
		b.back = append(b.back, recovery{hit.kind, server, at.Sub(hit.at)})
		return true
	})
}

// see enters an event of the supervisor.
func (b *books) see(e messages.Event) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e.Kind {
	case messages.ServerUp:
		b.up[e.Server] = cameUp{e.Incarnation, e.Time}
		b.ups[e.Server] = append(b.ups[e.Server], time.Duration(e.Duration))
		for n := range b.last[e.Server] { // of what died two incarnations ago nobody will hear any more
			if n < e.Incarnation-1 {
				delete(b.last[e.Server], n)
			}
		}
	case messages.ServerExited:
		delete(b.up, e.Server)
	case messages.ServerRestarting:
		b.again[e.Server]++
	default:
	}
}

// incarnation is the number of the session that was opened at a time, or 0 as long as nothing was heard of it: events
// come a little later than what they tell.
func (b *books) incarnation(server string, opened time.Time) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	if up := b.up[server]; !up.at.Before(opened) {
		return up.incarnation
	}
	return 0
}

// unrecovered are the blows of a server that no later incarnation has answered after.
func (b *books) unrecovered(server string) []blow {
	b.mu.Lock()
	defer b.mu.Unlock()
	var open []blow
	for _, hit := range b.open[server] {
		open = append(open, *hit)
	}
	return open
}

// struck reports whether the server was hit at all.
func (b *books) struck(server string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, n := range b.hits[server] {
		if n > 0 {
			return true
		}
	}
	return false
}

// coldStarts are the times that starts took until now; the run asks before the first strike.
func (b *books) coldStarts() map[string][]time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	cold := map[string][]time.Duration{}
	for server, times := range b.ups {
		cold[server] = slices.Clone(times)
	}
	b.again = map[string]int{} // restarts are counted from here as well
	return cold
}
