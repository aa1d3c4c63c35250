package fake

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// exchange is one HTTP request and its response.
type exchange struct {
	*web
	w http.ResponseWriter
	r *http.Request
	m *message // of a POST; its method is empty if it is a response, or no message at all
	// kind is the content type of JSON answers; empty sends none.
	kind string
}

// ServeHTTP runs the hooks of all modes and, inside them, what a good server does.
func (w *web) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	w.note(r, body)
	x := &exchange{web: w, w: rw, r: r, m: &message{raw: string(body)}, kind: "application/json"}
	_ = json.Unmarshal(body, x.m) // what does not fit is not ours to judge
	var hooks []func(*exchange, func())
	for _, mode := range w.modes {
		if mode.web != nil {
			hooks = append(hooks, mode.web)
		}
	}
	x.run(hooks)
}

func (x *exchange) run(hooks []func(*exchange, func())) {
	if len(hooks) == 0 {
		x.behave()
		return
	}
	hooks[0](x, func() { x.run(hooks[1:]) })
}

func (x *exchange) behave() {
	switch {
	case x.r.URL.Path != "/mcp":
		x.refuse(http.StatusNotFound, "text/html", "<html><h1>Not Found</h1></html>")
	case x.r.Method == http.MethodPost && x.m.Method == "initialize":
		if !x.has("stateless") {
			x.w.Header().Set("Mcp-Session-Id", x.open())
		}
		x.answer()
	case !x.inSession():
		x.refuse(http.StatusNotFound, "application/json", `{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"Session not found"}}`)
	case x.r.Method == http.MethodPost && x.m.ID != nil && x.m.Method != "":
		x.answer()
	case x.r.Method == http.MethodPost:
		x.take()
		x.w.WriteHeader(http.StatusAccepted)
	case x.has("stateless"):
		x.w.WriteHeader(http.StatusMethodNotAllowed)
	case x.r.Method == http.MethodGet:
		x.listen()
	case x.r.Method == http.MethodDelete:
		x.forget(x.session())
	default:
		x.w.WriteHeader(http.StatusMethodNotAllowed)
	}
}

func (x *exchange) session() string { return x.r.Header.Get("Mcp-Session-Id") }

func (x *exchange) inSession() bool { return x.has("stateless") || x.known(x.session()) }

// refuse answers with a status and a body.
func (x *exchange) refuse(status int, kind, body string) {
	x.w.Header().Set("Content-Type", kind)
	x.w.WriteHeader(status)
	_, _ = io.WriteString(x.w, body)
}

// take takes in a message that has no answer.
func (x *exchange) take() {
	s := x.over(func(string) {})
	if x.m.Method == "" {
		s.hear(x.m)
		return
	}
	s.dispatch(x.m)
}

// answer answers the request with JSON.
func (x *exchange) answer() {
	if text, ok := x.reply(); ok {
		x.json(text)
	}
}

func (x *exchange) json(text string) {
	x.w.Header()["Content-Type"] = nil
	if x.kind != "" {
		x.w.Header().Set("Content-Type", x.kind)
	}
	_, _ = io.WriteString(x.w, text)
}

// reply runs the request and waits for its response; ok is false when the client is gone before. What else the server
// says goes to the GET streams.
func (x *exchange) reply() (text string, ok bool) {
	answers := make(chan string, 8)
	x.over(func(text string) {
		var head message
		_ = json.Unmarshal([]byte(text), &head)
		if head.Method != "" {
			x.tell(strings.TrimSpace(text))
			return
		}
		select {
		case answers <- text:
		default: // nobody asked for so many
		}
	}).dispatch(x.m)
	select {
	case text = <-answers:
		return text, true
	case <-x.r.Context().Done():
	case <-x.gone.Done():
	}
	return "", false
}

// listen is a GET stream.
func (x *exchange) listen() {
	stream, end := x.subscribe()
	defer end()
	x.stream()
	for {
		select {
		case text := <-stream:
			x.event("", text)
		case <-x.r.Context().Done():
			return
		case <-x.gone.Done():
			return
		}
	}
}

// stream begins a stream of events.
func (x *exchange) stream() {
	x.w.Header().Set("Content-Type", "text/event-stream")
	x.w.WriteHeader(http.StatusOK)
	x.flush()
}

// event writes one event; without an id it has none.
func (x *exchange) event(id, text string) {
	if id != "" {
		text = text + "\nid: " + id
	}
	x.write("data: " + text + "\n\n")
}

// write writes a part of the body at once.
func (x *exchange) write(text string) {
	_, _ = io.WriteString(x.w, text)
	x.flush()
}

func (x *exchange) flush() { _ = http.NewResponseController(x.w).Flush() }

// cut breaks the connection off, in the middle of whatever was written.
func (x *exchange) cut() { panic(http.ErrAbortHandler) }

// wait waits for some milliseconds; false when the client or the server is gone before.
func (x *exchange) wait(n int) bool {
	select {
	case <-time.After(ms(n)):
		return true
	case <-x.r.Context().Done():
	case <-x.gone.Done():
	}
	return false
}

// hang waits for the end of the client.
func (x *exchange) hang() {
	select {
	case <-x.r.Context().Done():
	case <-x.gone.Done():
	}
}

// rpcError is a response that is a JSON-RPC error.
func (x *exchange) rpcError(code rpcCode, text string) string {
	id := string(x.m.ID)
	if id == "" {
		id = "null"
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%s}}`, id, code, quote(text))
}
