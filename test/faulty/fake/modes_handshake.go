package fake

import "sync/atomic"

// handshakeModes deviate in initialize.
func handshakeModes() []mode {
	var initialized atomic.Bool
	return []mode{
		negotiates("proto-old", "negotiates 2024-11-05", "2024-11-05"),
		negotiates("proto-mid", "negotiates 2025-03-26", "2025-03-26"),
		negotiates("proto-future", "negotiates 2099-01-01 whatever was asked", "2099-01-01"),
		{
			name: "proto-missing", about: "initialize result has no protocolVersion",
			handshake: func(_ *server, result fields) { delete(result, "protocolVersion") },
		},
		{
			name: "init-error", about: "initialize answered with a JSON-RPC error that carries the real reason",
			on: onInit(func(s *server, m *message, _ func()) {
				s.fail(m, serverError, "reason-marker-4714: the licence has expired")
			}),
		},
		{
			name: "strict-init", about: "answers -32002 to anything before notifications/initialized was received",
			on: map[string]hook{"*": func(s *server, m *message, next func()) {
				if m.Method == "notifications/initialized" {
					initialized.Store(true)
				}
				if m.ID != nil && m.Method != "initialize" && !initialized.Load() {
					s.fail(m, notInitialized, "not initialized")
					return
				}
				next()
			}},
		},
		{
			name: "early-notification", about: "sends log and list_changed notifications before the initialize response",
			on: onInit(func(s *server, _ *message, next func()) {
				s.notify("notifications/message", `{"level":"info","data":"waking up"}`)
				s.notify("notifications/tools/list_changed", `{}`)
				next()
			}),
		},
		{
			name: "request-before-init", about: "sends ping and roots/list before the initialize response and waits for the replies",
			on: onInit(func(s *server, _ *message, next func()) {
				s.beside(func() {
					s.ask(`"early-1"`, "ping")
					s.ask(`"early-2"`, "roots/list")
					next()
				})
			}),
		},
	}
}

func negotiates(name, about, version string) mode {
	return mode{name: name, about: about, handshake: func(_ *server, result fields) { result["protocolVersion"] = version }}
}
