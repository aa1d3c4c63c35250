package mcp

import "bytes"

// nesting follows the strings and brackets of JSON that comes in pieces. What is no JSON leads to nothing bad.
type nesting struct {
	depth             int
	inString, escaped bool
}

func (n *nesting) feed(piece []byte) {
	for _, c := range piece {
		n.step(c)
	}
}

func (n *nesting) step(c byte) {
	switch {
	case n.escaped:
		n.escaped = false
	case n.inString:
		n.escaped, n.inString = c == '\\', c != '"'
	case c == '"':
		n.inString = true
	case c == '{' || c == '[':
		n.depth++
	case c == '}' || c == ']':
		n.depth--
	}
}

// idFinder finds the id at the top level of a JSON-RPC response that comes in pieces and is never held. It follows
// strings and brackets only; what is no JSON finds no id.
type idFinder struct {
	nesting
	token   []byte // the string or scalar at depth 1 being read, up to maxToken bytes
	key     string // the last whole string at depth 1
	isValue bool   // after a colon at depth 1
	request bool   // a method was seen: the id is not ours
	id      []byte
}

const maxToken = 64

// feed reads one more piece and returns the id once it is whole, nil before and for a request.
func (f *idFinder) feed(piece []byte) []byte {
	for _, c := range piece {
		if f.inString {
			f.keep(c)
		} else {
			f.between(c)
		}
		f.step(c)
	}
	if f.request {
		return nil
	}
	return f.id
}

// between sees to a byte outside of strings.
func (f *idFinder) between(c byte) {
	switch c {
	case '}', ']', ',':
		f.endValue()
	case ':':
		if f.depth == 1 {
			f.key, f.isValue, f.token = string(f.token), true, f.token[:0]
			f.request = f.request || f.key == `"method"`
		}
	case '{', '[', ' ', '\t', '\r':
	default:
		f.keep(c)
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
