package mcp

import (
	"errors"
	"os"
	"sync"
	"syscall"
	"time"
)

const (
	// writePatience is how long a server may take to read any of what is written to it: far beyond a busy server's
	// pauses, since a pipe holds 64 KiB already.
	writePatience = 10 * time.Second
	// lookTime is how often an idle pipe is looked at: a server that closed its stdin with a call in it would otherwise
	// keep the call until its time is over.
	lookTime   = 200 * time.Millisecond
	writeChunk = 32 << 10 // bytes written under one deadline
	writeBatch = 64 << 10 // small frames are written together up to this size
)

const closedStdin = "closed its stdin"

// frame is one message on its way to a server.
type frame struct {
	data []byte
	call *call // whose request it is; nil for other messages
}

// writer is the only one to write to a server's stdin. Nobody waits for it: frames queue up.
type writer struct {
	file   *os.File
	broken func(reason string) // told once why nothing can be written any more

	mu      sync.Mutex
	queue   []frame
	closing bool
	wake    chan struct{} // holds a token when there is something to do
	done    chan struct{}

	batch  []byte // of run alone
	starts []start
}

func newWriter(file *os.File, broken func(string)) *writer {
	return &writer{file: file, broken: broken, wake: make(chan struct{}, 1), done: make(chan struct{})}
}

func (w *writer) push(f frame) {
	w.mu.Lock()
	w.queue = append(w.queue, f)
	w.mu.Unlock()
	w.poke()
}

// finish closes the file once all that is queued was written.
func (w *writer) finish() {
	w.mu.Lock()
	w.closing = true
	w.mu.Unlock()
	w.poke()
}

func (w *writer) poke() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// run writes until finish, or until the server does not read any more; ended stops it as well.
func (w *writer) run(ended <-chan struct{}) {
	defer close(w.done)
	defer func() { _ = w.file.Close() }()
	look := time.NewTicker(lookTime)
	defer look.Stop()
	var spare []frame
	for {
		frames, closing := w.take(spare)
		if err := w.write(frames); err != nil {
			w.broken(whyUnwritten(err))
			return
		}
		if len(frames) == 0 && closing {
			return
		}
		clear(frames)
		spare = frames[:0]
		if len(frames) == 0 {
			select {
			case <-w.wake:
			case <-look.C:
				if readerGone(w.file) {
					w.broken(closedStdin)
					return
				}
			case <-ended:
				return
			}
		}
	}
}

func (w *writer) take(spare []frame) (frames []frame, closing bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	frames, w.queue = w.queue, spare
	return frames, w.closing
}

// write writes frames, small ones together. Calls that were dropped meanwhile are left out.
func (w *writer) write(frames []frame) error {
	for i, f := range frames {
		if f.call == nil || f.call.claim() {
			w.starts = append(w.starts, start{len(w.batch), f.call})
			w.batch = append(append(w.batch, f.data...), '\n')
		}
		if len(w.batch) >= writeBatch || i == len(frames)-1 {
			if err := w.flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

// flush writes the batch. Calls of which not a byte was written are free again.
func (w *writer) flush() error {
	n, err := w.writeAll(w.batch)
	for _, s := range w.starts {
		if err != nil && s.call != nil && s.at >= n {
			s.call.unclaim()
		}
	}
	clear(w.starts)
	w.starts, w.batch = w.starts[:0], w.batch[:0]
	if cap(w.batch) > 4*writeBatch {
		w.batch = nil
	}
	return err
}

// start is where in the batch a call begins.
type start struct {
	at   int
	call *call
}

// writeAll writes b in pieces, each under a deadline of its own: a slow server is waited for, a stuck one is not.
func (w *writer) writeAll(b []byte) (n int, err error) {
	for n < len(b) {
		_ = w.file.SetWriteDeadline(time.Now().Add(writePatience))
		m, err := w.file.Write(b[n:min(n+writeChunk, len(b))])
		n += m
		if err != nil {
			return n, err
		}
	}
	return n, nil
}

func whyUnwritten(err error) string {
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return "did not read its stdin for " + writePatience.String()
	case errors.Is(err, syscall.EPIPE):
		return closedStdin
	}
	return "its stdin: " + err.Error()
}
