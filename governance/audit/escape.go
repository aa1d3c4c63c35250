package audit

import (
	"bytes"
	"encoding/json"
	"unicode"
	"unicode/utf8"
)

const hexDigits = "0123456789abcdef"

// appendString appends s as a JSON string that shows every byte of s and nothing else: see the package comment.
func appendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	for len(s) > 0 {
		n := plain(s)
		if n == 0 {
			dst, n = appendSpecial(dst, s)
		} else {
			dst = append(dst, s[:n]...)
		}
		s = s[n:]
	}
	return append(dst, '"')
}

// plain is the length of the part of s, from its start, that stands in JSON as it is.
func plain(s string) int {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			return i
		}
	}
	return len(s)
}

// appendSpecial appends the first character of s and returns how many bytes it has.
func appendSpecial(dst []byte, s string) ([]byte, int) {
	r, size := utf8.DecodeRuneInString(s)
	switch {
	case r == utf8.RuneError && size == 1:
		return appendByte(dst, s[0]), 1
	case r == '\\' && looksEscaped(s):
		return appendByte(dst, '\\'), 1
	case r == '\\' || r == '"':
		return append(dst, '\\', byte(r)), 1
	case hidden(r):
		return appendEscape(dst, r), size
	}
	return append(dst, s[:size]...), size
}

// appendByte appends the text \xHH, whose backslash JSON doubles.
func appendByte(dst []byte, c byte) []byte {
	return append(dst, '\\', '\\', 'x', hexDigits[c>>4], hexDigits[c&15])
}

// looksEscaped reports whether s starts like what appendByte writes.
func looksEscaped(s string) bool {
	return len(s) >= 4 && s[1] == 'x' && isHex(s[2]) && isHex(s[3])
}

func isHex(c byte) bool { return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' }

// hidden reports whether r could break a line, steer a terminal or hide text from the reader: control characters, the
// two Unicode line separators, and format characters, which include those that change the writing direction.
func hidden(r rune) bool {
	return unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp)
}

// appendEscape appends r as \uXXXX, twice for a surrogate pair.
func appendEscape(dst []byte, r rune) []byte {
	if r > 0xffff {
		r -= 0x10000
		return appendUnit(appendUnit(dst, 0xd800+r>>10), 0xdc00+r&0x3ff)
	}
	return appendUnit(dst, r)
}

func appendUnit(dst []byte, u rune) []byte {
	return append(dst, '\\', 'u', hexDigits[u>>12&15], hexDigits[u>>8&15], hexDigits[u>>4&15], hexDigits[u&15])
}

// appendRaw appends a JSON value on one line, with its numbers, escapes and member order as they are. What is not JSON
// in UTF-8 becomes a string that shows it.
func appendRaw(dst []byte, raw []byte) []byte {
	if !utf8.Valid(raw) {
		return appendString(dst, string(raw))
	}
	start := len(dst)
	buf := bytes.NewBuffer(dst)
	if err := json.Compact(buf, raw); err != nil {
		return appendString(dst, string(raw))
	}
	dst = buf.Bytes()
	if ascii(dst[start:]) {
		return dst
	}
	return appendHidden(dst[:start], bytes.Clone(dst[start:]))
}

func ascii(b []byte) bool {
	for _, c := range b {
		if c > '~' {
			return false
		}
	}
	return true
}

// appendHidden appends valid JSON and escapes what is hidden in it, which can only be inside its strings.
func appendHidden(dst []byte, valid []byte) []byte {
	for len(valid) > 0 {
		r, size := utf8.DecodeRune(valid)
		if hidden(r) {
			dst = appendEscape(dst, r)
		} else {
			dst = append(dst, valid[:size]...)
		}
		valid = valid[size:]
	}
	return dst
}
