package mcp

import (
	"fmt"
	"sync"
	"sync/atomic"
)

// A flood of junk ends the session when this much of it came in a row: a server that writes so much and no message is
// not speaking MCP.
const (
	floodLines = 10_000
	floodBytes = 64 << 20
)

// junk counts what was skipped, and warns of it at the first time and at each power of ten.
type junk struct {
	warn  func(text string)
	count atomic.Int64 // all of it
	dirty atomic.Bool  // since the last good message; spares good messages the lock

	mu    sync.Mutex
	lines int // in a row
	bytes int // in a row
}

// good says that a message came: the row of junk is over.
func (j *junk) good() {
	if j.dirty.Load() {
		j.mu.Lock()
		j.lines, j.bytes = 0, 0
		j.dirty.Store(false)
		j.mu.Unlock()
	}
}

// skip counts a skipped line, with what was wrong with it, and reports whether it is a flood now.
func (j *junk) skip(why string, line []byte) (flood bool) {
	n := j.count.Add(1)
	if tenth(n) {
		j.warn(fmt.Sprintf("skipped on the server's output (%s), %d so far: %s", why, n, excerpt(line)))
	}
	return j.row(len(line))
}

// row counts a line that is no message, blank ones too.
func (j *junk) row(size int) (flood bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.dirty.Store(true)
	j.lines++
	j.bytes += size
	return j.lines > floodLines || j.bytes > floodBytes
}

func tenth(n int64) bool {
	for n > 1 && n%10 == 0 {
		n /= 10
	}
	return n == 1
}

func excerpt(line []byte) string {
	return cut(printable(string(line[:min(len(line), 1<<10)])), 200)
}
