package mcp

import (
	"sync"
	"time"

	"github.com/mcp-supervisor/supervisor/internal/safe"
)

// settleTime is how long to wait for more of the same news: a server that adds twenty tools says so twenty times.
const settleTime = 100 * time.Millisecond

// debounce calls do once for all hits within settleTime of the first.
type debounce struct {
	do func()

	mu      sync.Mutex
	timer   *time.Timer
	stopped bool
}

func (d *debounce) hit() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.stopped || d.timer != nil {
		return
	}
	d.timer = time.AfterFunc(settleTime, func() {
		d.mu.Lock()
		d.timer = nil
		stopped := d.stopped
		d.mu.Unlock()
		if !stopped {
			_ = safe.Do("tools changed", func() error { d.do(); return nil })
		}
	})
}

func (d *debounce) stop() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.stopped = true
	if d.timer != nil {
		d.timer.Stop()
	}
}
