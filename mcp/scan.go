package mcp

import (
	"encoding/binary"
	"math/bits"
)

// maxDepth is how deep JSON may nest; the same limit as encoding/json, so that whoever decodes a result later can.
const maxDepth = 10000

// scanner checks JSON and finds where values end, in one pass and without decoding anything.
type scanner struct {
	b []byte
	i int
}

// space skips white space.
func (s *scanner) space() {
	for s.i < len(s.b) {
		switch s.b[s.i] {
		case ' ', '\t', '\n', '\r':
			s.i++
		default:
			return
		}
	}
}

// next skips white space and one c, if that is what comes.
func (s *scanner) next(c byte) bool {
	s.space()
	if s.i < len(s.b) && s.b[s.i] == c {
		s.i++
		return true
	}
	return false
}

// value skips white space and one value, and returns the value; nil when there is no valid one.
func (s *scanner) value(depth int) []byte {
	s.space()
	start := s.i
	if !s.skip(depth) {
		return nil
	}
	return s.b[start:s.i]
}

func (s *scanner) skip(depth int) bool {
	if s.i >= len(s.b) || depth > maxDepth {
		return false
	}
	switch c := s.b[s.i]; {
	case c == '"':
		return s.str()
	case c == '{':
		return s.object(depth, nil)
	case c == '[':
		return s.array(depth, nil)
	case c == 't':
		return s.literal("true")
	case c == 'f':
		return s.literal("false")
	case c == 'n':
		return s.literal("null")
	default:
		return s.number()
	}
}

// object skips an object and shows its members to visit, which may be nil. Keys are raw, without their quotes.
func (s *scanner) object(depth int, visit func(key, value []byte)) bool {
	if !s.next('{') {
		return false
	}
	if s.next('}') {
		return true
	}
	for {
		key := s.key()
		if key == nil || !s.next(':') {
			return false
		}
		value := s.value(depth + 1)
		if value == nil {
			return false
		}
		if visit != nil {
			visit(key, value)
		}
		if s.next('}') {
			return true
		}
		if !s.next(',') {
			return false
		}
	}
}

func (s *scanner) key() []byte {
	s.space()
	start := s.i
	if s.i >= len(s.b) || s.b[s.i] != '"' || !s.str() {
		return nil
	}
	return s.b[start+1 : s.i-1]
}

// array skips an array and shows its elements to visit, which may be nil.
func (s *scanner) array(depth int, visit func(value []byte)) bool {
	if !s.next('[') {
		return false
	}
	if s.next(']') {
		return true
	}
	for {
		value := s.value(depth + 1)
		if value == nil {
			return false
		}
		if visit != nil {
			visit(value)
		}
		if s.next(']') {
			return true
		}
		if !s.next(',') {
			return false
		}
	}
}

// str skips a string; the scanner stands on its opening quote.
func (s *scanner) str() bool {
	s.i++
	for {
		s.i += plain(s.b[s.i:])
		if s.i >= len(s.b) {
			return false
		}
		switch c := s.b[s.i]; {
		case c == '"':
			s.i++
			return true
		case c == '\\':
			if !s.escape() {
				return false
			}
		default: // a raw control character
			return false
		}
	}
}

// plain counts the leading bytes of b that stand for themselves in a string: no quote, backslash or control character.
// Eight bytes are looked at together, since long results are mostly long strings.
func plain(b []byte) int {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	n := 0
	for ; len(b)-n >= 8; n += 8 {
		x := binary.LittleEndian.Uint64(b[n:])
		quote, slash := x^(ones*'"'), x^(ones*'\\')
		special := ((x-ones*0x20)&^x | (quote-ones)&^quote | (slash-ones)&^slash) & highs
		if special != 0 {
			return n + bits.TrailingZeros64(special)/8
		}
	}
	for ; n < len(b); n++ {
		if c := b[n]; c < 0x20 || c == '"' || c == '\\' {
			break
		}
	}
	return n
}

func (s *scanner) escape() bool {
	if s.i+1 >= len(s.b) {
		return false
	}
	switch s.b[s.i+1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		s.i += 2
		return true
	case 'u':
		if s.i+6 > len(s.b) {
			return false
		}
		for _, c := range s.b[s.i+2 : s.i+6] {
			if !isHex(c) {
				return false
			}
		}
		s.i += 6
		return true
	}
	return false
}

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

func (s *scanner) literal(word string) bool {
	if len(s.b)-s.i < len(word) || string(s.b[s.i:s.i+len(word)]) != word {
		return false
	}
	s.i += len(word)
	return true
}

func (s *scanner) number() bool {
	if s.peek() == '-' {
		s.i++
	}
	if s.peek() == '0' {
		s.i++
	} else if !s.digits() {
		return false
	}
	if s.peek() == '.' {
		s.i++
		if !s.digits() {
			return false
		}
	}
	if c := s.peek(); c == 'e' || c == 'E' {
		s.i++
		if c := s.peek(); c == '+' || c == '-' {
			s.i++
		}
		return s.digits()
	}
	return true
}

func (s *scanner) peek() byte {
	if s.i < len(s.b) {
		return s.b[s.i]
	}
	return 0
}

func (s *scanner) digits() bool {
	start := s.i
	for c := s.peek(); c >= '0' && c <= '9'; c = s.peek() {
		s.i++
	}
	return s.i > start
}

// members shows the members of the object b to visit and reports whether b is one valid object and nothing else.
func members(b []byte, visit func(key, value []byte)) bool {
	s := scanner{b: b}
	ok := s.object(0, visit)
	s.space()
	return ok && s.i == len(b)
}

// elements shows the elements of the array b to visit and reports whether b is one valid array and nothing else.
func elements(b []byte, visit func(value []byte)) bool {
	s := scanner{b: b}
	ok := s.array(0, visit)
	s.space()
	return ok && s.i == len(b)
}

// isObject reports whether b is one valid JSON object and nothing else.
func isObject(b []byte) bool { return members(b, nil) }
