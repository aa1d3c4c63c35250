package fake

import (
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// sessionModes lose, change or do without sessions, over HTTP.
func sessionModes() []mode {
	return []mode{
		{name: "stateless", about: "http: gives no Mcp-Session-Id; GET and DELETE are 405"},
		{
			name: "session-404", about: "http: the session dies after --n tool calls", numbers: numbers{n: 1},
			web: onPost("tools/call", expires()),
		},
		{
			name: "session-404-always", about: "http: every tools/call gives 404, also in fresh sessions",
			web: onPost("tools/call", func(x *exchange, _ func()) {
				x.refuse(http.StatusNotFound, "application/json", x.rpcError(-32001, "Session not found"))
			}),
		},
		{
			name: "session-32001", about: "http: the session dies after --n tool calls: 200 with JSON-RPC error -32001", numbers: numbers{n: 1},
			web: onPost("tools/call", func() func(*exchange, func()) {
				inner := expires()
				return func(x *exchange, next func()) {
					inner(x, func() {
						if x.inSession() {
							next()
							return
						}
						x.json(x.rpcError(-32001, "Session not found"))
					})
				}
			}()),
		},
		{
			name: "session-changes", about: "http: sends a new Mcp-Session-Id on a later response; the old one goes on working",
			web: onPost("tools/call", func(x *exchange, next func()) {
				x.w.Header().Set("Mcp-Session-Id", "another-session")
				next()
			}),
		},
		{name: "session-odd-id", about: "http: the session id holds !#$%&*+.^_|~"},
	}
}

// expires forgets a session after n calls.
func expires() func(*exchange, func()) {
	var mu sync.Mutex
	calls := map[string]int{}
	return func(x *exchange, next func()) {
		mu.Lock()
		calls[x.session()]++
		if calls[x.session()] > x.n {
			x.forget(x.session())
		}
		mu.Unlock()
		next()
	}
}

// headerModes look closely at the headers of the client.
func headerModes() []mode {
	var negotiated atomic.Value
	var initialized atomic.Bool
	return []mode{
		{
			name: "strict-proto", about: "http: 400 unless MCP-Protocol-Version is sent on every request after initialize",
			web: func(x *exchange, next func()) {
				if x.m.Method == "initialize" {
					negotiated.Store(x.m.Params.Protocol)
				} else if x.r.Header.Get("Mcp-Protocol-Version") != negotiated.Load() {
					x.refuse(http.StatusBadRequest, "text/plain", "bad or missing MCP-Protocol-Version")
					return
				}
				next()
			},
		},
		{
			name: "strict-accept", about: "http: 406 unless Accept holds both application/json and text/event-stream",
			web: onPost("*", func(x *exchange, next func()) {
				accept := strings.FieldsFunc(x.r.Header.Get("Accept"), func(r rune) bool { return r == ',' || r == ' ' })
				if !slices.Contains(accept, "application/json") || !slices.Contains(accept, "text/event-stream") {
					x.refuse(http.StatusNotAcceptable, "text/plain", "not acceptable")
					return
				}
				next()
			}),
		},
		{
			name: "strict-order", about: "http: requests before notifications/initialized get 400",
			web: func(x *exchange, next func()) {
				switch {
				case x.m.Method == "notifications/initialized":
					initialized.Store(true)
				case x.m.Method != "initialize" && !initialized.Load():
					x.refuse(http.StatusBadRequest, "text/plain", "not initialized")
					return
				}
				next()
			},
		},
		{
			name: "set-cookie", about: "http: wants the cookie it set back (sticky load balancer), otherwise 404",
			web: func(x *exchange, next func()) {
				if x.m.Method == "initialize" {
					http.SetCookie(x.w, &http.Cookie{Name: "lb", Value: "node-1", Path: "/"})
				} else if c, err := x.r.Cookie("lb"); err != nil || c.Value != "node-1" {
					x.refuse(http.StatusNotFound, "text/plain", "no such session on this node")
					return
				}
				next()
			},
		},
		{
			name: "gzip", about: "http: answers to POSTs are compressed if the client accepts that",
			web: onPost("*", compressed),
		},
	}
}
