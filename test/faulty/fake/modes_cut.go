package fake

import (
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"
)

// cutModes break connections off in the middle of a call.
func cutModes() []mode {
	return []mode{
		{
			name: "drop-mid-stream", about: "http: tools/call opens SSE with an event id and is cut; the answer waits for GET with Last-Event-ID",
			web: resumable(false),
		},
		{
			name: "drop-retry", about: "http: as drop-mid-stream with a retry field of --ms; an earlier GET is refused", numbers: numbers{ms: 700},
			web: resumable(true),
		},
		{
			name: "drop-no-id", about: "http: tools/call opens SSE, sends no id, and is cut; the answer is lost",
			web: onPost("tools/call", func(x *exchange, _ func()) { x.stream(); x.write(": hello\n\n"); x.cut() }),
		},
		{
			name: "drop-clean", about: "http: tools/call opens SSE and ends it cleanly without any response",
			web: onPost("tools/call", func(x *exchange, _ func()) { x.stream() }),
		},
		{
			name: "drop-mid-body", about: "http: tools/call gets a JSON body that is shorter than its Content-Length",
			web: onPost("tools/call", func(x *exchange, _ func()) {
				x.w.Header().Set("Content-Type", "application/json")
				x.w.Header().Set("Content-Length", "1000")
				x.write(`{"jsonrpc":"2.0",`)
				x.cut()
			}),
		},
		{name: "reset", about: "http: the socket is destroyed on tools/call", web: onPost("tools/call", func(x *exchange, _ func()) {
			conn, _, err := http.NewResponseController(x.w).Hijack()
			if err != nil {
				return
			}
			if tcp, ok := conn.(*net.TCPConn); ok {
				_ = tcp.SetLinger(0)
			}
			_ = conn.Close()
		})},
	}
}

// held is an answer that waits to be fetched.
type held struct {
	answer string
	since  time.Time
}

// resumable cuts calls off after an event with an id and gives the answer to who comes back with that.
func resumable(retry bool) func(*exchange, func()) {
	var mu sync.Mutex
	answers := map[string]held{}
	cut := func(x *exchange) {
		text, ok := x.reply()
		if !ok {
			return
		}
		mu.Lock()
		id := fmt.Sprintf("event-%d", len(answers)+1)
		answers[id] = held{text, time.Now()}
		mu.Unlock()
		x.stream()
		if retry {
			x.write(fmt.Sprintf("retry: %d\n", x.ms))
		}
		x.event(id, "")
		x.cut()
	}
	resume := func(x *exchange, next func()) {
		mu.Lock()
		h, ok := answers[x.r.Header.Get("Last-Event-ID")]
		mu.Unlock()
		switch {
		case !ok:
			next()
		case retry && time.Since(h.since) < ms(x.ms):
			x.refuse(http.StatusTooEarly, "text/plain", "too early")
		default:
			x.stream()
			x.event(x.r.Header.Get("Last-Event-ID")+"-answer", h.answer)
		}
	}
	return withGet(onPost("tools/call", func(x *exchange, _ func()) { cut(x) }), resume)
}

// withGet adds a hook for GETs to another one.
func withGet(others, get func(*exchange, func())) func(*exchange, func()) {
	return func(x *exchange, next func()) { onGet(get)(x, func() { others(x, next) }) }
}
