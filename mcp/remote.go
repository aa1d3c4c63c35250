package mcp

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/textproto"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcp-supervisor/supervisor/internal/safe"
	"github.com/mcp-supervisor/supervisor/mcp/spec"
)

// expireGrace is how long calls may still be answered over a session that another call found to be over.
const expireGrace = 2 * time.Second

var (
	errEndpointURL = errors.New("the endpoint is not an http or https URL")
	// errAnswered says that a call's end does not depend on its POST any more.
	errAnswered = errors.New("answered")
)

// remote is what both HTTP links have in common: a client, a life, and the goroutines that live it.
type remote struct {
	s      *Session
	url    *url.URL
	client *http.Client
	conns  *conns
	hold   hold
	// hasSession reports whether the server keeps something for us that it may forget.
	hasSession func() bool

	life    context.Context
	endLife context.CancelFunc
	once    sync.Once

	mu      sync.Mutex
	over    bool
	workers sync.WaitGroup

	posts   atomic.Int64 // of calls, that are under way
	expired atomic.Bool  // no more come, and the last one ends the session
}

func newRemote(s *Session) (*remote, error) {
	endpoint, err := url.Parse(s.server.Endpoint)
	if err != nil || endpoint.Host == "" || endpoint.Scheme != "http" && endpoint.Scheme != "https" {
		return nil, hopeless{errEndpointURL}
	}
	open := &conns{}
	client, err := newClient(s.server, open)
	if err != nil {
		return nil, err
	}
	r := &remote{s: s, url: endpoint, client: client, conns: open}
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

// carry sends a call with post, in a goroutine, and sees to its end. A call that comes in a pause the server asked for is
// refused.
func (r *remote) carry(c *call, post func(ctx context.Context) error) {
	ctx, abort := context.WithCancel(r.life)
	c.abort = abort
	r.work("mcp post", func() {
		defer abort()
		if reply, held := r.hold.refusal(c, time.Now()); held {
			r.s.pending.settle(c.id, reply)
			return
		}
		r.posts.Add(1)
		defer r.landed()
		if err := post(ctx); !errors.Is(err, errAnswered) {
			r.unanswered(c, err)
		}
	})
}

func (r *remote) landed() {
	if r.posts.Add(-1) == 0 && r.expired.Load() {
		r.kill()
	}
}

// expire ends a session that the server does not take any more. It is called while a call is under way. Calls that are
// under way beside it get a moment for answers of their own, since each knows best what became of it; new ones are not
// taken.
func (r *remote) expire(reason string) {
	r.s.because(reason)
	r.s.pending.refuse(ErrClosed)
	if !r.expired.Swap(true) {
		time.AfterFunc(expireGrace, r.kill)
	}
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
			r.s.die(spec.Exit{Code: -1})
			r.s.end()
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
	return resp, placed(err, req.URL)
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
func (r *remote) get(ctx context.Context, decorate func(http.Header)) (*http.Response, error) {
	req, err := r.request(ctx, http.MethodGet, r.url.String(), nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "text/event-stream")
	decorate(req.Header)
	resp, err := r.client.Do(req)
	return resp, placed(err, req.URL)
}

// ours are the headers that no workspace may set: the protocol's, those that net/http sees to, and those that would make
// it send a call twice.
var ours = map[string]bool{
	"Mcp-Session-Id": true, "Mcp-Protocol-Version": true, "Accept": true, "Content-Type": true, "Content-Length": true,
	"Idempotency-Key": true, "X-Idempotency-Key": true, "Last-Event-Id": true, "Accept-Encoding": true, "Connection": true,
	"Transfer-Encoding": true,
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
