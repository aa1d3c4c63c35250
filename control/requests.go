package control

import (
	"context"
	"sync"
)

// requests is the table of requests that are being answered.
type requests struct {
	mu     sync.Mutex
	cancel map[string]context.CancelFunc // of those that have a name
	active int
}

// begin enters a request and returns the context it runs in and the function that takes it out again.
func (t *requests) begin(ctx context.Context, name string) (context.Context, func()) {
	ctx, cancel := context.WithCancel(ctx)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.active++
	if name != "" {
		t.cancel[name] = cancel
	}
	return ctx, func() {
		cancel()
		t.mu.Lock()
		defer t.mu.Unlock()
		t.active--
		delete(t.cancel, name)
	}
}

// stop cancels the request with that name and reports whether there is one.
func (t *requests) stop(name string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	cancel, ok := t.cancel[name]
	if ok {
		cancel()
	}
	return ok
}

func (t *requests) count() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.active
}
