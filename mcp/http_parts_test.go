//go:build unix

package mcp

import (
	"errors"
	"io"
	"log"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-supervisor/supervisor/mcp/spec"
)

var discardLog = log.New(io.Discard, "", 0)

func TestMirror(t *testing.T) {
	for frame, want := range map[string]http.Header{
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"arguments":{"name":"x"},"name":"echo"}}`: {"Mcp-Method": {"tools/call"}, "Mcp-Name": {"echo"}},
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"höhe"}}`:                          {"Mcp-Method": {"tools/call"}, "Mcp-Name": {"=?base64?aMO2aGU=?="}},
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":" a"}}`:                            {"Mcp-Method": {"tools/call"}, "Mcp-Name": {"=?base64?IGE=?="}},
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"name":"x"}}`:                       {"Mcp-Method": {"notifications/cancelled"}},
		`{"jsonrpc":"2.0","id":1,"result":{}}`:                                                             {},
	} {
		got := http.Header{}
		mirror(got, []byte(frame))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s\n%s", frame, diff)
		}
	}
}

func TestSameOrigin(t *testing.T) {
	for _, test := range []struct {
		a, b string
		want bool
	}{
		{"http://h/a", "http://h/b?c", true},
		{"http://h/a", "http://H:80/a", true},
		{"https://h/a", "https://h:443/a", true},
		{"https://h/a", "http://h/a", false},
		{"http://h/a", "https://h/a", false},
		{"http://h/a", "http://h:8080/a", false},
		{"http://h/a", "http://h.evil/a", false},
		{"http://h/a", "http://h@evil/a", false},
	} {
		a, errA := url.Parse(test.a)
		b, errB := url.Parse(test.b)
		if err := errors.Join(errA, errB); err != nil {
			t.Fatal(err)
		}
		if got := sameOrigin(a, b); got != test.want {
			t.Errorf("%s and %s: %t", test.a, test.b, got)
		}
	}
}

func TestErrorsNameThePlaceAndNoSecret(t *testing.T) {
	u, err := url.Parse("http://user:hunter2@h/mcp?token=hunter2")
	if err != nil {
		t.Fatal(err)
	}
	cause := errors.New("no route")
	got := placed(&url.Error{Op: "Post", URL: u.String(), Err: cause}, u)
	if got.Error() != "POST http://h/mcp: no route" || !errors.Is(got, cause) {
		t.Error(got)
	}
	if placed(nil, u) != nil || !errors.Is(placed(cause, u), cause) {
		t.Error("other errors stay as they are")
	}
}

func TestHold(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	toolCall, ping := &call{method: "tools/call"}, &call{method: "ping"}
	var h hold
	if _, held := h.refusal(toolCall, now); held {
		t.Error("nobody asked for a pause")
	}
	h.heed(&StatusError{Status: 429, RetryAfter: 5 * time.Second}, now)
	h.heed(&StatusError{Status: 503, RetryAfter: time.Second}, now)
	h.heed(&StatusError{Status: 403, RetryAfter: time.Hour}, now)
	r, held := h.refusal(toolCall, now.Add(2*time.Second))
	if want := (&StatusError{}); !held || r.RetryAfter != 3*time.Second || r.Written || !errors.As(r.Err, &want) || want.Status != 429 {
		t.Errorf("%+v", r)
	}
	if _, held := h.refusal(ping, now); held {
		t.Error("a ping is held")
	}
	if _, held := h.refusal(toolCall, now.Add(5*time.Second)); held {
		t.Error("the pause is over")
	}
}

func TestEventsWithoutData(t *testing.T) {
	text := ": comment\n\nid: 1\n\nretry: 20\n\ndata: a\n\nid: b\x00ad\ndata\n\nevent: x\n\n"
	want := []event{{id: "1"}, {id: "1", retry: 20 * time.Millisecond}, {id: "1", data: []byte("a")}, {id: "1"}}
	var got []event
	err := events(strings.NewReader(text), 100, func([]byte) {}, func(e event) error { got = append(got, e); return nil })
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(event{})); diff != "" || !errors.Is(err, io.EOF) {
		t.Error(err, diff)
	}
}

func FuzzEvents(f *testing.F) {
	for _, seed := range []string{"data: x\n\n", "id: 1\r\nretry: 5\r\ndata: a\r\ndata: b\r\n\r\n", ": c\n\n", "data", "retry: -1\nid:\n\n", "\n\n\n"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		const max = 64
		err := events(strings.NewReader(string(text)), max, func([]byte) {}, func(e event) error {
			if len(e.data) > max || strings.ContainsAny(e.id, "\n\x00") || e.retry < 0 {
				t.Errorf("%+v", e)
			}
			return nil
		})
		if err == nil {
			t.Error("it ended without an error")
		}
	})
}

func TestRemoteVerdict(t *testing.T) {
	if denied, wait := verdict(&StatusError{Status: 403}); !denied || wait != 0 {
		t.Error("403 is a denial")
	}
	if denied, wait := verdict(&StatusError{Status: 503, RetryAfter: time.Second}); denied || wait != time.Second {
		t.Error("503 is a pause")
	}
	if denied, wait := verdict(&spec.RPCError{}); denied || wait != 0 {
		t.Error("a JSON-RPC error is neither")
	}
}
