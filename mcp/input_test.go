//go:build unix

package mcp

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-supervisor/supervisor/mcp/spec"
)

// heard is what came of a server's stdout: the answers to the calls firstID to firstID+9, and what was skipped.
type heard struct {
	Answers []string
	Junk    int64
}

// hearAll reads a stream to its end, as a session with ten calls in flight.
func hearAll(t testing.TB, stdout io.Reader, max int) (got heard, err error) {
	t.Helper()
	server := withDefaults(serverOf("input"))
	server.MaxMessage = max
	s := newSession(server, Options{}.withDefaults())
	_ = s.conn.Close() // the SDK's messages go nowhere
	for i := range int64(10) {
		c := &call{id: firstID + i, done: func(r spec.Reply) {
			checkReply(t)(r)
			text := string(r.Result)
			if r.RPC != nil {
				text = r.RPC.Error()
			} else if r.Err != nil {
				text = r.Err.Error()
			}
			got.Answers = append(got.Answers, fmt.Sprintf("%d: %s", i, text))
		}}
		if err := s.pending.add(c); err != nil {
			t.Fatal(err)
		}
	}
	defer s.changed.stop()
	in := newInput(stdout, s)
	for {
		if err := in.next(); err != nil {
			got.Junk = s.Counts().Junk
			return got, err
		}
	}
}

// inputs are streams with the answers ok1, ok2 … to the first calls in them, between anything.
var inputs = []struct {
	name, stdout string
	want         []string
	junk         int64
}{
	{"messages", answerLine(0) + answerLine(1), []string{"0: 0", "1: 1"}, 0},
	{"banner", "Welcome!\n  {not json}\n[INFO] up\n" + answerLine(0), []string{"0: 0"}, 3},
	{"log lines between", "DEBUG {a: 1}\n" + answerLine(0) + "\x1b[32mINFO\x1b[0m done\n" + answerLine(1), []string{"0: 0", "1: 1"}, 2},
	{"colours around", "\x1b[1m\x1b[32m" + answer(0) + "\x1b[0m\r\n" + answerLine(1), []string{"0: 0", "1: 1"}, 0},
	{"byte order mark", "\xef\xbb\xbf" + answerLine(0), []string{"0: 0"}, 0},
	{"two in a line", answer(0) + answer(1) + " " + answerLine(2), []string{"0: 0", "1: 1", "2: 2"}, 0},
	{"text before", "Loading... " + answerLine(0), []string{"0: 0"}, 1},
	{"text before a request is no request", "received " + `{"jsonrpc":"2.0","id":1000000,"method":"ping"}` + "\n" + answerLine(0), []string{"0: 0"}, 1},
	{"text after", answer(0) + " sent\n" + answerLine(1), []string{"0: 0", "1: 1"}, 1},
	{"valid JSON, no message", "null\n5\n\"x\"\n[]\n{}\n{\"level\":\"info\"}\n" + answerLine(0), []string{"0: 0"}, 6},
	{"torn", `{"jsonrpc":"2.0","id":1000000,"result":{"tru` + "\n" + answerLine(0), []string{"0: 0"}, 1},
	{"torn between tokens", `{"jsonrpc":"2.0","id":1000000,` + "\n" + answerLine(0) + answerLine(1), []string{"0: 0", "1: 1"}, 1},
	{"printed over lines", "{\n  \"jsonrpc\": \"2.0\",\n  \"id\": 1000000,\n\n  \"result\": 0\n}\n" + answerLine(1), []string{"0: 0", "1: 1"}, 0},
	{"two, printed over lines", strings.Repeat("{\r\n\"jsonrpc\":\"2.0\",\r\n\"id\":1000000,\"result\":0}\r\n", 2), []string{"0: 0"}, 0},
	{"a batch over lines", "[\n" + answer(0) + ",\n" + answer(1) + ",5\n]\n", []string{"0: 0", "1: 1"}, 0},
	{"over lines, and torn", "{\n\"jsonrpc\": \"2.0\",\n\"result\": \"a\n" + answerLine(0), []string{"0: 0"}, 1},
	{"over lines, and no JSON", "{\n]\n}\n" + answerLine(0), []string{"0: 0"}, 2},
	{"over lines, without end", "{\n" + strings.Repeat("\"a\":1,\n", 1000) + answerLine(0), []string{"0: 0"}, 1},
	{"Content-Length", header(0) + answer(0) + header(1) + answer(1), []string{"0: 0", "1: 1"}, 2},
	{"Content-Length and more headers", strings.Replace(header(0), "\r\n", "\r\nContent-Type: x\r\n", 1) + answer(0) + header(1) + answer(1), []string{"0: 0", "1: 1"}, 3},
	{"Content-Length over lines", "content-length: 45\r\n\r\n{\r\n\"jsonrpc\":\"2.0\",\r\n\"id\":1000000,\"result\":0}\r\n" + answerLine(1), []string{"0: 0", "1: 1"}, 1},
	{"Content-Length in a log", "Content-Length: 60\nServer: x\n\nbody\n" + answerLine(0) + answerLine(1), []string{"0: 0", "1: 1"}, 3},
	{"Content-Length in a log, too short", "Content-Length: 7\n\n" + answerLine(0) + answerLine(1), []string{"0: 0", "1: 1"}, 1},
	{"Content-Length, then a message", "Content-Length: 7\n" + answerLine(0) + "\n" + answerLine(1), []string{"0: 0", "1: 1"}, 1},
	{"Content-Length of nonsense", "Content-Length: 99999999999999999999\n\n" + answerLine(0), []string{"0: 0"}, 1},
	{"invalid UTF-8", "{\"jsonrpc\":\"2.0\",\"id\":1000000,\"result\":\"\xff\"}\n", []string{"0: \"\uFFFD\""}, 0},
	{"no line end", answerLine(0) + answer(1), []string{"0: 0", "1: 1"}, 0},
	{"doubled", answerLine(0) + answerLine(0), []string{"0: 0"}, 0},
	{
		"too long", `{"jsonrpc":"2.0","id":1000000,"result":"` + strings.Repeat("x", 20_000) + "\"}\n" + answerLine(1),
		[]string{"0: the answer is longer than 10000 bytes (max_message)", "1: 1"},
		0,
	},
}

func answer(n int) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":%d}`, firstID+n, n)
}

func answerLine(n int) string { return answer(n) + "\n" }

func header(n int) string { return fmt.Sprintf("Content-Length: %d\r\n\r\n", len(answer(n))) }

func TestInput(t *testing.T) {
	for _, test := range inputs {
		t.Run(test.name, func(t *testing.T) {
			for name, r := range map[string]io.Reader{
				"whole": strings.NewReader(test.stdout), "byte by byte": iotest.OneByteReader(strings.NewReader(test.stdout)),
			} {
				got, err := hearAll(t, r, 10_000)
				if diff := cmp.Diff(heard{test.want, test.junk}, got); diff != "" || !errors.Is(err, io.EOF) {
					t.Errorf("%s: %v %s", name, err, diff)
				}
			}
		})
	}
}

// The answer behind a Content-Length header is there before anything follows it: nobody ends its line.
func TestContentLengthWaitsForNoLineEnd(t *testing.T) {
	r, w := io.Pipe()
	defer func() { _ = w.Close() }()
	s := newSession(withDefaults(serverOf("lsp")), Options{}.withDefaults())
	end := make(chan spec.Reply, 1)
	if err := s.pending.add(&call{id: firstID, done: func(r spec.Reply) { end <- r }}); err != nil {
		t.Fatal(err)
	}
	in := newInput(io.MultiReader(strings.NewReader(header(0)+answer(0)), r), s)
	for range 3 { // the header, its blank line, the body
		if err := in.next(); err != nil {
			t.Fatal(err)
		}
	}
	if reply := wait(t, end); string(reply.Result) != "0" {
		t.Errorf("%+v", reply)
	}
}

// FuzzInput feeds the reader anything, in any pieces: what it makes of it does not depend on the pieces, every call is
// ended once at most, and a whole message at the end is heard whatever came before.
func FuzzInput(f *testing.F) {
	for _, i := range inputs {
		f.Add([]byte(i.stdout))
	}
	f.Fuzz(func(t *testing.T, stdout []byte) {
		if len(stdout) > 1<<16 {
			return
		}
		got, err := hearAll(t, bytes.NewReader(stdout), 10_000)
		again, errAgain := hearAll(t, iotest.OneByteReader(bytes.NewReader(stdout)), 10_000)
		if diff := cmp.Diff(got, again); diff != "" || fmt.Sprint(err) != fmt.Sprint(errAgain) {
			t.Errorf("it depends on the pieces: %v, %v %s", err, errAgain, diff)
		}
		ended := map[string]bool{}
		for _, a := range got.Answers {
			id, _, _ := strings.Cut(a, ":")
			if ended[id] {
				t.Errorf("call %s ended twice: %q", id, got.Answers)
			}
			ended[id] = true
		}
	})
}

// FuzzIDFinder holds the finder to what the scanner finds in the same message.
func FuzzIDFinder(f *testing.F) {
	for _, m := range messages {
		f.Add([]byte(m), 3)
	}
	f.Fuzz(func(t *testing.T, message []byte, cut int) {
		in := scanner{b: message}
		e, ok := in.envelope()
		if !ok || bytes.ContainsAny(message, "\\\n") || len(e.id) > 20 || len(e.id) > 0 && bytes.ContainsAny(e.id[:1], "{[") {
			return
		}
		find, at := idFinder{}, 0
		if in.i > 0 {
			at = max(cut, -cut, 0) % in.i
		}
		find.feed(message[:at])
		if got := find.feed(message[at:in.i]); e.method == nil && string(got) != string(e.id) {
			t.Errorf("found %q, the scanner %q in %q", got, e.id, message)
		}
	})
}
