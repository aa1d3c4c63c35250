package fake

import (
	"net/http"
	"strings"
)

// waitModes keep the client waiting, over HTTP.
func waitModes() []mode {
	return []mode{
		{name: "slow", about: "http: every response starts after --ms", numbers: numbers{ms: 3000}, web: func(x *exchange, next func()) {
			if x.wait(x.ms) {
				next()
			}
		}},
		{name: "blackhole", about: "http: accepts connections, never answers anything", web: func(x *exchange, _ func()) { x.hang() }},
		{name: "blackhole-call", about: "http: tools/call is never answered (no headers)", web: onPost("tools/call", func(x *exchange, _ func()) { x.hang() })},
		{
			name: "hang-sse-call", about: "http: tools/call: SSE headers and comments every 100 ms for ever, no response",
			web: onPost("tools/call", func(x *exchange, _ func()) {
				x.stream()
				for x.wait(100) {
					x.write(": still here\n\n")
				}
			}),
		},
		{
			name: "keepalive", about: "http: tools/call: SSE comments for --ms, then the response", numbers: numbers{ms: 500},
			web: onPost("tools/call", func(x *exchange, _ func()) {
				x.stream()
				for range x.ms / 50 {
					if !x.wait(50) {
						return
					}
					x.write(": still here\n\n")
				}
				if text, ok := x.reply(); ok {
					x.event("", strings.TrimSpace(text))
				}
			}),
		},
	}
}

// largeModes answer tools/call with a lot, over HTTP.
func largeModes() []mode {
	long := func(x *exchange) string { return response(x.m, textResult(strings.Repeat("x", x.size))) }
	return []mode{
		{
			name: "huge", about: "http: tools/call result of --size bytes (JSON)", numbers: numbers{size: 3_000_000},
			web: onPost("tools/call", func(x *exchange, _ func()) { x.json(long(x)) }),
		},
		{
			name: "huge-sse", about: "http: tools/call result of --size bytes in one SSE data line", numbers: numbers{size: 3_000_000},
			web: onPost("tools/call", func(x *exchange, _ func()) { x.stream(); x.event("", long(x)) }),
		},
	}
}

// typeModes answer with odd content types.
func typeModes() []mode {
	kind := func(name, kind, about string) mode {
		return mode{name: name, about: "http: " + about, web: func(x *exchange, next func()) { x.kind = kind; next() }}
	}
	return []mode{
		kind("ct-charset", "application/json; charset=utf-8", "Content-Type: application/json; charset=utf-8"),
		kind("ct-case", "Application/JSON", "Content-Type: Application/JSON"),
		kind("ct-text", "text/plain", "right JSON as text/plain"),
		kind("ct-missing", "", "right JSON without Content-Type"),
		{name: "html-200", about: "http: 200 with an HTML login page", web: func(x *exchange, _ func()) {
			x.refuse(http.StatusOK, "text/html", "<html><h1>Please log in</h1></html>")
		}},
	}
}
