package control

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcp-supervisor/supervisor/actors"
	"github.com/mcp-supervisor/supervisor/governance/audit"
	"github.com/mcp-supervisor/supervisor/messages"
)

func TestListenMakesAPrivateSocketAndRemovesIt(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	l, err := Listen(path)
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("socket: %v, %v; want mode 0600", info.Mode(), err)
	}
	_ = l.Close()
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("after Close: %v, want no socket", err)
	}
}

func TestListenReplacesTheSocketOfADeadOwner(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	dead, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	dead.SetUnlinkOnClose(false)
	_ = dead.Close()
	l, err := Listen(path)
	if err != nil {
		t.Fatal(err)
	}
	_ = l.Close()
}

func TestListenLeavesForeignFilesAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	if err := os.WriteFile(path, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	if l, err := Listen(path); err == nil {
		_ = l.Close()
		t.Error("Listen replaced a file that is no socket")
	}
	if data, _ := os.ReadFile(path); string(data) != "precious" {
		t.Errorf("file holds %q", data)
	}
}

func TestStrangersGetNoAnswer(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	l, err := Listen(path)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	goDo(t, done, func() {
		_, err := guarded{UnixListener: l, allowed: func(*net.UnixConn) bool { return false }}.Accept()
		if !errors.Is(err, net.ErrClosed) {
			t.Errorf("Accept = %v, want only the listener's end", err)
		}
	})
	conn, err := net.Dial("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := conn.Read(make([]byte, 1)); n != 0 || !errors.Is(err, io.EOF) {
		t.Errorf("Read = %d, %v, want EOF", n, err)
	}
	_ = conn.Close()
	_ = l.Close()
	<-done
}

func TestAClosedConnectionCancelsItsCall(t *testing.T) {
	began, cancelled := make(chan struct{}), make(chan struct{})
	s, _ := serve(t, owner{call: func(ctx context.Context, r actors.CallRequest) messages.CallResult {
		close(began)
		<-ctx.Done()
		close(cancelled)
		return messages.CallResult{}
	}})
	conn := post(t, s, pathCall, `{"server":"s","tool":"t"}`)
	within(t, began, "the call's begin")
	_ = conn.Close()
	within(t, cancelled, "the call's cancellation")
}

// post sends a request by hand and returns its connection.
func post(t *testing.T, s *Server, path, body string) net.Conn {
	t.Helper()
	ours, theirs := net.Pipe()
	t.Cleanup(func() { _ = ours.Close() })
	done := make(chan struct{})
	one := &single{conn: theirs, closed: make(chan struct{})}
	goDo(t, done, func() { _ = s.http.Serve(one) })
	t.Cleanup(func() { _ = one.Close(); <-done })
	r, err := http.NewRequest(http.MethodPost, "http://owner"+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	stamp(r.Header)
	if err := r.Write(ours); err != nil {
		t.Fatal(err)
	}
	return ours
}

// single is a listener with one connection.
type single struct {
	conn   net.Conn
	closed chan struct{}
}

func (l *single) Accept() (net.Conn, error) {
	if conn := l.conn; conn != nil {
		l.conn = nil
		return conn, nil
	}
	<-l.closed
	return nil, net.ErrClosed
}

func (l *single) Close() error {
	select {
	case <-l.closed:
	default:
		close(l.closed)
	}
	return nil
}

func (l *single) Addr() net.Addr { return &net.UnixAddr{Name: "pipe", Net: "unix"} }

func TestDrainWaitsForWhatIsBeingAnsweredAndTakesNothingNew(t *testing.T) {
	began, finish := make(chan struct{}), make(chan struct{})
	s, c := serve(t, owner{call: func(_ context.Context, r actors.CallRequest) messages.CallResult {
		close(began)
		<-finish
		return ok(r)
	}})
	results := make(chan messages.CallResult, 1)
	done := make(chan struct{})
	goDo(t, done, func() { results <- c.CallTool(t.Context(), actors.CallRequest{Server: "s"}) })
	within(t, began, "the call's begin")
	if n := s.Active(); n != 1 {
		t.Errorf("Active = %d, want 1", n)
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Drain(over); !errors.Is(err, context.Canceled) {
		t.Errorf("Drain with a call in flight and an ended context = %v", err)
	}
	if _, err := c.Call(t.Context(), actors.CallRequest{}); !errors.Is(err, ErrNotSent) {
		t.Errorf("a new call = %v, want ErrNotSent", err)
	}
	close(finish)
	if err := s.Drain(t.Context()); err != nil {
		t.Errorf("Drain = %v", err)
	}
	if r := within(t, results, "the result"); r.Outcome != messages.OK {
		t.Errorf("the call that was drained = %+v, want ok", r)
	}
	<-done
}

func TestASlowReaderLosesEventsNotTheRun(t *testing.T) {
	s := &stream{lines: make(chan line, backlog), written: make(chan struct{})}
	for range backlog + 5 {
		s.event(messages.Event{})
	}
	if s.dropped != 5 {
		t.Errorf("dropped %d events, want 5", s.dropped)
	}
}

func TestBadRequestsAreRefusedWithAReason(t *testing.T) {
	s := &Server{api: owner{}}
	s.requests.cancel = map[string]context.CancelFunc{}
	for name, c := range map[string]struct {
		path, body, header, value string
		status                    int
	}{
		"another protocol":     {path: pathCall, header: headerProtocol, value: "0", status: http.StatusUpgradeRequired},
		"no JSON":              {path: pathCall, body: "{", status: http.StatusBadRequest},
		"a bad deadline":       {path: pathCall, body: "{}", header: headerDeadline, value: "soon", status: http.StatusBadRequest},
		"nothing to cancel":    {path: pathCancel, body: `{"request":"x"}`, status: http.StatusNotFound},
		"a path we don't have": {path: "/v1/nope", status: http.StatusNotFound},
	} {
		t.Run(name, func(t *testing.T) {
			r := httptest.NewRequest(http.MethodPost, c.path, strings.NewReader(c.body))
			stamp(r.Header)
			if c.header != "" {
				r.Header.Set(c.header, c.value)
			}
			w := httptest.NewRecorder()
			s.handler().ServeHTTP(w, r)
			if w.Code != c.status || w.Body.Len() == 0 {
				t.Errorf("status %d, body %q; want %d and a reason", w.Code, w.Body, c.status)
			}
		})
	}
}

func TestReadBounded(t *testing.T) {
	if b, err := readBounded(strings.NewReader("1234"), 4); err != nil || string(b) != "1234" {
		t.Errorf("at the limit: %q, %v", b, err)
	}
	if _, err := readBounded(strings.NewReader("12345"), 4); err == nil {
		t.Error("over the limit: no error")
	}
}

func FuzzRequestBody(f *testing.F) {
	f.Add(pathCall, `{"server":"s","tool":"t","arguments":{"a":1}}`)
	f.Add(pathTools, `{"server":1}`)
	f.Add(pathRun, `null`)
	f.Add(pathList, `{"since":"x"}`)
	f.Add(pathCancel, `[]`)
	f.Add(pathStop, `{"server":"s"}`)
	f.Add(pathReload, `{"server":7}`)
	s := &Server{api: owner{
		call:  func(_ context.Context, r actors.CallRequest) messages.CallResult { return ok(r) },
		tools: func(actors.ToolsQuery) (actors.ToolsResult, error) { return actors.ToolsResult{}, nil },
		run: func(context.Context, actors.RunRequest, func(messages.Event)) (actors.RunResult, error) {
			return actors.RunResult{}, nil
		},
		list: func(audit.Filter) ([]audit.Record, error) { return nil, nil },
		tell: func(context.Context, string, string) (messages.ServerStatus, error) {
			return messages.ServerStatus{}, nil
		},
		reload: func() (actors.ReloadResult, error) { return actors.ReloadResult{}, nil },
	}}
	s.requests.cancel = map[string]context.CancelFunc{}
	h := s.handler()
	known := map[string]bool{pathCall: true, pathTools: true, pathRun: true, pathList: true, pathCancel: true, pathStop: true, pathReload: true}
	f.Fuzz(func(t *testing.T, path, body string) {
		if !known[path] {
			path = pathCall
		}
		r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(body))
		stamp(r.Header)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code >= 500 || w.Body.Len() == 0 {
			t.Errorf("%s %q: status %d, body %q", path, body, w.Code, w.Body)
		}
		if n := s.Active(); n != 0 {
			t.Errorf("%d requests still active", n)
		}
	})
}
