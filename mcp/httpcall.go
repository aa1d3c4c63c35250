package mcp

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/mcp-supervisor/supervisor/mcp/spec"
)

// detailSize bounds how much of a refusing response is read.
const detailSize = 16 << 10

// body reads a response that is not a stream. What is not said to be JSON is not taken for an answer: it is a login
// page, a proxy's notice, or not an MCP server at all.
func (l *streamable) body(resp *http.Response, w waiter, body []byte) error {
	no := fmt.Errorf("%w: HTTP status %d, %s: %s", ErrNoAnswer, resp.StatusCode, mediaType(resp), excerpt(body))
	if !strings.HasSuffix(mediaType(resp), "json") {
		return no
	}
	in := scanner{b: repair(body)}
	e, ok := in.envelope()
	if ok && e.method == nil && e.failed() && (!e.hasID() || unknownSession(rpcError(e.err))) {
		return rpcError(e.err) // about our request, whose id it may not know
	}
	if err := l.s.receive(body); err != nil || !w.waits() {
		return err
	}
	return no
}

// unanswered ends a call whose response was read and did not end it, or that got none. It ends the session if the
// response says that there is none any more, or that our credentials are not good any more. A call that was refused for
// want of a session surely did not run: it is left to the end of the session, which says so.
func (r *remote) unanswered(c *call, err error) {
	if err == nil {
		err = ErrNoAnswer
	}
	var status *StatusError
	var rpc *spec.RPCError
	hasRPC, hasStatus := errors.As(err, &rpc), errors.As(err, &status)
	switch {
	case r.sessionGone(status, rpc):
		c.unclaim()
		r.expire("the server ended the session: " + err.Error())
	case hasRPC:
		r.s.pending.settle(c.id, spec.Reply{RPC: rpc, Written: true})
	case hasStatus:
		r.hold.heed(status, time.Now())
		r.s.pending.settle(c.id, spec.Reply{Err: status, RetryAfter: status.RetryAfter, Written: status.mayHaveRun()})
		if status.Status == http.StatusUnauthorized {
			r.expire(status.Error())
		}
	case errors.Is(err, errRedirect):
		r.s.pending.settle(c.id, spec.Reply{Err: r.s.masked(err)})
	case r.life.Err() == nil: // else the end of the session is the reason, and the session tells it
		r.s.pending.fail(c, r.s.masked(err))
	}
}

// mayHaveRun reports whether a server that answers with this status may have run the call. 4xx and 503 say that it did
// not take the request on.
func (e *StatusError) mayHaveRun() bool {
	return e.Status >= 500 && e.Status != http.StatusServiceUnavailable
}

// sessionGone reports whether a refusal, of which either part may be nil, means that the server does not know the session
// any more.
func (r *remote) sessionGone(status *StatusError, rpc *spec.RPCError) bool {
	return r.hasSession() && (status != nil && status.sessionGone() || rpc != nil && unknownSession(rpc))
}

// sessionGone: 404 by the protocol, and 400 with words about the session from servers made after an early example.
func (e *StatusError) sessionGone() bool {
	return e.Status == http.StatusNotFound ||
		e.Status == http.StatusBadRequest && strings.Contains(strings.ToLower(e.Detail), "session")
}

// sessionNotFound is the JSON-RPC code that servers give to a session they do not know. Others use it for time-outs.
const sessionNotFound = -32001

func unknownSession(e *spec.RPCError) bool {
	return e.Code == sessionNotFound && strings.Contains(strings.ToLower(e.Message), "session")
}

// refusal is the error in a response with a status other than 2xx; nil for others. A JSON-RPC error in it counts as the
// server's answer, but for the statuses that say by themselves what became of the request.
func (r *remote) refusal(resp *http.Response) error {
	if resp.StatusCode >= 200 && resp.StatusCode < 300 {
		return nil
	}
	body, _ := io.ReadAll(io.LimitReader(resp.Body, detailSize))
	in := scanner{b: repair(body)}
	e, ok := in.envelope()
	status := &StatusError{Status: resp.StatusCode, RetryAfter: retryAfter(resp.Header.Get("Retry-After"), time.Now())}
	status.Detail = cut(printable(r.s.opts.Mask(detail(resp, body, e))), 300)
	if ok && e.failed() && !plainStatus(resp.StatusCode) && !r.sessionGone(status, nil) {
		status.rpc = rpcError(e.err)
	}
	return status
}

// plainStatus lists the statuses that mean `unavailable`, whatever the body says.
func plainStatus(status int) bool {
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusRequestEntityTooLarge, http.StatusTooManyRequests,
		http.StatusServiceUnavailable:
		return true
	}
	return false
}

// detail is what people should know of a refusal.
func detail(resp *http.Response, body []byte, e envelope) string {
	var parts []string
	if ask := resp.Header.Get("WWW-Authenticate"); ask != "" {
		parts = append(parts, "WWW-Authenticate: "+ask)
	}
	switch {
	case e.failed():
		parts = append(parts, rpcError(e.err).Message)
	case strings.HasPrefix(mediaType(resp), "text/html"):
		parts = append(parts, "an HTML page")
	case len(bytes.TrimSpace(body)) > 0:
		parts = append(parts, string(bytes.TrimSpace(body)))
	}
	return strings.Join(parts, "; ")
}

func mediaType(resp *http.Response) string {
	kind, _, err := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if err != nil {
		return "no content type"
	}
	return kind
}

// longestPause is the most that a Retry-After is heeded: a wrong clock must not shut a server out for good.
const longestPause = time.Hour

// retryAfter reads a Retry-After header: seconds or a date. 0 when there is none, or it is over.
func retryAfter(value string, now time.Time) time.Duration {
	if seconds, err := strconv.ParseUint(value, 10, 31); err == nil {
		return min(time.Duration(seconds)*time.Second, longestPause)
	}
	if date, err := http.ParseTime(value); err == nil {
		return min(max(0, date.Sub(now)), longestPause)
	}
	return 0
}

// readAll reads a body of at most limit bytes.
func readAll(r io.Reader, limit int) ([]byte, error) {
	body, err := io.ReadAll(io.LimitReader(r, int64(limit)+1))
	switch {
	case len(body) > limit:
		return nil, &SizeError{Max: limit}
	case err != nil:
		return nil, fmt.Errorf("the answer broke off after %d bytes: %w", len(body), err)
	}
	return body, nil
}

// discard reads the little that is left of a body, so that the connection can be used again, and closes it.
func discard(body io.ReadCloser) {
	_, _ = io.CopyN(io.Discard, body, 4<<10)
	_ = body.Close()
}
