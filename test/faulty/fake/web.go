package fake

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/mcp-supervisor/supervisor/internal/safe"
)

// web is the server over HTTP: a session for each initialize, and everything the modes make of that.
type web struct {
	*server
	gone context.Context // ended when the server stops

	mu       sync.Mutex
	sessions map[string]bool
	made     int
	streams  map[chan string]bool // open GET streams
	backlog  []string             // what is to be said on the first of them
}

// Listen serves over HTTP as args say (--http may be left out) until stop, and returns the URL.
func Listen(args ...string) (url string, stop func(), err error) {
	opt, err := parse(args)
	if err != nil {
		return "", nil, err
	}
	return listen(opt)
}

func listen(opt options) (url string, stop func(), err error) {
	addr, err := loopback(opt.http)
	if err != nil {
		return "", nil, err
	}
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return "", nil, err
	}
	gone, end := context.WithCancel(context.Background())
	w := &web{server: newServer(opt), gone: gone, sessions: map[string]bool{}, streams: map[chan string]bool{}}
	srv := &http.Server{Handler: w, ReadHeaderTimeout: time.Minute}
	ended := make(chan struct{})
	safe.Go("faulty http", nil, func() { defer close(ended); _ = srv.Serve(listener) })
	stop = sync.OnceFunc(func() { end(); _ = srv.Close(); <-ended })
	return "http://" + listener.Addr().String() + w.path(), stop, nil
}

// loopback refuses to be reached from elsewhere: it obeys everybody.
func loopback(addr string) (string, error) {
	host, port, err := net.SplitHostPort(addr)
	if addr == "" {
		host, port, err = "", "0", nil
	}
	if host == "" || host == "localhost" {
		host = "127.0.0.1"
	}
	if ip := net.ParseIP(host); err != nil || ip == nil || !ip.IsLoopback() {
		return "", fmt.Errorf("--http %s: not a loopback address like 127.0.0.1:8080 or :0", addr)
	}
	return net.JoinHostPort(host, port), nil
}

// path is where the MCP endpoint is.
func (w *web) path() string {
	for _, m := range w.modes {
		if strings.HasPrefix(m.name, "sse-") {
			return "/sse"
		}
	}
	return "/mcp"
}

// serveHTTP is Main over HTTP.
func serveHTTP(opt options) int {
	url, stop, err := listen(opt)
	if err != nil {
		fmt.Fprintln(os.Stderr, "faulty:", err)
		return exitUsage
	}
	defer stop()
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	fmt.Println(url)
	<-signals
	return 0
}

// Request is a line of the log over HTTP: one request as it came.
type Request struct {
	At     time.Time
	Method string
	Path   string
	Header http.Header
	Body   string
}

func (w *web) note(r *http.Request, body []byte) {
	line, err := json.Marshal(Request{time.Now(), r.Method, r.URL.Path, r.Header, string(body)})
	if err != nil {
		panic(err) // strings always marshal
	}
	w.logLine(string(line))
}

// open makes a session and returns its id.
func (w *web) open() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.made++
	id := fmt.Sprintf("session-%d", w.made)
	if w.has("session-odd-id") {
		id += "!#$%&*+.^_|~"
	}
	w.sessions[id] = true
	return id
}

func (w *web) known(session string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.sessions[session]
}

func (w *web) forget(session string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.sessions, session)
}

func (w *web) has(mode string) bool {
	for _, m := range w.modes {
		if m.name == mode {
			return true
		}
	}
	return false
}

// tell says something on all GET streams, or on the first one that opens.
func (w *web) tell(text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.streams) == 0 {
		w.backlog = append(w.backlog, text)
	}
	for stream := range w.streams {
		stream <- text
	}
}

// subscribe opens a GET stream. It has room for more than any mode says.
func (w *web) subscribe() (stream chan string, end func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	stream = make(chan string, 1000)
	for _, text := range w.backlog {
		stream <- text
	}
	w.backlog, w.streams[stream] = nil, true
	return stream, func() { w.mu.Lock(); defer w.mu.Unlock(); delete(w.streams, stream) }
}
