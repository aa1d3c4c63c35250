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
	return &streamable{remote: r}, nil
}

func (l *streamable) open() {}

func (l *streamable) ready() { l.work("mcp listen", l.listen) }

// post sends one message and returns the response.
func (l *streamable) post(ctx context.Context, c *call, frame []byte) (*http.Response, error) {
	return l.remote.post(ctx, l.url.String(), c, frame, l.decorate)
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
	ctx, abort := context.WithCancel(l.life)
	c.abort = abort
	l.work("mcp post", func() {
		defer abort()
		resp, err := l.post(ctx, c, frame)
		if err == nil {
			err = l.answer(resp, c.id, abort)
		}
		l.unanswered(c, err, l.session() != "")
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
		return l.deliver(ctx, frame)
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
		return err
	}
	session := resp.Header.Get("Mcp-Session-Id")
	l.sessionID.Store(&session)
	l.work("mcp initialize", func() {
		stop := context.AfterFunc(ctx, func() { _ = resp.Body.Close() })
		defer stop()
		err := l.answer(resp, 0, func() {})
		if err == nil {
			err = ErrNoAnswer
		}
		l.s.conn.unanswered(frame, err)
	})
	return nil
}

// answer reads what a response holds and gives it to the session. A nil error does not mean that the call with that id
// is answered: the response may hold something else.
func (l *streamable) answer(resp *http.Response, id int64, abort func()) error {
	defer discard(resp.Body)
	if err := l.refusal(resp); err != nil {
		return err
	}
	if isStream(resp) {
		return l.stream(resp.Body, id, abort)
	}
	body, err := readAll(resp.Body, l.s.server.MaxMessage)
	if err != nil {
		return err
	}
	return l.body(resp, id, body)
}

// stream reads events. Once the answer is there, the rest of the stream gets a moment to end by itself.
func (l *streamable) stream(r io.Reader, id int64, abort func()) error {
	var linger *time.Timer
	err := events(r, l.s.server.MaxMessage, l.s.tooLong, func(e event) error {
		err := l.s.receive(e.data)
		if linger == nil && !l.s.pending.has(id) {
			linger = time.AfterFunc(lingerTime, abort)
		}
		return err
	})
	if linger != nil {
		linger.Stop()
	}
	if errors.Is(err, io.EOF) {
		return errors.New("the event stream ended without the answer")
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
