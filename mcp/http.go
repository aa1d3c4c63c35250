package mcp

import (
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"sync/atomic"
	"time"
)

const (
	deleteTime = time.Second      // for the DELETE that ends a remote session
	noticeTime = 10 * time.Second // for a message that nobody waits for
	// lingerTime is how long a stream may stay open after the answer it was for; one that ends in it leaves a connection
	// that can be used again.
	lingerTime = 250 * time.Millisecond
)

// streamable is the link to a server over Streamable HTTP: every message is a POST of its own, and its answer comes back
// in that POST's response, as JSON or as a stream of events. One odd response hits one call.
type streamable struct {
	*remote
	sessionID atomic.Pointer[string] // as the server gave it with initialize; nil before
}

func dial(s *Session) (link, error) {
	r, err := newRemote(s)
	if err != nil {
		return nil, err
	}
	l := &streamable{remote: r}
	r.hasSession = func() bool { return l.session() != "" }
	return l, nil
}

func (l *streamable) open() {}

func (l *streamable) ready() { l.work("mcp listen", l.listen) }

// post sends one message and returns the response.
func (l *streamable) post(ctx context.Context, c *call, frame []byte) (*http.Response, error) {
	return l.remote.post(ctx, l.url.String(), c, frame, func(h http.Header) {
		l.decorate(h)
		if l.s.stateless() {
			mirror(h, frame)
		}
	})
}

// decorate adds what every request after initialize carries.
func (l *streamable) decorate(h http.Header) {
	if id := l.session(); id != "" {
		h.Set("Mcp-Session-Id", id)
	}
	if version := l.s.protocol.Load(); version != nil {
		h.Set("Mcp-Protocol-Version", *version)
	}
}

func (l *streamable) session() string {
	if id := l.sessionID.Load(); id != nil {
		return *id
	}
	return ""
}

func (l *streamable) send(c *call, frame []byte) {
	l.carry(c, func(ctx context.Context) error {
		resp, err := l.post(ctx, c, frame)
		if err != nil {
			return err
		}
		return l.answer(ctx, resp, waiter{c.id, func() bool { return l.s.pending.has(c.id) }, c.abort})
	})
}

func (l *streamable) cancel(_ *call, frame []byte) { l.notice(frame) }

// notice posts a message in the background.
func (l *streamable) notice(frame []byte) {
	l.work("mcp notice", func() {
		ctx, cancel := context.WithTimeout(l.life, noticeTime)
		defer cancel()
		if err := l.deliver(ctx, frame); err != nil && l.life.Err() == nil {
			l.s.warn("a message to the server was lost: " + err.Error())
		}
	})
}

// deliver posts a message that has no answer.
func (l *streamable) deliver(ctx context.Context, frame []byte) error {
	resp, err := l.post(ctx, nil, frame)
	if err != nil {
		return err
	}
	defer discard(resp.Body)
	return l.refusal(resp)
}

// write sends the SDK's messages: the handshake in order, answers to the server's requests in the background.
func (l *streamable) write(ctx context.Context, frame []byte, kind frameKind) error {
	switch kind {
	case aNotification:
		return l.tolerant(l.deliver(ctx, frame))
	case aRequest:
		return l.initialize(ctx, frame)
	default:
		l.notice(frame)
		return nil
	}
}

// initialize posts the SDK's one request. The body is read in the background: the SDK may have to answer a request of
// the server's first.
func (l *streamable) initialize(ctx context.Context, frame []byte) error {
	resp, err := l.post(ctx, nil, frame)
	if err != nil {
		return err
	}
	if err := l.refusal(resp); err != nil {
		discard(resp.Body)
		return first(err)
	}
	session := resp.Header.Get("Mcp-Session-Id")
	l.sessionID.Store(&session)
	l.work("mcp initialize", func() {
		stop := context.AfterFunc(ctx, func() { _ = resp.Body.Close() })
		defer stop()
		err := l.answer(ctx, resp, waiter{0, func() bool { return l.s.protocol.Load() == nil }, func() {}})
		if err == nil {
			err = ErrNoAnswer
		}
		l.s.conn.unanswered(frame, err)
	})
	return nil
}

// first marks a refusal as the answer to the first request, which is the one that tells the transports apart.
func first(err error) error {
	var status *StatusError
	if errors.As(err, &status) {
		status.initialize = true
	}
	return err
}

// tolerant lets a notification that the server refused be: it has no answer, and whether the server goes on without it
// is told by what is asked next.
func (r *remote) tolerant(err error) error {
	var status *StatusError
	if !errors.As(err, &status) {
		return err
	}
	r.s.warn("a notification was refused: " + status.Error())
	return nil
}

// waiter is who waits for an answer: waits is false once it is there, and abort ends the request that was to bring it.
type waiter struct {
	id    int64 // 0 for a request of the SDK's
	waits func() bool
	abort func()
}

// answer reads what a response holds and gives it to the session. A nil error does not mean that the waiter is answered:
// the response may hold something else.
func (l *streamable) answer(ctx context.Context, resp *http.Response, w waiter) error {
	defer discard(resp.Body)
	if err := l.refusal(resp); err != nil {
		return err
	}
	if isStream(resp) {
		var at cursor
		err := l.stream(resp.Body, &at, w)
		if at.id == "" || !w.waits() {
			return err
		}
		return l.resume(ctx, &at, w)
	}
	body, err := readAll(resp.Body, l.s.server.MaxMessage)
	if err != nil {
		return err
	}
	return l.body(resp, w, body)
}

// errStreamEnd is a stream that ended in good order, without the answer.
var errStreamEnd = errors.New("the event stream ended without the answer")

// stream reads events. Once the answer is there, the rest of the stream gets a moment to end by itself.
func (l *streamable) stream(r io.Reader, at *cursor, w waiter) error {
	var linger *time.Timer
	err := events(r, l.s.server.MaxMessage, l.s.tooLong, func(e event) error {
		at.move(e)
		if len(e.data) == 0 {
			return nil
		}
		err := l.s.receive(e.data)
		if linger == nil && !w.waits() {
			linger = time.AfterFunc(lingerTime, w.abort)
		}
		return err
	})
	if linger != nil {
		linger.Stop()
	}
	if errors.Is(err, io.EOF) {
		return errStreamEnd
	}
	return err
}

func isStream(resp *http.Response) bool {
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	return kind == "text/event-stream"
}

// close deletes the session and then ends it.
func (l *streamable) close() {
	if l.session() != "" && l.life.Err() == nil {
		l.delete()
	}
	l.kill()
	<-l.s.done
}

// delete tells the server that the session is over. It is a courtesy, and does not wait long.
func (l *streamable) delete() {
	ctx, cancel := context.WithTimeout(l.life, deleteTime)
	defer cancel()
	req, err := l.request(ctx, http.MethodDelete, l.url.String(), nil)
	if err != nil {
		return
	}
	l.decorate(req.Header)
	if resp, err := l.client.Do(req); err == nil {
		discard(resp.Body)
	}
}
