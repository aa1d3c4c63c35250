package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/mcp-supervisor/supervisor/mcp/spec"
)

func serverOf(id string) spec.Server { return spec.Server{ID: id} }

// checkReply is a done that fails the test if a result is not valid JSON in valid UTF-8.
func checkReply(t testing.TB) func(spec.Reply) {
	return func(r spec.Reply) {
		if r.Result != nil && (!json.Valid(r.Result) || !utf8.Valid(r.Result)) {
			t.Errorf("result %q", r.Result)
		}
	}
}

// readLines reads all lines and the ids of too long ones.
func readLines(r io.Reader, max int) (lines []string, long []string, err error) {
	l := newLineReader(r, max, func(id []byte) { long = append(long, string(id)) })
	for {
		line, err := l.next()
		if err != nil {
			return lines, long, err
		}
		lines = append(lines, string(line))
	}
}

func TestLines(t *testing.T) {
	big := strings.Repeat("x", 200_000)
	tests := []struct {
		name, in    string
		max         int
		lines, long []string
		err         error
	}{
		{"none", "", 10, nil, nil, io.EOF},
		{"two", "a\nb\n", 10, []string{"a", "b"}, nil, io.EOF},
		{"unfinished", "a\nb", 10, []string{"a", "b"}, nil, io.EOF},
		{"blank", "\n\n", 10, []string{"", ""}, nil, io.EOF},
		{"as long as may be", "0123456789\n", 10, []string{"0123456789"}, nil, io.EOF},
		{"longer than the buffer", big + "\nb\n", 1 << 20, []string{big, "b"}, nil, io.EOF},
		{"too long, id first", `{"id":12,"result":"` + big + `"}` + "\nb\n", 100_000, []string{"", "b"}, []string{"12"}, io.EOF},
		{"too long, id last", `{"result":{"id":7,"x":"` + big + `\",\"id\":8"},"id" : "13"}` + "\nb\n", 100_000, []string{"", "b"}, []string{`"13"`}, io.EOF},
		{"too long, a request", `{"id":12,"method":"x","params":"` + big + `"}` + "\n", 50_000, []string{""}, []string{""}, io.EOF},
		{"too long, no id", `{"result":"` + big + `"}` + "\nb\n", 100_000, []string{"", "b"}, []string{""}, io.EOF},
		{"too long, no JSON", big + "\nb\n", 100_000, []string{"", "b"}, []string{""}, io.EOF},
		{"endless", strings.Repeat("x", 1_000_000), 50_000, nil, nil, endlessError{}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			lines, long, err := readLines(strings.NewReader(test.in), test.max)
			if diff := cmp.Diff(test.lines, lines); diff != "" {
				t.Error(cut(diff, 500))
			}
			if diff := cmp.Diff(test.long, long); diff != "" {
				t.Error(diff)
			}
			var endless endlessError
			if errors.As(test.err, &endless) != errors.As(err, &endless) {
				t.Errorf("err = %v", err)
			}
		})
	}
}

// However the stream is cut into pieces, the lines are the same.
func TestLinesDoNotDependOnPieces(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.SliceOf(rapid.StringMatching(`[a-z{}",:]{0,30}`)).Draw(t, "lines")
		in := ""
		for _, line := range want {
			in += line + "\n"
		}
		got, _, _ := readLines(iotest.OneByteReader(strings.NewReader(in)), 100)
		if !slices.Equal(got, want) {
			t.Fatalf("got %q", got)
		}
	})
}

// FuzzLines checks that no line is longer than allowed, and that nothing but too long lines is lost.
func FuzzLines(f *testing.F) {
	f.Add([]byte("a\nbb\n"), 1)
	f.Add([]byte(`{"id":1,"result":2}`+"\r\n\n"), 5)
	f.Add([]byte(`{"result":"aaaaaaaaaaaaa","id":"7"}`+"\n"), 20)
	f.Fuzz(func(t *testing.T, data []byte, max int) {
		max = 1 + (max&0x7fffffff)%100
		lines, long, err := readLines(bytes.NewReader(data), max)
		if !errors.Is(err, io.EOF) {
			return
		}
		want := bytes.Split(bytes.TrimSuffix(data, []byte("\n")), []byte("\n"))
		if len(data) == 0 {
			want = nil
		}
		tooLong := 0
		for i, line := range want {
			if len(line) > max+1 || len(line) > max && i < len(want)-1 {
				tooLong++
			}
		}
		for _, line := range lines {
			if len(line) > max+1 {
				t.Fatalf("a line of %d bytes, at most %d", len(line), max)
			}
		}
		if len(long) < tooLong {
			t.Fatalf("%d lines were too long, %d told", tooLong, len(long))
		}
	})
}

func TestIDFinderFindsWhatTheScannerFinds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		id := rapid.SampledFrom([]string{`1000001`, `"1000001"`, `"a\"b"`, `-5`}).Draw(t, "id")
		parts := rapid.Permutation([]string{
			`"id": ` + id, `"jsonrpc":"2.0"`, `"result":{"id":9,"t":"\",\"id\":8,{[","l":[{"id":7}]}`, `"x":["id",3]`, `"y":"id"`,
		}).Draw(t, "order")
		message := "{" + strings.Join(parts, ",") + "}"
		f := idFinder{}
		var got []byte
		for _, c := range []byte(message) {
			got = f.feed([]byte{c})
		}
		if string(got) != id {
			t.Fatalf("%s: found %q", message, got)
		}
	})
}

func TestRepair(t *testing.T) {
	for in, want := range map[string]string{
		"{}\r": "{}", "  {} \t": "{}", "\xef\xbb\xbf{}": "{}", "\x1b[32m{}": "{}", "\x1b[1;31m\x1b[0m {}": "{}", "\x1b[": "", "\xff": "\uFFFD", "": "",
	} {
		if got := string(repair([]byte(in))); got != want {
			t.Errorf("repair(%q) = %q", in, got)
		}
	}
}

func TestPrintable(t *testing.T) {
	for in, want := range map[string]string{
		"plain ü": "plain ü", "a\tb": `a\tb`, "\x1b[31m": `\x1b[31m`, "a\r\nb": `a\r\nb`, "\x00\x7f\u0085\u2028\u202e": `\x00\x7f\u0085\u2028\u202e`, "\xff": "\uFFFD",
	} {
		if got := printable(in); got != want {
			t.Errorf("printable(%q) = %q", in, got)
		}
	}
}

func TestCut(t *testing.T) {
	for _, s := range []string{"", "short", "exactly 10", "longer than ten", "üüüüüüüüüü", "\U0001F600\U0001F600\U0001F600\U0001F600"} {
		got := cut(s, 10)
		if len(got) > 10 || !utf8.ValidString(got) || len(s) <= 10 && got != s {
			t.Errorf("cut(%q) = %q", s, got)
		}
	}
}

func TestStderrLines(t *testing.T) {
	var got []string
	e := newStderr(Options{Mask: func(s string) string { return strings.ReplaceAll(s, "secret", "***") }})
	long := strings.Repeat("x", stderrLine-3)
	e.drain(strings.NewReader("one\r\n\x1b[1mtwo\nmy secret\n" + long + "secret" + strings.Repeat("y", 100_000) + "\nlast"))
	got = e.last()
	want := []string{"one", `\x1b[1mtwo`, "my ***", long + "…", "last"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(cut(diff, 1000))
	}
	for i := range 30 {
		e.line(fmt.Sprint(i))
	}
	if got = e.last(); len(got) != stderrTail || got[0] != "10" || got[stderrTail-1] != "29" {
		t.Errorf("%q", got)
	}
}

func TestEnvironment(t *testing.T) {
	ours := []string{"PATH=/bin", "HOME=/h", "LC_ALL=C", "XDG_X=1", "AWS_SECRET=x", "https_proxy=p", "NO_PROXY=n", "LD_PRELOAD=x", "=odd", "PATHX=1"}
	want := []string{"A=", "HOME=/h", "LC_ALL=C", "NO_PROXY=n", "PATH=/own", "XDG_X=1", "https_proxy=p"}
	if diff := cmp.Diff(want, environment(ours, map[string]string{"A": "", "PATH": "/own"}, "linux")); diff != "" {
		t.Error(diff)
	}
	ours = []string{"Path=C:\\", "SystemRoot=C:\\W", "SECRET=x"}
	want = []string{"PATH=D:\\", "SystemRoot=C:\\W"}
	if diff := cmp.Diff(want, environment(ours, map[string]string{"PATH": "D:\\"}, "windows")); diff != "" {
		t.Error(diff)
	}
}
