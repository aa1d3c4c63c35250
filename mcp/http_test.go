//go:build unix

package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcp-supervisor/supervisor/mcp/spec"
)

// fakeHTTP is a hand-written MCP server over HTTP. call answers tools/call; the rest behaves.
type fakeHTTP struct {
	*httptest.Server
	get http.HandlerFunc // nil answers 405

	mu   sync.Mutex
	call func(w http.ResponseWriter, r *http.Request, id string)
	log  []string // method, session, version of each request, and the message
	quit chan struct{}
}

func newFakeHTTP(t testing.TB, call func(w http.ResponseWriter, r *http.Request, id string)) *fakeHTTP {
	t.Helper()
	f := &fakeHTTP{call: call, quit: make(chan struct{})}
	f.Server = httptest.NewServer(f)
	t.Cleanup(func() { close(f.quit); f.CloseClientConnections(); f.Close() })
	return f
}

func (f *fakeHTTP) answerCallsWith(call func(http.ResponseWriter, *http.Request, string)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.call = call
}

func (f *fakeHTTP) requests(containing string) (n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, line := range f.log {
		if strings.Contains(line, containing) {
			n++
		}
	}
	return n
}

func (f *fakeHTTP) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	f.mu.Lock()
	f.log = append(f.log, fmt.Sprintf("%s %s session=%s version=%s auth=%s %s", r.Method, r.URL.Path, r.Header.Get("Mcp-Session-Id"),
		r.Header.Get("Mcp-Protocol-Version"), r.Header.Get("Authorization"), body))
	call := f.call
	f.mu.Unlock()
	var m struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
	}
	_ = json.Unmarshal(body, &m)
	switch {
	case r.Method == http.MethodGet && f.get != nil:
		f.get(w, r)
	case r.Method == http.MethodGet:
		w.WriteHeader(http.StatusMethodNotAllowed)
	case r.Method == http.MethodDelete:
	case m.Method == "initialize":
		w.Header().Set("Mcp-Session-Id", "s-!1")
		answerJSON(w, string(m.ID), `{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"h","version":"1"}}`)
	case m.Method == "tools/list":
		answerJSON(w, string(m.ID), `{"tools":[{"name":"echo"}]}`)
	case m.Method == "tools/call":
		call(w, r, string(m.ID))
	case m.ID == nil || m.Method == "":
		w.WriteHeader(http.StatusAccepted)
	default:
		answerJSON(w, string(m.ID), `{}`)
	}
}

func answerJSON(w http.ResponseWriter, id, result string) {
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, id, result)
}

func replies(code int, headers ...string) func(http.ResponseWriter, *http.Request, string) {
	return func(w http.ResponseWriter, _ *http.Request, _ string) {
		for _, h := range headers {
			name, value, _ := strings.Cut(h, ": ")
			w.Header().Set(name, value)
		}
		w.WriteHeader(code)
		fmt.Fprint(w, "<h1>hunter2</h1>")
	}
}

func raw(contentType, text string) func(http.ResponseWriter, *http.Request, string) {
	return func(w http.ResponseWriter, _ *http.Request, id string) {
		w.Header()["Content-Type"] = []string{contentType}
		fmt.Fprint(w, strings.ReplaceAll(text, "ID", id))
	}
}

func httpServer(url string) spec.Server {
	return spec.Server{ID: "h", Transport: spec.HTTP, Endpoint: url, StartTimeout: limit}
}

func openHTTP(t testing.TB, server spec.Server, n *notes) *Session {
	t.Helper()
	s, err := Open(context.Background(), server, n.options())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

func TestHTTPAnswers(t *testing.T) {
	good := spec.Reply{Result: json.RawMessage(`{"n": 12345678901234567890}`), Written: true}
	message := `{"jsonrpc":"2.0","id":ID,"result":{"n": 12345678901234567890}}`
	for name, answer := range map[string]func(http.ResponseWriter, *http.Request, string){
		"json":           raw("application/json; charset=utf-8", message),
		"odd case":       raw("Application/JSON", message),
		"a kind of json": raw("application/vnd.mcp+json", message),
		"pretty":         raw("application/json", "{\n  \"jsonrpc\": \"2.0\",\n  \"id\": \"ID\",\n  \"result\": {\"n\": 12345678901234567890}\n}\n"),
		"batch":          raw("application/json", "["+message+"]"),
		"event":          raw("text/event-stream", "event: message\r\ndata: "+message+"\r\n\r\n"),
		"events":         raw("text/event-stream", ": hi\n\nid: 1\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\"}\n\ndata\n\ndata: {\ndata: "+message[1:]+"\n\n"),
		"status and RPC": raw("text/event-stream", "data: junk\n\nretry: 5\ndata:"+message+"\n\n"),
	} {
		t.Run(name, func(t *testing.T) {
			f := newFakeHTTP(t, answer)
			s := openHTTP(t, httpServer(f.URL), &notes{})
			for range 2 {
				if diff := cmp.Diff(good, echo(t, s, "")); diff != "" {
					t.Error(diff)
				}
			}
			if f.requests(`session=s-!1 version=2025-06-18 auth= {"jsonrpc":"2.0","id":1000001`) != 1 || f.requests("tools/call") != 2 {
				t.Error(f.log)
			}
		})
	}
}

// What each odd answer to a call means: whether it may have run, and whether the session goes on.
func TestHTTPRefusals(t *testing.T) {
	hijack := func(head string) func(http.ResponseWriter, *http.Request, string) {
		return func(w http.ResponseWriter, _ *http.Request, _ string) {
			conn, buf, _ := http.NewResponseController(w).Hijack()
			_, _ = buf.WriteString(head)
			_ = buf.Flush()
			_ = conn.Close()
		}
	}
	tests := []struct {
		name    string
		answer  func(http.ResponseWriter, *http.Request, string)
		status  int
		written bool
		retry   time.Duration
		ends    bool
		text    string
	}{
		{"401", replies(401, `WWW-Authenticate: Bearer realm="hunter2"`), 401, false, 0, true, `needs authorisation: HTTP status 401 Unauthorized: WWW-Authenticate: Bearer realm="***"`},
		{"403", replies(403, "Content-Type: text/html"), 403, false, 0, false, "an HTML page"},
		{"404", replies(404), 0, false, 0, true, "404"},
		{"405", replies(405), 405, false, 0, false, "405"},
		{"413", replies(413), 413, false, 0, false, "413"},
		{"429", replies(429, "Retry-After: 7"), 429, false, 7 * time.Second, false, "429"},
		{"503", replies(503, "Retry-After: 2"), 503, false, 2 * time.Second, false, "503"},
		{"500", replies(500), 500, true, 0, false, "500"},
		{"502", replies(502), 502, true, 0, false, "502"},
		{"301", replies(301, "Location: /elsewhere"), 0, false, 0, false, "makes a GET of a POST"},
		{"to another origin", replies(307, "Location: http://127.0.0.1:1/mcp"), 0, false, 0, false, "another origin"},
		{"202", replies(202), 0, true, 0, false, "202"},
		{"JSON that is called text", raw("text/plain", `{"jsonrpc":"2.0","id":ID,"result":{}}`), 0, true, 0, false, `HTTP status 200, text/plain: {"jsonrpc"`},
		{"JSON without a type", raw("", `{"jsonrpc":"2.0","id":ID,"result":{}}`), 0, true, 0, false, `HTTP status 200, no content type: {"jsonrpc"`},
		{"-32001", raw("application/json", `{"jsonrpc":"2.0","id":ID,"error":{"code":-32001,"message":"Session not found"}}`), 0, false, 0, true, "Session not found"},
		{"HTML with 200", replies(200, "Content-Type: text/html"), 0, true, 0, false, "text/html"},
		{"another id", raw("application/json", `{"jsonrpc":"2.0","id":5,"result":{}}`), 0, true, 0, false, "no usable answer"},
		{"stream without answer", raw("text/event-stream", "data: {}\n\n"), 0, true, 0, false, "ended without the answer"},
		{"reset", hijack(""), 0, true, 0, false, "EOF"},
		{"cut body", hijack("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{\"json"), 0, true, 0, false, "broke off after 6 bytes"},
		{"unknown session", func(w http.ResponseWriter, _ *http.Request, _ string) {
			w.WriteHeader(400)
			fmt.Fprint(w, `{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"Bad Request: No valid session ID provided"}}`)
		}, 0, false, 0, true, "No valid session ID"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f := newFakeHTTP(t, test.answer)
			s := openHTTP(t, httpServer(f.URL), &notes{})
			r := echo(t, s, "")
			if r.Err == nil || r.Written != test.written || r.RetryAfter != test.retry || !strings.Contains(r.Err.Error(), test.text) {
				t.Errorf("reply: %+v", r)
			}
			var status *StatusError
			if errors.As(r.Err, &status) != (test.status != 0) || status != nil && (status.Status != test.status || status.RetryAfter != test.retry) {
				t.Errorf("err = %#v", r.Err)
			}
			if strings.Contains(r.Err.Error(), "hunter2") && status != nil {
				t.Errorf("a secret in %q", r.Err)
			}
			if n := f.requests("tools/call"); n != 1 {
				t.Errorf("sent %d times", n)
			}
			if test.ends {
				if exit := ended(t, s); exit.Reason == "" || exit.Hopeless {
					t.Errorf("exit: %+v", exit)
				}
				return
			}
			f.answerCallsWith(raw("application/json", `{"jsonrpc":"2.0","id":ID,"result":{}}`))
			r = echo(t, s, "")
			if test.retry == 0 {
				if r.Err != nil {
					t.Errorf("the next call: %v", r.Err)
				}
				return
			}
			if r.Err == nil || r.Written || r.RetryAfter <= 0 || r.RetryAfter > test.retry || f.requests("tools/call") != 1 {
				t.Errorf("a call in the pause: %+v", r)
			}
			if err := s.Ping(context.Background()); err != nil {
				t.Errorf("a ping in the pause: %v", err)
			}
		})
	}
}

func TestHTTPErrorsWithJSONRPCBodies(t *testing.T) {
	want := spec.Reply{RPC: &spec.RPCError{Code: -32603, Message: "4712"}, Written: true}
	for _, code := range []int{200, 400, 500} {
		for _, id := range []string{"ID", "null", `"server-error"`} {
			if code == 200 && id == `"server-error"` {
				continue // some other request's answer
			}
			f := newFakeHTTP(t, func(w http.ResponseWriter, r *http.Request, own string) {
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(code)
				fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32603,"message":"4712"}}`, strings.ReplaceAll(id, "ID", own))
			})
			s := openHTTP(t, httpServer(f.URL), &notes{})
			if diff := cmp.Diff(want, echo(t, s, "")); diff != "" {
				t.Error(code, id, diff)
			}
		}
	}
}

func TestHTTPSizes(t *testing.T) {
	text := strings.Repeat("y", 3_000_000)
	for _, kind := range []string{"application/json", "text/event-stream"} {
		prefix := map[bool]string{true: "data: "}[kind == "text/event-stream"]
		f := newFakeHTTP(t, raw(kind, prefix+`{"jsonrpc":"2.0","id":ID,"result":"`+text+`"}`+"\n\n"))
		s := openHTTP(t, httpServer(f.URL), &notes{})
		if r := echo(t, s, ""); len(r.Result) != 3_000_002 {
			t.Errorf("%s: %v", kind, r.Err)
		}
		server := httpServer(f.URL)
		server.MaxMessage = 1 << 20
		s = openHTTP(t, server, &notes{})
		var size *SizeError
		if r := echo(t, s, ""); !errors.As(r.Err, &size) || !r.Written {
			t.Errorf("%s: %v", kind, r.Err)
		}
	}
}

func TestHTTPCancel(t *testing.T) {
	gone := make(chan struct{}, 1)
	f := newFakeHTTP(t, nil)
	f.call = func(w http.ResponseWriter, r *http.Request, _ string) {
		w.Header().Set("Content-Type", "text/event-stream")
		_ = http.NewResponseController(w).Flush()
		select {
		case <-r.Context().Done():
			gone <- struct{}{}
		case <-f.quit:
		}
	}
	s := openHTTP(t, httpServer(f.URL), &notes{})
	end, cancel := begin(s, "echo", "")
	eventually(t, "the call is there", func() bool { return f.requests("tools/call") == 1 })
	cancel("had enough")
	if r := wait(t, end); !errors.Is(r.Err, ErrCancelled) || !r.Written {
		t.Errorf("reply: %+v", r)
	}
	eventually(t, "the server is told", func() bool {
		return f.requests(`"method":"notifications/cancelled","params":{"requestId":1000001,"reason":"had enough"}`) == 1
	})
	select {
	case <-gone:
	case <-time.After(limit):
		t.Error("the request goes on")
	}
}

func TestHTTPNobodyThere(t *testing.T) {
	f := newFakeHTTP(t, raw("application/json", `{"jsonrpc":"2.0","id":ID,"result":{}}`))
	f.Config.SetKeepAlivesEnabled(false) // a call on a connection that is just being closed may count as written
	s := openHTTP(t, httpServer(f.URL), &notes{})
	f.Listener.Close()
	if r := echo(t, s, ""); r.Err == nil || r.Written || !strings.Contains(r.Err.Error(), "refused") {
		t.Errorf("reply: %+v", r)
	}
	if _, err := Open(context.Background(), httpServer(f.URL), Options{}); err == nil || !strings.Contains(err.Error(), "refused") {
		t.Errorf("err = %v", err)
	}
}

func TestHTTPOpenErrors(t *testing.T) {
	hang := make(chan struct{})
	t.Cleanup(func() { close(hang) })
	tests := []struct {
		name   string
		answer http.HandlerFunc
		want   string
	}{
		{"401", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("WWW-Authenticate", "Bearer scope=x")
			w.WriteHeader(401)
		}, "refused initialize"},
		{"HTML", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html>login</html>") }, "no usable answer"},
		{"blackhole", func(_ http.ResponseWriter, r *http.Request) {
			_, _ = io.ReadAll(r.Body) // or the end of the request goes unnoticed
			select {
			case <-r.Context().Done():
			case <-hang:
			}
		}, "no answer to initialize within 300ms (start_timeout)"},
		{"404", http.NotFound, "404"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f := httptest.NewServer(test.answer)
			defer f.Close()
			server := httpServer(f.URL)
			server.StartTimeout = 300 * time.Millisecond
			_, err := Open(context.Background(), server, Options{})
			var open *OpenError
			if !errors.As(err, &open) || !strings.Contains(err.Error(), test.want) || open.Exit.Hopeless {
				t.Errorf("err = %v", err)
			}
			var status *StatusError
			if test.name == "401" && (!errors.As(err, &status) || status.Status != 401) {
				t.Errorf("no status in %#v", err)
			}
		})
	}
	for _, endpoint := range []string{"", "ftp://x", "http://", ":"} {
		_, err := Open(context.Background(), httpServer(endpoint), Options{})
		var open *OpenError
		if !errors.As(err, &open) || !open.Exit.Hopeless {
			t.Errorf("%q: %v", endpoint, err)
		}
	}
}

func TestHTTPHeadersAndEnd(t *testing.T) {
	f := newFakeHTTP(t, raw("application/json", `{"jsonrpc":"2.0","id":ID,"result":{}}`))
	server := httpServer(f.URL + "/mcp")
	server.Headers = map[string]string{"authorization": "Bearer t", "mcp-session-id": "mine", "Accept": "nothing", "MCP-Protocol-Version": "0"}
	s := openHTTP(t, server, &notes{})
	echo(t, s, "")
	s.Close()
	if n := f.requests("auth=Bearer t"); n != len(f.log) {
		t.Errorf("%d of %d requests carry the header", n, len(f.log))
	}
	if f.requests("POST /mcp session= version= ") != 1 || f.requests("DELETE /mcp session=s-!1 version=2025-06-18") != 1 || f.requests("mine") != 0 {
		t.Error(strings.Join(f.log, "\n"))
	}
}

func TestHTTPListening(t *testing.T) {
	t.Run("tools changed", func(t *testing.T) {
		var n notes
		f := newFakeHTTP(t, nil)
		f.get = func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprint(w, "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}\n\ndata: {\"jsonrpc\":\"2.0\",\"id\":\"r\",\"method\":\"ping\"}\n\n")
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		}
		openHTTP(t, httpServer(f.URL), &n)
		eventually(t, "told", func() bool { n.mu.Lock(); defer n.mu.Unlock(); return n.changed == 1 })
		eventually(t, "answered", func() bool { return f.requests(`{"jsonrpc":"2.0","id":"r","result":{}}`) == 1 })
	})
	for _, code := range []int{200, 400, 401, 404, 405, 406, 500} {
		f := newFakeHTTP(t, raw("application/json", `{"jsonrpc":"2.0","id":ID,"result":{}}`))
		f.get = func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }
		s := openHTTP(t, httpServer(f.URL), &notes{})
		eventually(t, "asked", func() bool { return f.requests("GET") > 0 })
		if r := echo(t, s, ""); r.Err != nil {
			t.Errorf("%d: %v", code, r.Err)
		}
	}
}

func TestHTTPWithTheSDKsServer(t *testing.T) {
	for name, options := range map[string]*sdk.StreamableHTTPOptions{
		"stateful": nil, "stateless": {Stateless: true}, "json": {JSONResponse: true}, spec.Stateless: {Stateless: true},
	} {
		t.Run(name, func(t *testing.T) {
			server := sdk.NewServer(&sdk.Implementation{Name: "sdk", Version: "1"}, nil)
			server.AddTool(&sdk.Tool{Name: "echo", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
				if name == "stateful" {
					if _, err := r.Session.ListRoots(ctx, nil); err != nil {
						return nil, err
					}
				}
				return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: string(r.Params.Arguments)}}}, nil
			})
			f := httptest.NewServer(sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, options))
			defer f.Close()
			reach := httpServer(f.URL)
			if name == spec.Stateless {
				reach.Protocol = name
			}
			s := openHTTP(t, reach, &notes{})
			defer s.Close()
			ctx, cancel := context.WithTimeout(context.Background(), limit)
			defer cancel()
			if err := s.Ping(ctx); err != nil {
				t.Error("ping:", err)
			}
			var ends []chan spec.Reply
			for i := range 20 {
				end, _ := begin(s, "echo", fmt.Sprintf(`{"i":%d}`, i))
				ends = append(ends, end)
			}
			for i, end := range ends {
				if r := wait(t, end); !strings.Contains(string(r.Result), fmt.Sprintf(`{\"i\":%d}`, i)) {
					t.Errorf("caller %d: %s %v", i, r.Result, r.Err)
				}
			}
			if c := s.Catalogue(); c.Implementation != "sdk 1" || len(c.Tools) != 1 {
				t.Errorf("%+v", c)
			}
		})
	}
}

// The older transport, told or found out.
func TestSSE(t *testing.T) {
	for _, transport := range []spec.Transport{spec.SSE, spec.HTTP} {
		server := sdk.NewServer(&sdk.Implementation{Name: "old", Version: "1"}, nil)
		server.AddTool(&sdk.Tool{Name: "echo", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(_ context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			return &sdk.CallToolResult{StructuredContent: r.Params.Arguments}, nil
		})
		f := httptest.NewServer(sdk.NewSSEHandler(func(*http.Request) *sdk.Server { return server }, nil))
		s, err := Open(context.Background(), spec.Server{ID: "h", Transport: transport, Endpoint: f.URL}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if r := echo(t, s, `{"n":9007199254740993}`); !strings.Contains(string(r.Result), "9007199254740993") {
			t.Errorf("%s %v", r.Result, r.Err)
		}
		s.Close()
		f.Close()
	}
}

func TestSSEEndsWithItsStream(t *testing.T) {
	answers := map[string]string{
		"initialize": `{"protocolVersion":"2024-11-05","capabilities":{},"serverInfo":{"name":"o","version":"1"}}`,
		"tools/list": `{"tools":[]}`,
	}
	events := make(chan string, 4)
	f := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			var m message
			_ = json.NewDecoder(r.Body).Decode(&m)
			w.WriteHeader(http.StatusAccepted)
			if m.Method == "tools/call" {
				close(events)
			} else if answer := answers[m.Method]; answer != "" {
				events <- fmt.Sprintf("data: not JSON\n\ndata: {\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":%s}\n\n", m.ID, answer)
			}
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, "event: endpoint\ndata: /post?id=1\n\n")
		for _ = http.NewResponseController(w).Flush(); ; _ = http.NewResponseController(w).Flush() {
			select {
			case event, open := <-events:
				if !open {
					return
				}
				fmt.Fprint(w, event)
			case <-r.Context().Done():
				return
			}
		}
	}))
	defer f.Close()
	s, err := Open(context.Background(), spec.Server{ID: "h", Transport: spec.SSE, Endpoint: f.URL, StartTimeout: limit}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	r := echo(t, s, "")
	var exit *ExitError
	if !errors.As(r.Err, &exit) || !r.Written {
		t.Errorf("reply: %+v", r)
	}
	if got := ended(t, s); !strings.Contains(got.Reason, "event stream broke") {
		t.Errorf("exit: %+v", got)
	}
}

func TestSSEEndpointOfAnotherOrigin(t *testing.T) {
	f := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, "event: endpoint\ndata: http://127.0.0.1:1/steal\n\n")
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}))
	defer f.Close()
	_, err := Open(context.Background(), spec.Server{ID: "h", Transport: spec.SSE, Endpoint: f.URL}, Options{})
	if err == nil || !strings.Contains(err.Error(), "another origin") {
		t.Errorf("err = %v", err)
	}
}

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for value, want := range map[string]time.Duration{
		"": 0, "7": 7 * time.Second, "-1": 0, "soon": 0, "Fri, 02 Jan 2026 03:04:35 GMT": 30 * time.Second, "Fri, 02 Jan 2026 03:04:00 GMT": 0,
	} {
		if got := retryAfter(value, now); got != want {
			t.Errorf("%q: %v", value, got)
		}
	}
}
