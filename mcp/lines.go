package mcp

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"sync/atomic"
)

// endless is how many times the longest message a line may go on before the session is given up: by then the server is
// taken to be broken, not talkative.
const endless = 16

// endlessError ends a session whose server does not end its line.
type endlessError struct{ size int }

func (e endlessError) Error() string {
	return fmt.Sprintf("wrote more than %d bytes without a line end", e.size)
}

// lineReader cuts a stream into lines and holds at most one line of max bytes.
type lineReader struct {
	r   *bufio.Reader
	max int
	// tooLong is told, once for each line longer than max, the id of the message in it: as soon as it is seen, or nil at
	// the line's end. The line itself is skipped.
	tooLong func(id []byte)
	// skipping is true while such a line goes on.
	skipping atomic.Bool
}

func newLineReader(r io.Reader, max int, tooLong func(id []byte)) *lineReader {
	return &lineReader{r: bufio.NewReaderSize(r, 64<<10), max: max, tooLong: tooLong}
}

// next returns the next line without its line end; the caller owns it. It may be empty. At the end of the stream an
// unfinished line comes first, then the error.
func (l *lineReader) next() ([]byte, error) {
	var held pieces
	for {
		part, err := l.r.ReadSlice('\n')
		if held.size+len(part) > l.max+1 {
			return nil, l.skip(held.bytes(), part, err)
		}
		held.add(part)
		switch {
		case err == nil:
			line := held.bytes()
			return line[:len(line)-1], nil
		case errors.Is(err, bufio.ErrBufferFull):
		case held.size > 0 && errors.Is(err, io.EOF):
			return held.bytes(), nil
		default:
			return nil, err
		}
	}
}

// skip reads on to the end of a line that is too long: held and part are its beginning, err came with part. Only the
// id is looked for.
func (l *lineReader) skip(held, part []byte, err error) error {
	l.skipping.Store(true)
	defer l.skipping.Store(false)
	find, size, told := idFinder{}, len(held), false
	find.feed(held)
	for {
		size += len(part)
		if id := find.feed(bytes.TrimSuffix(part, []byte{'\n'})); id != nil && !told {
			told = true
			l.tooLong(id)
		}
		switch {
		case err == nil || errors.Is(err, io.EOF):
			if !told {
				l.tooLong(nil)
			}
			return nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return err
		case size/endless >= l.max:
			return endlessError{size}
		}
		part, err = l.r.ReadSlice('\n')
	}
}

// some returns up to n bytes, as many as are there, at most to the next line end, which is part of them. They are valid
// until the next read.
func (l *lineReader) some(n int) ([]byte, error) {
	if _, err := l.r.Peek(1); err != nil {
		return nil, err
	}
	part, err := l.r.Peek(min(n, l.r.Buffered()))
	if end := bytes.IndexByte(part, '\n'); end >= 0 {
		part = part[:end+1]
	}
	_, _ = l.r.Discard(len(part)) // they are buffered
	return part, err
}
