package control

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"sync/atomic"
)

// exchange is one request on its way.
type exchange struct {
	*http.Response
	cancel func()
}

// Close ends the exchange; a request that is still being answered is cancelled by it.
func (e *exchange) Close() {
	e.cancel()
	_ = e.Body.Close()
}

func newRequest(ctx context.Context, method, path string, in any, taken *atomic.Bool) (*http.Request, error) {
	var body io.Reader
	if in != nil {
		var b bytes.Buffer
		if err := encode(&b, in); err != nil {
			return nil, err
		}
		if b.Len() > MaxBody {
			return nil, fmt.Errorf("the request has %d bytes; at most %d are taken", b.Len(), MaxBody)
		}
		body = &b
	}
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		Got100Continue: func() { taken.Store(true) },
	})
	r, err := http.NewRequestWithContext(ctx, method, "http://owner"+path, body)
	if err != nil {
		return nil, err
	}
	stamp(r.Header)
	if in != nil {
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Expect", "100-continue")
	}
	return r, nil
}

// ErrBroken is matched by the error of a request whose connection broke after the owner took it.
var ErrBroken = errors.New("the connection to the workspace's owner broke")

// errTooLong is an answer that no owner of ours gives.
var errTooLong = errors.New("the answer is too long")

// goneError is ErrBroken in words for people: a connection to a process on the same machine breaks when that ends.
type goneError struct {
	pid   int
	cause error
}

func (e *goneError) Error() string {
	if e.pid == 0 {
		return "the process that owns this workspace went away"
	}
	return fmt.Sprintf("the process that owns this workspace (pid %d) went away", e.pid)
}

func (e *goneError) Unwrap() []error { return []error{ErrBroken, e.cause} }

func (c *Client) brokenOff(ctx context.Context, taken bool, err error) error {
	var request *url.Error
	if errors.As(err, &request) { // its text is a method and an address that nobody asked for
		err = request.Err
	}
	switch {
	case ctx.Err() != nil && !taken:
		return ctx.Err()
	case errors.Is(err, errTooLong):
		return fmt.Errorf("%w: %w", ErrBroken, err)
	case taken:
		return &goneError{pid: c.pid, cause: err}
	}
	return fmt.Errorf("%w: %w", ErrNotSent, err)
}

// refusal is the error of a response that is not 200, or of a peer that is no owner of our protocol.
func (e *exchange) refusal() error {
	if err := checkProtocol(e.Header, "the workspace's owner"); err != nil {
		return err
	}
	if e.StatusCode == http.StatusOK {
		return nil
	}
	var f failure
	body, err := readBounded(e.Body, MaxBody) // it may list every fault of a workspace
	if err == nil {
		err = json.Unmarshal(body, &f)
	}
	if err != nil || f.Message == "" {
		return fmt.Errorf("the workspace's owner answered %s", e.Status)
	}
	return f.err()
}

// readBounded reads all of r, which must be at most limit bytes.
func readBounded(r io.Reader, limit int) ([]byte, error) {
	body, err := io.ReadAll(io.LimitReader(r, int64(limit)+1))
	if err == nil && len(body) > limit {
		err = fmt.Errorf("%w: more than %d bytes", errTooLong, limit)
	}
	return body, err
}
