package mcp

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/mcp-supervisor/supervisor/internal/safe"
)

const (
	stderrLine  = 4 << 10 // the longest line handed on, in bytes
	stderrTail  = 20      // lines kept for the post-mortem
	stderrQueue = 256     // lines that wait for a slow owner
	// stderrPatience is how long the server's stderr waits for a slow owner before lines are dropped instead.
	stderrPatience = 200 * time.Millisecond
)

// stderr drains a server's stderr for as long as there is any: a server whose stderr is full stands still.
type stderr struct {
	mask func(string) string
	out  func(line string) // may be nil
	// queue parts the draining from a slow owner.
	queue    chan string
	dropped  int
	patience time.Duration // what is left of it until the queue is empty again

	mu   sync.Mutex
	tail []string
}

func newStderr(o Options) *stderr {
	return &stderr{mask: o.Mask, out: o.Stderr, queue: make(chan string, stderrQueue)}
}

// drain reads r to its end. It is the only one to write to the queue.
func (e *stderr) drain(r io.Reader) {
	defer close(e.queue)
	if e.out != nil {
		safe.Go("mcp stderr", nil, e.deliver)
	}
	lines := bufio.NewReaderSize(r, 2*stderrLine)
	for {
		part, err := lines.ReadSlice('\n')
		if len(part) > 0 {
			e.line(string(part))
		}
		for errors.Is(err, bufio.ErrBufferFull) { // the rest of a line that is too long
			_, err = lines.ReadSlice('\n')
		}
		if err != nil {
			e.tellDropped()
			return
		}
	}
}

// line cleans one line and puts it where it belongs. Masking comes first, on twice the length that is kept, so that
// neither escapes nor the cut tear a secret into something the mask does not know.
func (e *stderr) line(raw string) {
	text := strings.ReplaceAll(e.mask(strings.TrimRight(raw, "\r\n")), "\t", "    ") // which stack traces are full of
	line := cut(printable(text), stderrLine)
	e.mu.Lock()
	if len(e.tail) == stderrTail {
		e.tail = append(e.tail[:0], e.tail[1:]...)
	}
	e.tail = append(e.tail, line)
	e.mu.Unlock()
	if e.out != nil {
		e.tellDropped()
		e.enqueue(line)
	}
}

// enqueue hands a line to the owner. One that is slow costs the server its patience once, however much it writes; then
// lines are dropped until the owner has caught up.
func (e *stderr) enqueue(line string) {
	if len(e.queue) == 0 {
		e.patience = stderrPatience
	}
	select {
	case e.queue <- line:
		return
	default:
	}
	if !e.waited(line) {
		e.dropped++
	}
}

// waited hands a line to a slow owner, if it takes it in what is left of the server's patience.
func (e *stderr) waited(line string) bool {
	if e.patience <= 0 {
		return false
	}
	began, timer := time.Now(), time.NewTimer(e.patience)
	defer func() { timer.Stop(); e.patience -= time.Since(began) }()
	select {
	case e.queue <- line:
		return true
	case <-timer.C:
		return false
	}
}

func (e *stderr) tellDropped() {
	if e.dropped == 0 || e.out == nil {
		return
	}
	select {
	case e.queue <- fmt.Sprintf("(%d lines dropped: they came faster than they could be written)", e.dropped):
		e.dropped = 0
	default:
	}
}

func (e *stderr) deliver() {
	for line := range e.queue {
		e.out(line)
	}
}

// last returns the last lines, oldest first.
func (e *stderr) last() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return append([]string(nil), e.tail...)
}
