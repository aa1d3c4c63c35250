package mcp

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

var messages = []string{
	`{"jsonrpc":"2.0","id":1000001,"result":{"a":[1,2.5e-3,true,null,"\u00e9\"\\"]}}`,
	`{"jsonrpc":"2.0","id":"1000001","error":{"code":-32603,"message":"x"}}`,
	`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1}}`,
	`{"result":{"id":7},"id":1000002,"id":8}`,
	`[{"id":1},5,[]]`, `{}`, `[]`, `null`, `5`, `"x"`, `{"a":01}`, `{"a":1,}`, `{"a"}`, `{"id":`, `{"a":"` + "\x01" + `"}`, `-`, `1.`, `1e`,
	`{"a":"\x"}`, `{"a":"\u12g4"}`, `tru`, `{"a":1}{"b":2}`, "\xef\xbb\xbf{}", "\x1b[0m{}", "{\"a\":\"\xff\"}", `{"long":"0123456789abcdef\n0123456789"}`,
	strings.Repeat("[", 10001) + strings.Repeat("]", 10001),
}

// FuzzScanner holds the scanner to what encoding/json takes for valid.
func FuzzScanner(f *testing.F) {
	for _, m := range messages {
		f.Add([]byte(m))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s := scanner{b: data}
		ok := s.value(1) != nil
		s.space()
		if got, want := ok && s.i == len(data), json.Valid(data); got != want {
			t.Fatalf("valid is %v, encoding/json says %v: %q", got, want, data)
		}
		in := scanner{b: data}
		if e, ok := in.envelope(); ok {
			for _, part := range [][]byte{e.id, e.method, e.params, e.result, e.err} {
				if part != nil && !json.Valid(part) {
					t.Fatalf("a part is not valid: %q of %q", part, data)
				}
			}
		}
	})
}

// FuzzReceive feeds a session anything: it must not panic, and what it hands on must be valid text and JSON.
func FuzzReceive(f *testing.F) {
	for _, m := range messages {
		f.Add([]byte(m))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		s := newSession(withDefaults(serverOf("fuzz")), Options{}.withDefaults())
		_ = s.conn.Close() // the SDK's messages go nowhere
		c := &call{id: firstID + 1, done: checkReply(t)}
		if err := s.pending.add(c); err != nil {
			t.Fatal(err)
		}
		_ = s.receive(bytes.Clone(line))
		s.changed.stop()
	})
}

func TestEnvelope(t *testing.T) {
	tests := []struct {
		in   string
		want envelope
	}{
		{`{"id":1,"result":2}`, envelope{id: []byte(`1`), result: []byte(`2`)}},
		{`{"ID":9,"id":1,"Result":3,"result":2,"result":4}`, envelope{id: []byte(`1`), result: []byte(`2`)}},
		{`{"result":{"id":5,"method":"x"},"id":"1"}`, envelope{id: []byte(`"1"`), result: []byte(`{"id":5,"method":"x"}`)}},
		{` { "method" : "m" , "params" : [ ] } `, envelope{method: []byte(`"m"`), params: []byte(`[ ]`)}},
		{`{"error":null,"result":null}`, envelope{err: []byte(`null`), result: []byte(`null`)}},
	}
	for _, test := range tests {
		in := scanner{b: []byte(test.in)}
		got, ok := in.envelope()
		if !ok || !sameEnvelope(got, test.want) {
			t.Errorf("%s: %+v", test.in, got)
		}
	}
}

func sameEnvelope(a, b envelope) bool {
	same := func(x, y []byte) bool { return bytes.Equal(x, y) && (x == nil) == (y == nil) }
	return same(a.id, b.id) && same(a.method, b.method) && same(a.params, b.params) && same(a.result, b.result) && same(a.err, b.err)
}

func TestPlainFindsTheFirstSpecialByte(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := rapid.SliceOfN(rapid.Byte(), 0, 40).Draw(t, "bytes")
		want := len(b)
		for i, c := range b {
			if c < 0x20 || c == '"' || c == '\\' {
				want = i
				break
			}
		}
		if got := plain(b); got != want {
			t.Fatalf("plain(%q) = %d, want %d", b, got, want)
		}
	})
}

func TestNumber(t *testing.T) {
	for in, want := range map[string]int64{`5`: 5, `"1000001"`: 1000001, `-3`: -3} {
		if got, ok := number([]byte(in)); !ok || got != want {
			t.Errorf("%s: %d, %v", in, got, ok)
		}
	}
	for _, in := range []string{``, `null`, `"x"`, `1.5`, `""`, `{}`, `99999999999999999999`} {
		if got, ok := number([]byte(in)); ok {
			t.Errorf("%q: %d", in, got)
		}
	}
}
