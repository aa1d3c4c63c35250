package fake

import (
	"net/http"
	"strconv"
	"strings"
	"sync"
)

// legacyModes are servers that know only HTTP with SSE, protocol 2024-11-05.
func legacyModes() []mode {
	return []mode{
		{name: "sse-only", about: "http: legacy server: GET /sse and POST /messages; other POSTs give 405", web: legacy(http.StatusMethodNotAllowed)},
		{name: "sse-only-404", about: "http: legacy server; POST to the URL gives 404", web: legacy(http.StatusNotFound)},
		{name: "sse-only-400", about: "http: legacy server; POST to the URL gives 400", web: legacy(http.StatusBadRequest)},
		{name: "sse-cross", about: "http: legacy server that names an endpoint on --port2", web: legacy(http.StatusMethodNotAllowed)},
		{
			name: "sse-late-endpoint", about: "http: legacy: the endpoint event comes after --ms", numbers: numbers{ms: 1500},
			web: legacy(http.StatusMethodNotAllowed),
		},
		{
			name: "sse-auth-both", about: "http: legacy: wants a bearer token on GET /sse and on POST /messages",
			web: func() func(*exchange, func()) {
				inner := legacy(http.StatusMethodNotAllowed)
				return func(x *exchange, next func()) {
					if !strings.HasPrefix(x.r.Header.Get("Authorization"), "Bearer ") {
						x.unauthorized("Bearer")
						return
					}
					inner(x, next)
				}
			}(),
		},
	}
}

// legacy serves the older transport; a POST to anywhere but its endpoint gets a status.
func legacy(status int) func(*exchange, func()) {
	var mu sync.Mutex
	streams := map[string]chan string{}
	return func(x *exchange, _ func()) {
		switch {
		case x.r.Method == http.MethodGet:
			out := make(chan string, 1000)
			mu.Lock()
			id := strconv.Itoa(len(streams) + 1)
			streams[id] = out
			mu.Unlock()
			x.legacyStream(id, out)
		case x.r.Method == http.MethodPost && x.r.URL.Path == "/messages":
			mu.Lock()
			out := streams[x.r.URL.Query().Get("session")]
			mu.Unlock()
			if out == nil {
				x.refuse(http.StatusNotFound, "text/plain", "no such session")
				return
			}
			x.w.WriteHeader(http.StatusAccepted)
			x.flush()
			x.legacyMessage(out)
		default:
			x.refuse(status, "text/plain", "wrong way in")
		}
	}
}

func (x *exchange) legacyStream(id string, out chan string) {
	x.stream()
	if x.has("sse-late-endpoint") && !x.wait(x.ms) {
		return
	}
	endpoint := "/messages?session=" + id
	if x.has("sse-cross") {
		endpoint = "http://127.0.0.1:" + strconv.Itoa(x.port2) + endpoint
	}
	x.write("event: endpoint\ndata: " + endpoint + "\n\n")
	for {
		select {
		case text := <-out:
			x.write("event: message\ndata: " + strings.TrimSpace(text) + "\n\n")
		case <-x.r.Context().Done():
			return
		case <-x.gone.Done():
			return
		}
	}
}

func (x *exchange) legacyMessage(out chan string) {
	s := x.over(func(text string) { out <- text })
	if x.m.Method == "" {
		s.hear(x.m)
		return
	}
	s.dispatch(x.m)
}
