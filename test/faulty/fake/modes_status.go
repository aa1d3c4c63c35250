package fake

import (
	"net/http"
	"sync/atomic"
)

// statusModes answer with a status that is no success.
func statusModes() []mode {
	var busy atomic.Bool
	return []mode{
		{name: "413", about: "http: tools/call gives 413", web: onPost("tools/call", func(x *exchange, _ func()) {
			x.w.WriteHeader(http.StatusRequestEntityTooLarge)
		})},
		{name: "html-502", about: "http: 502 with an HTML page on tools/call", web: onPost("tools/call", func(x *exchange, _ func()) {
			x.refuse(http.StatusBadGateway, "text/html", "<html><h1>Bad Gateway</h1></html>")
		})},
		{name: "500-json", about: "http: tools/call: 500 with a JSON-RPC error body", web: onPost("tools/call", func(x *exchange, _ func()) {
			x.refuse(http.StatusInternalServerError, "application/json", x.rpcError(internalError, "reason-marker-4721: out of disk"))
		})},
		{
			name: "503-retry", about: "http: the first --n POSTs give 503 with Retry-After: 1", numbers: numbers{n: 1},
			web: onPost("*", firstTimes(http.StatusServiceUnavailable)),
		},
		{
			name: "429-retry", about: "http: the first --n tools/calls give 429 with Retry-After: 1", numbers: numbers{n: 1},
			web: onPost("tools/call", firstTimes(http.StatusTooManyRequests)),
		},
		{name: "202-request", about: "http: tools/call gives 202 and nothing else", web: onPost("tools/call", func(x *exchange, _ func()) {
			x.w.WriteHeader(http.StatusAccepted)
		})},
		{name: "concurrency-1", about: "http: a second POST while one runs gives 409", web: onPost("*", func(x *exchange, next func()) {
			if busy.Swap(true) {
				x.refuse(http.StatusConflict, "text/plain", "one at a time")
				return
			}
			defer busy.Store(false)
			next()
		})},
	}
}

// firstTimes refuses the first n requests for a second.
func firstTimes(status int) func(*exchange, func()) {
	var seen atomic.Int64
	return func(x *exchange, next func()) {
		if seen.Add(1) > int64(x.n) {
			next()
			return
		}
		x.w.Header().Set("Retry-After", "1")
		x.w.WriteHeader(status)
	}
}

// notifyModes answer notifications in ways of their own.
func notifyModes() []mode {
	notified := func(status int, body string) func(*exchange, func()) {
		return onPost("*", func(x *exchange, next func()) {
			if x.m.ID != nil || x.m.Method == "" {
				next()
				return
			}
			x.take()
			x.w.Header().Set("Content-Type", "application/json")
			x.w.WriteHeader(status)
			x.write(body)
		})
	}
	return []mode{
		{name: "204-notify", about: "http: notifications get 204", web: notified(http.StatusNoContent, "")},
		{name: "200-notify", about: "http: notifications get 200 with a JSON body", web: notified(http.StatusOK, "{}")},
		{
			name: "notify-error", about: "http: notifications/initialized gets 500",
			web: onPost("notifications/initialized", func(x *exchange, _ func()) { x.w.WriteHeader(http.StatusInternalServerError) }),
		},
	}
}
