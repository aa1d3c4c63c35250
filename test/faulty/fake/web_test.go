package fake

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// browser is a client that does just what it is told.
type browser struct {
	t       *testing.T
	url     string
	session string
	client  *http.Client
}

func browse(t *testing.T, args ...string) *browser {
	t.Helper()
	url, stop, err := Listen(args...)
	if err != nil {
		t.Fatal(err)
	}
	b := &browser{t: t, url: url, client: &http.Client{
		Transport:     &http.Transport{DisableCompression: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
	t.Cleanup(func() { b.client.CloseIdleConnections(); stop() })
	return b
}

// answer is a response that was read to its end, or as far as it went.
type answer struct {
	status int
	header http.Header
	body   string
	err    error
}

func (b *browser) do(method, url, body string, header ...string) answer {
	b.t.Helper()
	return b.doFor(patience, method, url, body, header...)
}

// doFor gives up after a while; what was read until then counts.
func (b *browser) doFor(limit time.Duration, method, url, body string, header ...string) answer {
	b.t.Helper()
	req, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		b.t.Fatal(err)
	}
	if b.session != "" {
		req.Header.Set("Mcp-Session-Id", b.session)
	}
	for _, h := range header {
		name, value, _ := strings.Cut(h, ": ")
		req.Header.Set(name, value)
	}
	client := *b.client
	client.Timeout = limit
	resp, err := client.Do(req)
	if err != nil {
		return answer{err: err}
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	return answer{resp.StatusCode, resp.Header, string(text), err}
}

func (b *browser) post(body string, header ...string) answer {
	b.t.Helper()
	return b.do("POST", b.url, body, header...)
}

const (
	initText   = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18"}}`
	readyText  = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
	pingText   = `{"jsonrpc":"2.0","id":9,"method":"ping"}`
	echoText   = `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo","arguments":{"text":"hi"}}}`
	echoedText = `{"jsonrpc":"2.0","id":2,"result":{"content":[{"text":"hi","type":"text"}]}}`
)

// initialize shakes hands and keeps the session.
func (b *browser) initialize() answer {
	b.t.Helper()
	b.session = ""
	a := b.post(initText)
	b.session = a.header.Get("Mcp-Session-Id")
	return a
}

func (b *browser) want(a answer, status int, text string) {
	b.t.Helper()
	if a.status != status || !strings.Contains(a.body, text) {
		b.t.Errorf("status %d, body %.300q, error %v; want status %d and %q", a.status, a.body, a.err, status, text)
	}
}

// calls is a behaviour: after the handshake a call of echo is answered so.
func calls(status int, text string) func(*browser) {
	return func(b *browser) { b.t.Helper(); b.initialize(); b.want(b.post(echoText), status, text) }
}

// everything is a behaviour: the first request is answered so.
func everything(status int, text string) func(*browser) {
	return func(b *browser) { b.t.Helper(); b.want(b.post(initText), status, text) }
}

// breaks is a behaviour: a call of echo gets this much, and no whole response.
func breaks(text string) func(*browser) {
	return func(b *browser) {
		b.t.Helper()
		b.initialize()
		if a := b.post(echoText); a.err == nil || !strings.Contains(a.body, text) || strings.Contains(a.body, "result") {
			b.t.Errorf("%+v", a)
		}
	}
}

// hangs is a behaviour: the response is not there after a while.
func hangs(method, body string) func(*browser) {
	return func(b *browser) {
		b.t.Helper()
		if body != initText {
			b.initialize()
		}
		if a := b.doFor(300*time.Millisecond, method, b.url, body); a.err == nil || a.status != 0 {
			b.t.Errorf("%+v", a)
		}
	}
}

// gets is a behaviour: a GET is answered so, and a POST as ever.
func gets(status int, text string) func(*browser) {
	return func(b *browser) {
		b.t.Helper()
		b.initialize()
		b.want(b.do("GET", b.url, ""), status, text)
		b.want(b.post(echoText), 200, echoedText)
	}
}

// typed is a behaviour: the right answer comes with this content type.
func typed(kind string) func(*browser) {
	return func(b *browser) {
		b.t.Helper()
		b.initialize()
		a := b.post(echoText)
		b.want(a, 200, echoedText)
		if got := a.header.Get("Content-Type"); got != kind {
			b.t.Errorf("content type %q, want %q", got, kind)
		}
	}
}

// redirects is a behaviour: /mcp leads on so, and what is sent there is answered.
func redirects(status int) func(*browser) {
	return func(b *browser) {
		b.t.Helper()
		a := b.post(initText)
		b.want(a, status, "")
		b.want(b.do("POST", b.url+strings.TrimPrefix(a.header.Get("Location"), "/mcp"), initText), 200, "protocolVersion")
	}
}

// olds is a behaviour of a legacy server: POSTs to its URL are refused so, and the conversation on the stream works.
func olds(status int, header ...string) func(*browser) {
	return func(b *browser) {
		b.t.Helper()
		b.want(b.post(initText, header...), status, "")
		events := b.listen(header...)
		_, at, _ := strings.Cut(<-events, "data: ")
		base, _ := url.Parse(b.url)
		to, err := base.Parse(at)
		if err != nil {
			b.t.Fatal(err)
		}
		if to.Host != base.Host {
			return
		}
		b.want(b.do("POST", to.String(), echoText, header...), 202, "")
		if got := <-events; !strings.Contains(got, echoedText) {
			b.t.Errorf("on the stream: %q", got)
		}
	}
}

// listen opens a stream and returns its events.
func (b *browser) listen(header ...string) <-chan string {
	b.t.Helper()
	req, err := http.NewRequestWithContext(b.t.Context(), "GET", b.url, nil)
	if err != nil {
		b.t.Fatal(err)
	}
	req.Header.Set("Mcp-Session-Id", b.session)
	for _, h := range header {
		name, value, _ := strings.Cut(h, ": ")
		req.Header.Set(name, value)
	}
	resp, err := b.client.Do(req)
	if err != nil || resp.StatusCode != 200 {
		b.t.Fatalf("%v %v", resp, err)
	}
	events := make(chan string, 100)
	done := make(chan struct{})
	spawn(func() {
		defer close(done)
		defer close(events)
		event := ""
		for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
			if event += lines.Text() + "\n"; lines.Text() == "" {
				events <- strings.TrimSpace(event)
				event = ""
			}
		}
	})
	b.t.Cleanup(func() { resp.Body.Close(); <-done })
	return events
}

func TestHTTPServesWell(t *testing.T) {
	b := browse(t)
	b.want(b.post(echoText), 404, "Session not found")
	b.want(b.initialize(), 200, `"protocolVersion":"2025-06-18"`)
	b.want(b.post(readyText), 202, "")
	b.want(b.post(echoText), 200, echoedText)
	b.want(b.doFor(300*time.Millisecond, "GET", b.url, ""), 200, "")
	b.want(b.do("DELETE", b.url, ""), 200, "")
	b.want(b.post(echoText), 404, "Session not found")
	b.want(b.do("POST", strings.TrimSuffix(b.url, "mcp"), initText), 404, "<html>")
}

func TestHTTPIsOnlyServedOnTheLoopback(t *testing.T) {
	for _, addr := range []string{"0.0.0.0:0", "192.0.2.1:80", "example.com:80", "8080"} {
		if _, _, err := Listen("--http", addr); err == nil || !strings.Contains(err.Error(), "loopback") {
			t.Errorf("%s: %v", addr, err)
		}
	}
	for _, addr := range []string{":0", "127.0.0.1:0", "localhost:0"} {
		url, stop, err := Listen("--http", addr)
		if err != nil || !strings.HasPrefix(url, "http://127.0.0.1:") {
			t.Errorf("%s: %s %v", addr, url, err)
			continue
		}
		stop()
	}
}

func TestHTTPProgramPrintsItsURLAndEndsOnSIGTERM(t *testing.T) {
	p := start(t, "--http", ":0")
	url := strings.TrimSpace(p.line())
	b := &browser{t: t, url: url, client: &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}}
	b.want(b.initialize(), 200, "protocolVersion")
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	p.exits("exit status 0")
}

func TestHTTPLog(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log")
	b := browse(t, "--log", log)
	b.post(initText, "X-Api-Key: k")
	text, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	var got Request
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	if got.Method != "POST" || got.Path != "/mcp" || got.Header.Get("X-Api-Key") != "k" || got.Body != initText || got.At.IsZero() {
		t.Errorf("log: %+v", got)
	}
}

func unzip(t *testing.T, text string) string {
	t.Helper()
	z, err := gzip.NewReader(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	plain, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return string(plain)
}

func spawn(fn func()) { (&server{}).beside(fn) }

var longText = fmt.Sprintf(`"text":%q`, strings.Repeat("x", 3_000_000))
