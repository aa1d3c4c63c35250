package actors

import "sync"

// custody is who has to end a session that was opened: the goroutine that opened it until keep, the actor from then on.
type custody struct {
	mu   sync.Mutex
	live Session
	gone bool
}

// keep hands a session over. It reports false when the actor is gone, and the session is still the caller's.
func (c *custody) keep(live Session) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.gone {
		c.live = live
	}
	return !c.gone
}

// release marks the actor as gone and returns the session it had, or nil.
func (c *custody) release() Session {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.gone = true
	live := c.live
	c.live = nil
	return live
}
