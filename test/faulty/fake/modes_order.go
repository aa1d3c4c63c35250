package fake

import (
	"slices"
	"sync"
)

// orderModes answer calls in another order than they came in.
func orderModes() []mode {
	return []mode{
		{
			name: "out-of-order", about: "collects --n tools/call requests, answers them in reverse order", numbers: numbers{n: 2},
			on: onCall(reversed(func(s *server) int { return s.n })),
		},
		{
			name: "cross-talk", about: "collects two tools/call requests, answers both in reverse order",
			on: onCall(reversed(func(*server) int { return 2 })),
		},
	}
}

// reversed holds calls back until there are as many as size says, and runs them last first.
func reversed(size func(*server) int) hook {
	var mu sync.Mutex
	var held []func()
	return func(s *server, _ *message, next func()) {
		mu.Lock()
		defer mu.Unlock()
		if held = append(held, next); len(held) < size(s) {
			return
		}
		for _, run := range slices.Backward(held) {
			run()
		}
		held = nil
	}
}
