package main

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestPrintable(t *testing.T) {
	for name, c := range map[string]struct{ in, want string }{
		"plain text stays":              {"Grüße, 世界\n\tend", "Grüße, 世界\n\tend"},
		"an escape sequence is shown":   {"\x1b[2Jgone", `\u001b[2Jgone`},
		"C1 and DEL as well":            {"a\u009b1m\x7f", `a\u009b1m\u007f`},
		"a lone carriage return":        {"ok\rDENIED", `ok\u000dDENIED`},
		"line ends of Windows":          {"a\r\nb", "a\nb"},
		"right-to-left override":        {"a\u202eb", `a\u202eb`},
		"bytes that are no UTF-8":       {"a\xffb", "a\uFFFDb"},
		"the replacement sign as it is": {"\uFFFD", "\uFFFD"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := printable(c.in); got != c.want {
				t.Errorf("printable(%q) = %q, want %q", c.in, got, c.want)
			}
		})
	}
	if got := oneLine(" a\n\tb\x00 "); got != `a b\u0000` {
		t.Errorf("oneLine = %q", got)
	}
}

func FuzzPrintable(f *testing.F) {
	f.Add("\x1b]0;x\a\r\n\u202e\xff")
	f.Fuzz(func(t *testing.T, s string) {
		for _, got := range []string{printable(s), oneLine(s)} {
			bad := strings.IndexFunc(got, func(r rune) bool { return unsafe(r) && r != '\n' && r != '\t' })
			if bad >= 0 || !utf8.ValidString(got) {
				t.Errorf("%q became %q", s, got)
			}
		}
		if strings.ContainsAny(oneLine(s), "\n\t") {
			t.Errorf("oneLine(%q) has several lines", s)
		}
	})
}

func TestWriteJSONKeepsRawJSON(t *testing.T) {
	var b strings.Builder
	raw := "{\"n\":12345678901234567890,\"html\":\"<&>\",\"c1\":\"\u009b\",\"bidi\":\"\u202e\"}"
	if err := writeJSON(&b, map[string]any{"result": json.RawMessage(raw)}); err != nil {
		t.Fatal(err)
	}
	want := `{"result":{"n":12345678901234567890,"html":"<&>","c1":"\u009b","bidi":"\u202e"}}` + "\n"
	if b.String() != want {
		t.Errorf("wrote %q, want %q", b.String(), want)
	}
}
