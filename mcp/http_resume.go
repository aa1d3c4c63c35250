package mcp

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"
)

const (
	// resumeWait is the pause before a broken stream is taken up again where the server does not tell one. It doubles
	// with each try that brought nothing, up to resumeMax.
	resumeWait = 100 * time.Millisecond
	resumeMax  = 5 * time.Second
	// resumeTries in a row may fail before the answer is given up. Streams that end in good order do not count: a server
	// may let its clients poll. The call's own limit ends that.
	resumeTries = 5
)

// cursor is how far a stream was read.
type cursor struct {
	id    string
	retry time.Duration // the pause that the server wants; 0 when it did not say
}

func (at *cursor) move(e event) {
	at.id = e.id
	if e.retry > 0 {
		at.retry = e.retry
	}
}

// errNoResume ends the tries to take a stream up again.
var errNoResume = errors.New("the server does not give the rest of the stream")

// resume asks for the rest of a stream that broke after at, until the answer came. The request was taken on by the server
// and is not sent again. The error is never a *StatusError: what it says is not about the request.
func (l *streamable) resume(ctx context.Context, at *cursor, w waiter) error {
	wait, failed := resumeWait, 0
	for {
		select {
		case <-time.After(max(wait, at.retry)):
		case <-ctx.Done():
			return ctx.Err()
		}
		before := at.id
		err := l.resumeOnce(ctx, at, w)
		switch {
		case !w.waits():
			return nil
		case errors.Is(err, errNoResume):
			return err
		case at.id != before:
			wait, failed = resumeWait, 0
			continue
		case !errors.Is(err, errStreamEnd):
			failed++
		}
		if failed == resumeTries {
			return fmt.Errorf("%w: %w", errNoResume, err)
		}
		wait = min(2*wait, resumeMax)
	}
}

func (l *streamable) resumeOnce(ctx context.Context, at *cursor, w waiter) error {
	resp, err := l.get(ctx, func(h http.Header) {
		l.decorate(h)
		h.Set("Last-Event-ID", at.id)
	})
	if err != nil {
		return err
	}
	defer discard(resp.Body)
	switch {
	case resp.StatusCode >= 500:
		return errors.New(resp.Status)
	case resp.StatusCode != http.StatusOK || !isStream(resp):
		return fmt.Errorf("%w: it answered with status %d, %s", errNoResume, resp.StatusCode, mediaType(resp))
	}
	return l.stream(resp.Body, at, w)
}
