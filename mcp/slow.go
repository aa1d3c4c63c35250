package mcp

import (
	"sync"
	"time"

	"github.com/mcp-supervisor/supervisor/internal/safe"
	"github.com/mcp-supervisor/supervisor/mcp/spec"
)

// Slow makes the server look slow, for chaos runs only: for a period from now, its answers to calls, lists and pings are
// delivered so much later than they came, in their order. Until then a call has no answer: it can be cancelled, and it is
// lost if the session ends. What an HTTP server answers by its status alone is not held back.
//
// It works with all transports and returns at once: ErrClosed when the session is over. A second Slow replaces the first
// one's numbers, 0 and less end it; what is held by then is still delivered in its time.
func (s *Session) Slow(by, period time.Duration) error {
	if s.over() {
		return ErrClosed
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	until := time.Now().Add(period)
	if running := s.slow.Load(); running != nil && running.set(by, until) {
		return nil
	}
	w := &slowness{s: s, by: by, until: until, wake: make(chan struct{}, 1)}
	s.slow.Store(w)
	safe.Go("mcp slow", s.crashed, w.run)
	return nil
}

// slowness holds answers back for a time.
type slowness struct {
	s    *Session
	wake chan struct{} // holds a token when run has something to look at

	mu    sync.Mutex
	by    time.Duration
	until time.Time
	queue []heldAnswer // in the order in which they are due
	over  bool         // nothing is held any more, and nothing is taken
}

type heldAnswer struct {
	due   time.Time
	id    int64
	reply spec.Reply
}

// set changes the numbers, and reports false when it is over.
func (w *slowness) set(by time.Duration, until time.Time) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.over {
		return false
	}
	w.by, w.until = by, until
	w.poke()
	return true
}

// take takes an answer, and reports false when it is over. What comes after the time, while others are still held, only
// waits for those.
func (w *slowness) take(id int64, reply spec.Reply, now time.Time) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.over {
		return false
	}
	due := now
	if now.Before(w.until) {
		due = now.Add(w.by)
	}
	if n := len(w.queue); n > 0 && due.Before(w.queue[n-1].due) {
		due = w.queue[n-1].due
	}
	if !w.s.pending.hold(id) {
		w.s.late.Add(1)
		return true
	}
	w.queue = append(w.queue, heldAnswer{due, id, reply})
	w.poke()
	return true
}

func (w *slowness) poke() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// run delivers answers until the time is over and none is held, or the session is dead.
func (w *slowness) run() {
	for {
		answer, pause, over := w.next(time.Now())
		switch {
		case over:
			w.s.slow.CompareAndSwap(w, nil)
			return
		case pause <= 0:
			w.s.deliver(answer.id, answer.reply)
			continue
		}
		select {
		case <-time.After(pause):
		case <-w.wake:
		case <-w.s.dead:
			return
		}
	}
}

// next takes out the answer that is due, or says how long nothing will be to do.
func (w *slowness) next(now time.Time) (answer heldAnswer, pause time.Duration, over bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.queue) == 0 {
		pause = w.until.Sub(now)
		w.over = pause <= 0
		return heldAnswer{}, pause, w.over
	}
	if pause = w.queue[0].due.Sub(now); pause > 0 {
		return heldAnswer{}, pause, false
	}
	answer = w.queue[0]
	w.queue = w.queue[1:]
	return answer, 0, false
}
