package mcp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/textproto"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/mcp-supervisor/supervisor/internal/safe"
	"github.com/mcp-supervisor/supervisor/mcp/spec"
)

// idleConnections is how many connections to one server are kept for the next call. net/http's two would make new ones
// all the time with more than two calls at once.
const idleConnections = 256

var errRedirect = errors.New("redirect refused")

// remote is what both HTTP links have in common: a client, a life, and the goroutines that live it.
type remote struct {
	s      *Session
	url    *url.URL
	client *http.Client

	life    context.Context
	endLife context.CancelFunc
	once    sync.Once

	mu      sync.Mutex
	over    bool
	workers sync.WaitGroup
}

func newRemote(s *Session) (*remote, error) {
	endpoint, err := url.Parse(s.server.Endpoint)
	if err != nil || endpoint.Host == "" || endpoint.Scheme != "http" && endpoint.Scheme != "https" {
		return nil, hopeless{fmt.Errorf("endpoint %q is not an http or https URL", s.server.Endpoint)}
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConns, transport.MaxIdleConnsPerHost = idleConnections, idleConnections
	r := &remote{s: s, url: endpoint, client: &http.Client{Transport: transport, CheckRedirect: checkRedirect}}
	r.life, r.endLife = context.WithCancel(context.Background())
	return r, nil
}

func (r *remote) pid() int { return 0 }

// work runs fn in a goroutine that the session waits for at its end. After the end it does nothing.
func (r *remote) work(where string, fn func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.over {
		return
	}
	r.workers.Add(1)
	safe.Go(where, r.s.crashed, func() { defer r.workers.Done(); fn() })
}

// fail ends the session for a reason.
func (r *remote) fail(reason string) {
	r.s.because(reason)
	r.kill()
}

// kill breaks off what is going on and ends the session in the background.
func (r *remote) kill() {
	r.once.Do(func() {
		r.mu.Lock()
		r.over = true
		r.mu.Unlock()
		r.s.pending.refuse(ErrClosed)
		safe.Go("mcp remote end", nil, func() {
			r.endLife()
			r.workers.Wait()
			r.client.CloseIdleConnections()
			r.s.end(spec.Exit{Code: -1})
		})
	})
}

// post sends one message, at most once: net/http sends it again only where not a byte of it was written, or after a
// redirect (307, 308). c may be nil; a call that was dropped is not sent, and one that never got a connection was not.
func (r *remote) post(ctx context.Context, to string, c *call, frame []byte, decorate func(http.Header)) (*http.Response, error) {
	if c != nil && !c.claim() {
		return nil, ErrCancelled
	}
	var connected atomic.Bool
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { connected.Store(true) }})
	req, err := r.request(ctx, http.MethodPost, to, bytes.NewReader(frame))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	decorate(req.Header)
	resp, err := r.client.Do(req)
	if err != nil && c != nil && !connected.Load() {
		c.unclaim()
	}
	return resp, err
}

// request makes a request with the workspace's headers, over which the protocol's own win.
func (r *remote) request(ctx context.Context, method, to string, body io.Reader) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, method, to, body)
	if err != nil {
		return nil, err
	}
	r.addHeaders(req)
	return req, nil
}

// get opens a stream of events.
func (r *remote) get(decorate func(http.Header)) (*http.Response, error) {
	req, err := r.request(r.life, http.MethodGet, r.url.String(), nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "text/event-stream")
	decorate(req.Header)
	return r.client.Do(req)
}

// ours are the headers that no workspace may set: the protocol's, and those that would make net/http send a call twice.
var ours = map[string]bool{
	"Mcp-Session-Id": true, "Mcp-Protocol-Version": true, "Accept": true, "Content-Type": true, "Content-Length": true,
	"Idempotency-Key": true, "X-Idempotency-Key": true, "Last-Event-Id": true,
}

func (r *remote) addHeaders(req *http.Request) {
	for name, value := range r.s.server.Headers {
		name = textproto.CanonicalMIMEHeaderKey(name)
		switch {
		case name == "Host":
			req.Host = value
		case !ours[name]:
			req.Header.Set(name, value)
		}
	}
}

// checkRedirect follows a redirect inside the origin that keeps the method. Another origin must not see credentials, and
// 301 to 303 make a GET of a POST.
func checkRedirect(req *http.Request, via []*http.Request) error {
	from := via[0].URL
	switch {
	case !sameOrigin(from, req.URL):
		return fmt.Errorf("%w: it leads to another origin, %s; set the endpoint to that if it is right", errRedirect, req.URL.Redacted())
	case req.Method != via[0].Method:
		return fmt.Errorf("%w: its status makes a GET of a POST; set the endpoint to %s", errRedirect, req.URL.Redacted())
	case len(via) > 5:
		return fmt.Errorf("%w: too many of them", errRedirect)
	}
	return nil
}

func sameOrigin(a, b *url.URL) bool {
	return a.Scheme == b.Scheme && strings.EqualFold(a.Host, b.Host)
}
