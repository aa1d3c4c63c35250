package main

import (
	"slices"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// leftFor is how long the kernel may take to let go of processes that were killed.
const leftFor = 2 * time.Second

// groups remembers process groups, to prove that they are gone in the end.
type groups struct {
	mu  sync.Mutex
	ids map[int]bool
}

func (g *groups) note(id int) {
	if id <= 1 { // none, or everybody
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.ids == nil {
		g.ids = map[int]bool{}
	}
	g.ids[id] = true
}

// left returns the groups that still have a process after within, in order.
func (g *groups) left(within time.Duration) []int {
	for deadline := time.Now().Add(within); ; time.Sleep(10 * time.Millisecond) {
		alive := g.alive()
		if len(alive) == 0 || time.Now().After(deadline) {
			return alive
		}
	}
}

func (g *groups) alive() []int {
	g.mu.Lock()
	defer g.mu.Unlock()
	var alive []int
	for id := range g.ids {
		if unix.Kill(-id, 0) != unix.ESRCH {
			alive = append(alive, id)
		}
	}
	slices.Sort(alive)
	return alive
}
