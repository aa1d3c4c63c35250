package mcp

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// repair takes away what servers put around a message: white space, a carriage return, a byte order mark, terminal
// colours. Invalid UTF-8 becomes U+FFFD, so that results are always valid text.
func repair(line []byte) []byte {
	line = bytes.TrimSpace(line)
	line = bytes.TrimSpace(bytes.TrimPrefix(line, []byte("\xef\xbb\xbf")))
	if len(line) > 0 && line[0] == 0x1b {
		line = bytes.TrimSpace(skipColours(line))
	}
	if !utf8.Valid(line) {
		line = bytes.ToValidUTF8(line, []byte("\uFFFD"))
	}
	return line
}

// skipColours takes away leading control sequences: ESC [ parameters, then a final byte from @ to ~.
func skipColours(line []byte) []byte {
	for len(line) > 1 && line[0] == 0x1b && line[1] == '[' {
		end := bytes.IndexFunc(line[2:], func(r rune) bool { return r >= '@' && r <= '~' })
		if end < 0 {
			return nil
		}
		line = line[2+end+1:]
	}
	return line
}

// printable makes one line of harmless text from anything: control characters, also those that only some terminals
// obey, and bidirectional overrides are shown as escapes, bytes that are no UTF-8 as U+FFFD.
func printable(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if strings.IndexFunc(s, hidden) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		switch {
		case !hidden(r):
			b.WriteRune(r)
		case r == '\t':
			b.WriteString(`\t`)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r < 0x80:
			fmt.Fprintf(&b, `\x%02x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

func hidden(r rune) bool {
	return unicode.IsControl(r) || unicode.Is(unicode.Zl, r) || unicode.Is(unicode.Zp, r) || unicode.Is(unicode.Bidi_Control, r)
}

// cut shortens s to at most n bytes without cutting a character in two, and shows that it did.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	const mark = "…"
	end := max(0, n-len(mark))
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + mark
}
