package fake

import (
	"sync/atomic"
	"time"
)

// slowModes answer late or never.
func slowModes() []mode {
	var hung atomic.Bool
	return []mode{
		{name: "slow-init", about: "answers initialize after --ms", numbers: numbers{ms: 3000}, on: onInit(late)},
		{name: "init-never", about: "never answers initialize", on: onInit(never)},
		{name: "slow-list", about: "answers tools/list after --ms", numbers: numbers{ms: 3000}, on: map[string]hook{"tools/list": late}},
		{name: "hang-call", about: "never answers tools/call; other requests still work", on: onCall(never)},
		{
			name: "hang-first-call", about: "never answers the first tools/call; the later ones work",
			on: onCall(func(_ *server, _ *message, next func()) {
				if hung.Swap(true) {
					next()
				}
			}),
		},
		{
			name: "block-call", about: "tools/call blocks the whole server for --ms", numbers: numbers{ms: 1000},
			on: onCall(func(s *server, _ *message, next func()) {
				for end := time.Now().Add(ms(s.ms)); time.Now().Before(end); {
					continue // busy on purpose: a server that computes
				}
				next()
			}),
		},
	}
}

func never(*server, *message, func()) {}

func late(s *server, _ *message, next func()) {
	s.beside(func() {
		time.Sleep(ms(s.ms))
		next()
	})
}
