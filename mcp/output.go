package mcp

import (
	"errors"
	"io"
	"os"
	"sync/atomic"
	"time"
)

const (
	// quietTime is how long a dead server's pipe must be empty to count as read. What the leader wrote is in the pipe
	// when it is dead; the time is for members of its group that were killed while they wrote.
	quietTime = 2 * time.Millisecond
	// drainTime bounds waiting for quiet where somebody outside the group goes on writing.
	drainTime = 250 * time.Millisecond
	// pipeMost is what a pipe holds at most: 64 KiB, and on Linux up to this, if its user asks for it (pipe(7)).
	pipeMost = 1 << 20
)

// output is our end of a pipe out of a server: its stdout or stderr.
//
// It ends (io.EOF) when nobody can write into it any more. Somebody outside the server's group may hold it open, though:
// after finish it ends as soon as all was read that a dead server can have left in it. How long our own reader takes does
// not count: it ends only where the pipe is seen to be empty, or more was read than fits into it.
type output struct {
	file  *os.File
	limit time.Time   // no waiting for quiet after that; set before ended is
	ended atomic.Bool // the server is dead
	rest  int         // how much may still be read then; of the reader alone
}

func newOutput(file *os.File) *output { return &output{file: file, rest: pipeMost} }

// finish says that the server is dead, and wakes the reader if it waits. It is called once.
func (o *output) finish() {
	o.limit = time.Now().Add(drainTime)
	o.ended.Store(true)
	_ = o.file.SetReadDeadline(time.Now().Add(quietTime))
}

// Read implements io.Reader for one reader.
func (o *output) Read(p []byte) (int, error) {
	for {
		if o.ended.Load() {
			return o.readLast(p)
		}
		n, err := o.file.Read(p)
		if !errors.Is(err, os.ErrDeadlineExceeded) {
			return n, err
		}
		if !readable(o.file) { // it was empty since the server's end
			return 0, io.EOF
		}
	}
}

// readLast reads what is left.
func (o *output) readLast(p []byte) (int, error) {
	if o.rest == 0 || time.Now().After(o.limit) && !readable(o.file) {
		return 0, io.EOF
	}
	p = p[:min(len(p), o.rest)]
	for {
		_ = o.file.SetReadDeadline(time.Now().Add(quietTime))
		n, err := o.file.Read(p)
		o.rest -= n
		if !errors.Is(err, os.ErrDeadlineExceeded) {
			return n, err
		}
		if !readable(o.file) {
			return 0, io.EOF
		}
	}
}

// close closes our end; a reader's Read ends with os.ErrClosed.
func (o *output) close() { _ = o.file.Close() }
