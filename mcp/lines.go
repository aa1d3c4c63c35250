package mcp

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
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
}

func newLineReader(r io.Reader, max int, tooLong func(id []byte)) *lineReader {
	return &lineReader{r: bufio.NewReaderSize(r, 64<<10), max: max, tooLong: tooLong}
}

// next returns the next line without its line end; the caller owns it. It may be empty. At the end of the stream an
// unfinished line comes first, then the error.
func (l *lineReader) next() ([]byte, error) {
	var line []byte
	for {
		part, err := l.r.ReadSlice('\n')
		if len(line)+len(part) > l.max+1 {
			return nil, l.skip(line, part, err)
		}
		line = append(line, part...)
		switch {
		case err == nil:
			return line[:len(line)-1], nil
		case errors.Is(err, bufio.ErrBufferFull):
		case len(line) > 0 && errors.Is(err, io.EOF):
			return line, nil
		default:
			return nil, err
		}
	}
}

// skip reads on to the end of a line that is too long: held and part are its beginning, err came with part. Only the
// id is looked for.
func (l *lineReader) skip(held, part []byte, err error) error {
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

// idFinder finds the id at the top level of a JSON-RPC response that comes in pieces and is never held. It follows
// strings and brackets only; what is no JSON finds no id.
type idFinder struct {
	depth             int
	inString, escaped bool
	token             []byte // the string or scalar at depth 1 being read, up to maxToken bytes
	key               string // the last whole string at depth 1
	isValue           bool   // after a colon at depth 1
	request           bool   // a method was seen: the id is not ours
	id                []byte
}

const maxToken = 64

// feed reads one more piece and returns the id once it is whole, nil before and for a request.
func (f *idFinder) feed(piece []byte) []byte {
	for _, c := range piece {
		f.step(c)
	}
	if f.request {
		return nil
	}
	return f.id
}

func (f *idFinder) step(c byte) {
	if f.inString {
		f.stepString(c)
		return
	}
	switch c {
	case '"':
		f.inString = true
		f.keep(c)
	case '{', '[':
		f.depth++
	case '}', ']':
		f.endValue()
		f.depth--
	case ':':
		if f.depth == 1 {
			f.key, f.isValue, f.token = string(f.token), true, f.token[:0]
			f.request = f.request || f.key == `"method"`
		}
	case ',':
		f.endValue()
	case ' ', '\t', '\r':
	default:
		f.keep(c)
	}
}

func (f *idFinder) stepString(c byte) {
	f.keep(c)
	switch {
	case f.escaped:
		f.escaped = false
	case c == '\\':
		f.escaped = true
	case c == '"':
		f.inString = false
	}
}

func (f *idFinder) keep(c byte) {
	if f.depth == 1 && len(f.token) < maxToken {
		f.token = append(f.token, c)
	}
}

// endValue closes a member at depth 1.
func (f *idFinder) endValue() {
	if f.depth != 1 {
		return
	}
	if f.isValue && f.key == `"id"` && f.id == nil && len(f.token) > 0 {
		f.id = bytes.Clone(f.token)
	}
	f.token, f.isValue = f.token[:0], false
}
