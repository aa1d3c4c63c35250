package mcp

import (
	"bytes"
	"errors"
	"io"
	"strconv"
	"time"
)

// event is one server-sent event.
type event struct {
	name string // empty stands for "message"
	data []byte // empty when the event only carries an id or a retry time
	// id is the last one that was given, maybe with an earlier event.
	id string
	// retry is how long to wait before connecting again; 0 when not said.
	retry time.Duration
}

var errEvent = errors.New("event too long")

// events reads server-sent events and gives each of them to each, until the stream ends (io.EOF), or each or the
// reader fails. Lines and events are at most max bytes; tooLong is told of longer ones.
func events(r io.Reader, max int, tooLong func(id []byte), each func(event) error) error {
	lines := newLineReader(r, max, tooLong)
	var e event
	parts, last := 0, ""
	for {
		line, err := lines.next()
		if err != nil {
			return err
		}
		line = bytes.TrimSuffix(line, []byte{'\r'})
		if len(line) == 0 {
			if parts > 0 || e.id != last || e.retry > 0 {
				err = each(e)
			}
			if err != nil {
				return err
			}
			last = e.id
			e, parts = event{id: last}, 0
			continue
		}
		name, value, _ := bytes.Cut(line, []byte{':'})
		value = bytes.TrimPrefix(value, []byte{' '})
		switch string(name) {
		case "data":
			if parts++; parts > 1 {
				value = append(append(e.data, '\n'), value...)
			}
			if e.data = value; len(value) > max {
				return errEvent
			}
		case "event":
			e.name = string(value)
		case "id":
			if bytes.IndexByte(value, 0) < 0 {
				e.id = string(value)
			}
		case "retry":
			if ms, err := strconv.ParseUint(string(value), 10, 31); err == nil {
				e.retry = time.Duration(ms) * time.Millisecond
			}
		}
	}
}
