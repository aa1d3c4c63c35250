package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

// printable makes a text of a server safe for a terminal: control characters, and those that reorder a line, are shown
// as escapes. Tabs and newlines stay; CR LF becomes LF.
func printable(s string) string {
	return escape(strings.ReplaceAll(s, "\r\n", "\n"), func(r rune) bool { return r != '\n' && r != '\t' })
}

// oneLine is printable on a single line.
func oneLine(s string) string {
	return escape(strings.Join(strings.Fields(s), " "), func(rune) bool { return true })
}

// escape replaces the unsafe characters of s that pick picks by \uXXXX, and bytes that are not UTF-8 by U+FFFD.
func escape(s string, pick func(rune) bool) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return r == utf8.RuneError || unsafe(r) && pick(r) }) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if unsafe(r) && pick(r) {
			fmt.Fprintf(&b, `\u%04x`, r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// unsafe characters steer a terminal: C0, DEL and C1 controls (Cc), and the bidirectional marks.
func unsafe(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) }

// writeJSON writes v as one line of JSON. Raw JSON in it keeps its meaning exactly; unsafe characters are written as
// escapes, which only JSON strings can hold.
func writeJSON(w io.Writer, v any) error {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return err
	}
	_, err := io.WriteString(w, escape(b.String(), func(r rune) bool { return r != '\n' }))
	return err
}
