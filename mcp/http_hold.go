package mcp

import (
	"net/http"
	"sync"
	"time"

	"github.com/mcp-supervisor/supervisor/mcp/spec"
)

// hold keeps calls back after the server asked for a pause (status 429 or 503 with Retry-After). They are refused at
// once, with the rest of the pause as the hint: a caller can do something else with the time, a queue could not.
type hold struct {
	mu     sync.Mutex
	status int
	until  time.Time
}

// heed takes a refusal in. A longer pause stays when a shorter one is asked for later.
func (h *hold) heed(e *StatusError, now time.Time) {
	if e.Status != http.StatusTooManyRequests && e.Status != http.StatusServiceUnavailable {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if until := now.Add(e.RetryAfter); until.After(h.until) {
		h.status, h.until = e.Status, until
	}
}

// refusal is the reply to a call that comes during the pause. Pings and lists go through.
func (h *hold) refusal(c *call, now time.Time) (r spec.Reply, held bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	rest := h.until.Sub(now)
	if rest <= 0 || c.method != "tools/call" {
		return spec.Reply{}, false
	}
	e := &StatusError{Status: h.status, RetryAfter: rest, Detail: "not sent: the server asked for a pause"}
	return spec.Reply{Err: e, RetryAfter: rest}, true
}
