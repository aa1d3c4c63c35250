package control

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
)

// ErrNotSent is matched by the error of a request that the owner did not take: it is gone, or going. Nothing ran, and
// the request may be sent again to whoever owns the workspace next.
var ErrNotSent = errors.New("the workspace's owner did not take the request")

const (
	// helloTimeout bounds Dial. The owner answers in microseconds unless it is starved or suspended.
	helloTimeout = 2 * time.Second
	// patience is how long a request that ended on our side may still take to bring its one result home.
	patience = 2 * time.Second
	// never is longer than any command: the body waits for the owner's 100 Continue, not for a clock.
	never = 24 * time.Hour
)

// Client asks a workspace's owner. Make one with [Dial]. It holds no connection between requests.
type Client struct {
	http http.Client
	pid  int // of the owner; 0 when it did not say
}

// Dial asks the owner behind the socket who it is and returns a client of it.
// Errors: [ErrNotSent] when nobody answers there; an owner of another control protocol is named with its version.
func Dial(socket string) (*Client, error) {
	c := newClient(socket)
	ctx, cancel := context.WithTimeout(context.Background(), helloTimeout)
	defer cancel()
	var owner hello
	err := c.ask(ctx, http.MethodGet, pathHello, nil, &owner)
	if errors.Is(err, context.DeadlineExceeded) {
		err = fmt.Errorf("%w: no answer within %s", ErrNotSent, helloTimeout)
	}
	if err != nil {
		return nil, err
	}
	c.pid = owner.PID
	return c, nil
}

// PID is the owner's process; 0 when it did not say.
func (c *Client) PID() int { return c.pid }

func newClient(socket string) *Client {
	return &Client{http: http.Client{Transport: &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "unix", socket)
		},
		DisableKeepAlives:      true, // the connection is the request's life line
		DisableCompression:     true,
		ExpectContinueTimeout:  never,
		MaxResponseHeaderBytes: 1 << 16,
	}}}
}

// send makes one request and returns its 200 response. The response's body outlives ctx by patience.
// Errors: ErrNotSent; a refusal of the owner as its own error; ErrBroken when the connection broke later.
func (c *Client) send(ctx context.Context, method, path string, in any) (*exchange, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	name := uuid.NewString()
	long, cancel := c.patient(ctx, name)
	var taken atomic.Bool
	r, err := newRequest(long, method, path, in, &taken)
	if err != nil {
		cancel()
		return nil, err
	}
	r.Header.Set(headerRequest, name)
	if deadline, ok := ctx.Deadline(); ok {
		r.Header.Set(headerDeadline, deadline.Format(time.RFC3339Nano))
	}
	resp, err := c.http.Do(r)
	if err != nil {
		cancel()
		return nil, c.brokenOff(ctx, taken.Load(), err)
	}
	x := &exchange{Response: resp, cancel: cancel}
	if err := x.refusal(); err != nil {
		x.Close()
		return nil, err
	}
	return x, nil
}

// patient returns a context for a request's connection. When ctx is cancelled, the owner is told so and the connection
// stays a little longer, because the owner still answers with the request's one result. An ended deadline the owner
// sees for itself.
func (c *Client) patient(ctx context.Context, name string) (context.Context, func()) {
	long, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		defer cancel()
		over, done := context.WithTimeout(long, patience)
		defer done()
		if !errors.Is(ctx.Err(), context.DeadlineExceeded) {
			_ = c.tell(over, name)
		}
		<-over.Done()
	})
	return long, func() { stop(); cancel() }
}

// tell asks the owner to cancel the request with that name.
func (c *Client) tell(ctx context.Context, name string) error {
	var taken atomic.Bool
	r, err := newRequest(ctx, http.MethodPost, pathCancel, cancelRequest{Request: name}, &taken)
	if err != nil {
		return err
	}
	resp, err := c.http.Do(r)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

// ask makes one request and decodes its answer into out.
func (c *Client) ask(ctx context.Context, method, path string, in, out any) error {
	x, err := c.send(ctx, method, path, in)
	if err != nil {
		return err
	}
	defer x.Close()
	body, err := readBounded(x.Body, MaxBody+envelope)
	if err != nil {
		return c.brokenOff(ctx, true, err)
	}
	return json.Unmarshal(body, out)
}
