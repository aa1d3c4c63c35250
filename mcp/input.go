package mcp

import (
	"bytes"
	"io"
	"strconv"
)

// input is a server's stdout: lines, each a message, and what servers make of that. It assembles JSON that is printed
// over several lines, and reads messages that only a Content-Length header tells the end of, as language servers do.
type input struct {
	s     *Session
	lines *lineReader

	held []byte // the lines of a value that is not whole yet
	nest nesting

	length int  // as a Content-Length header said; 0 without one
	body   bool // the headers are over
}

func newInput(r io.Reader, s *Session) *input {
	in := &input{s: s, lines: newLineReader(r, s.server.MaxMessage, s.tooLong)}
	s.stuck.Store(&in.lines.skipping)
	return in
}

// next reads a line and sees to what is in it. An error ends the session.
func (in *input) next() error {
	line, err := in.line()
	if err != nil {
		return err
	}
	return in.receive(line)
}

// receive sees to one line. A line that is a whole message resets a half-read one; so a torn message costs only itself.
func (in *input) receive(line []byte) error {
	line = repair(line)
	switch {
	case in.held == nil:
	case isMessage(line):
		if err := in.drop(); err != nil {
			return err
		}
	default:
		return in.add(line)
	}
	if len(line) == 0 {
		return in.s.flood(in.s.junk.row(1))
	}
	rest := in.s.hear(line)
	if unfinished(rest) {
		in.held, in.nest = bytes.Clone(rest), nesting{}
		in.nest.feed(rest)
		return nil
	}
	return in.s.judge(rest)
}

// add adds a line to the half-read value. One string cannot reach over two lines: then it was torn.
func (in *input) add(line []byte) error {
	in.held = append(append(in.held, '\n'), line...)
	in.nest.feed(line)
	switch {
	case in.nest.inString || len(in.held) > in.s.server.MaxMessage:
		return in.drop()
	case in.nest.depth > 0:
		return nil
	}
	whole := in.held
	in.held = nil
	return in.s.judge(in.s.hear(whole))
}

// drop gives a half-read value up.
func (in *input) drop() error {
	torn := in.held
	in.held = nil
	return in.s.flood(in.s.junk.skip("JSON that breaks off", torn))
}

// unfinished reports whether b is the beginning of an object or array and ends between two tokens.
func unfinished(b []byte) bool {
	if len(b) == 0 || b[0] != '{' && b[0] != '[' {
		return false
	}
	in, nest := scanner{b: b}, nesting{}
	if in.skip(0) || in.i < len(b) {
		return false
	}
	nest.feed(b)
	return !nest.inString
}

// isMessage reports whether a line is one JSON-RPC message that says so, and nothing else.
func isMessage(line []byte) bool {
	if len(line) == 0 || line[0] != '{' {
		return false
	}
	in := scanner{b: line}
	e, ok := in.envelope()
	return ok && in.i == len(line) && e.version != nil && (e.method != nil || e.id != nil)
}

// line reads a line, or the body that headers announced.
func (in *input) line() ([]byte, error) {
	if in.body {
		n := in.length
		in.length, in.body = 0, false
		return in.bodyOf(n)
	}
	line, err := in.lines.next()
	in.header(line)
	return line, err
}

// header watches for Content-Length, further headers, and the blank line behind them.
func (in *input) header(line []byte) {
	n := contentLength(line)
	switch {
	case n > 0 && n <= in.s.server.MaxMessage:
		in.length = n
	case in.length == 0:
	case len(bytes.TrimSpace(line)) == 0:
		in.body = true
	case line[0] == '{' || bytes.IndexByte(line, ':') < 0:
		in.length = 0
	}
}

func contentLength(line []byte) int {
	const name = "Content-Length:"
	if len(line) < len(name) || len(line) > 64 || !bytes.EqualFold(line[:len(name)], []byte(name)) {
		return 0
	}
	n, _ := strconv.Atoi(string(bytes.TrimSpace(line[len(name):])))
	return n
}

// bodyOf reads n bytes that need no line end. The header may have been but a log line: so a line end outside of any
// value ends it too, and a value that goes on behind n bytes is read to its line's end.
func (in *input) bodyOf(n int) ([]byte, error) {
	var body []byte
	var nest nesting
	for len(body) < n {
		part, err := in.lines.some(n - len(body))
		if err != nil {
			return body, errUnless(len(body) > 0, err)
		}
		body = append(body, part...)
		nest.feed(part)
		if nest.depth <= 0 && body[len(body)-1] == '\n' {
			return body, nil
		}
	}
	if nest.depth == 0 && !nest.inString {
		return body, nil
	}
	rest, err := in.lines.next()
	return append(body, rest...), errUnless(len(body) > 0, err)
}

func errUnless(fine bool, err error) error {
	if fine {
		return nil
	}
	return err
}
