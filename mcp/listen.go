package mcp

import (
	"net/http"
	"time"
)

const (
	listenFirst = time.Second      // before a broken stream is opened again
	listenMax   = 30 * time.Second // the longest wait between tries
)

// listen keeps the optional GET stream open, on which a server tells that its tools changed or asks something. Whatever
// becomes of it, calls go on: a server that does not offer it is left in peace, one whose stream breaks is tried again,
// ever less often.
func (l *streamable) listen() {
	wait, lastID := listenFirst, ""
	for l.life.Err() == nil {
		began := time.Now()
		retry, offered := l.listenOnce(&lastID)
		if !offered {
			return
		}
		if time.Since(began) > listenMax {
			wait = listenFirst
		}
		select {
		case <-time.After(max(wait, retry)):
		case <-l.life.Done():
		}
		wait = min(2*wait, listenMax)
	}
}

// listenOnce reads one GET stream to its end. offered is false when the server said that it has none.
func (l *streamable) listenOnce(lastID *string) (retry time.Duration, offered bool) {
	resp, err := l.get(l.life, func(h http.Header) {
		if *lastID != "" {
			h.Set("Last-Event-ID", *lastID)
		}
		l.decorate(h)
	})
	if err != nil {
		return 0, true
	}
	defer resp.Body.Close()
	if resp.StatusCode >= 500 {
		return 0, true
	}
	if resp.StatusCode != http.StatusOK || !isStream(resp) {
		return 0, false
	}
	_ = events(resp.Body, l.s.server.MaxMessage, l.s.tooLong, func(e event) error {
		if *lastID = e.id; e.retry > 0 {
			retry = e.retry
		}
		if len(e.data) == 0 {
			return nil
		}
		return l.s.receive(e.data)
	})
	return retry, true
}
