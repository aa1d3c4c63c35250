package actors

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcp-supervisor/supervisor/messages"
)

// hub hands events to subscribers. It never blocks: a subscriber that does not keep up loses events and can see how
// many.
type hub struct {
	mu   sync.Mutex
	subs map[*Subscription]struct{}
}

// everything is wanted by those who do not say what.
func everything(messages.Event) bool { return true }

func newHub() *hub { return &hub{subs: map[*Subscription]struct{}{}} }

// Subscription is a stream of events. A subscriber that reads too slowly loses the newest ones.
type Subscription struct {
	// C delivers events in the order they were published. It is closed by Close and when the supervisor has stopped.
	C       <-chan messages.Event
	ch      chan messages.Event
	hub     *hub
	wanted  func(messages.Event) bool
	dropped atomic.Int64
}

// Dropped is how many events were lost because the buffer was full.
func (s *Subscription) Dropped() int { return int(s.dropped.Load()) }

// Close ends the subscription. It is safe to call twice.
func (s *Subscription) Close() { s.hub.remove(s) }

func (h *hub) subscribe(buffer int, wanted func(messages.Event) bool) *Subscription {
	ch := make(chan messages.Event, max(buffer, 1))
	s := &Subscription{C: ch, ch: ch, hub: h, wanted: wanted}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.subs == nil { // the supervisor has stopped
		close(ch)
		return s
	}
	h.subs[s] = struct{}{}
	return s
}

func (h *hub) remove(s *Subscription) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if _, ok := h.subs[s]; ok {
		delete(h.subs, s)
		close(s.ch)
	}
}

func (h *hub) publish(e messages.Event) {
	if e.Time.IsZero() {
		e.Time = time.Now()
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for s := range h.subs {
		if !s.wanted(e) {
			continue
		}
		select {
		case s.ch <- e:
		default:
			s.dropped.Add(1)
		}
	}
}

// close ends all subscriptions, present and future.
func (h *hub) close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for s := range h.subs {
		close(s.ch)
	}
	h.subs = nil
}
