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

func brokenOff(ctx context.Context, taken bool, err error) error {
	switch {
	case ctx.Err() != nil && !taken:
		return ctx.Err()
	case taken:
		return fmt.Errorf("%w: %w", ErrBroken, err)
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
	body, err := readBounded(e.Body, envelope)
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
		err = fmt.Errorf("more than %d bytes", limit)
	}
	return body, err
}
