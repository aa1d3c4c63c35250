package mcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
)

// legacy is the link to a server over HTTP with SSE, protocol 2024-11-05: messages go out as POSTs to an address that
// the server names, and everything comes back on one stream of events, whose end is the session's.
type legacy struct {
	*remote
	stream io.ReadCloser
	// address is where messages are posted; it comes as the first event.
	address chan string
	to      string
}

var errEndpoint = errors.New("the event stream does not begin with an endpoint")

// subscribe opens the stream and waits for the address. ctx bounds only that.
func subscribe(ctx context.Context, s *Session) (link, error) {
	r, err := newRemote(s)
	if err != nil {
		return nil, err
	}
	r.hasSession = func() bool { return true }
	l := &legacy{remote: r, address: make(chan string, 1)}
	s.link = l
	if err := l.connect(ctx); err != nil {
		l.kill()
		<-s.done
		return nil, err
	}
	return l, nil
}

func (l *legacy) connect(ctx context.Context) error {
	stop := context.AfterFunc(ctx, l.endLife)
	resp, err := l.get(l.life, func(http.Header) {})
	if err != nil {
		return err
	}
	if err := l.refusal(resp); err != nil {
		discard(resp.Body)
		return err
	}
	if !isStream(resp) {
		discard(resp.Body)
		return fmt.Errorf("%w: it is %s", errEndpoint, mediaType(resp))
	}
	l.stream = resp.Body
	l.work("mcp events", l.read)
	select {
	case address, ok := <-l.address:
		if !ok {
			return errEndpoint
		}
		stop()
		return l.resolve(address)
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// resolve takes the address that the server named. It must be of the same origin: our credentials go there.
func (l *legacy) resolve(address string) error {
	to, err := l.url.Parse(address)
	if err != nil {
		return fmt.Errorf("the server named an endpoint that is no URL: %w", err)
	}
	if !sameOrigin(l.url, to) {
		return fmt.Errorf("the server named an endpoint of another origin, %s; it would get our credentials", origin(to))
	}
	l.to = to.String()
	return nil
}

func origin(u *url.URL) string { return u.Scheme + "://" + u.Host }

// read reads the stream to its end, which ends the session.
func (l *legacy) read() {
	defer l.stream.Close()
	named := false
	err := events(l.stream, l.s.server.MaxMessage, l.s.tooLong, func(e event) error {
		switch {
		case len(e.data) == 0:
			return nil
		case named:
			return l.s.receive(e.data)
		case e.name != "endpoint":
			return errEndpoint
		}
		named = true
		l.address <- string(e.data)
		return nil
	})
	if !named {
		close(l.address)
		return
	}
	if errors.Is(err, io.EOF) {
		err = errors.New("it ended")
	}
	l.fail("the event stream broke: " + err.Error())
}

func (l *legacy) open() {}

func (l *legacy) ready() {}

func (l *legacy) send(c *call, frame []byte) {
	l.carry(c, func(ctx context.Context) error {
		if err := l.deliver(ctx, c, frame); err != nil {
			return err
		}
		return errAnswered // on the stream of events, or not at all
	})
}

func (l *legacy) cancel(_ *call, frame []byte) {
	l.work("mcp notice", func() { l.notice(frame) })
}

func (l *legacy) notice(frame []byte) {
	ctx, cancel := context.WithTimeout(l.life, noticeTime)
	defer cancel()
	if err := l.deliver(ctx, nil, frame); err != nil && l.life.Err() == nil {
		l.s.warn("a message to the server was lost: " + err.Error())
	}
}

func (l *legacy) write(ctx context.Context, frame []byte, kind frameKind) error {
	if kind == aResponse {
		l.cancel(nil, frame)
		return nil
	}
	err := l.deliver(ctx, nil, frame)
	if kind == aNotification {
		return l.tolerant(err)
	}
	return err
}

// deliver posts a message; the answer, if any, comes on the stream.
func (l *legacy) deliver(ctx context.Context, c *call, frame []byte) error {
	resp, err := l.post(ctx, l.to, c, frame, func(http.Header) {})
	if err != nil {
		return err
	}
	defer discard(resp.Body)
	return l.refusal(resp)
}

func (l *legacy) close() {
	l.kill()
	<-l.s.done
}
