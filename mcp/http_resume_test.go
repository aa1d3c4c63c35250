//go:build unix

package mcp

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
)

// begins answers a call with the beginning of a stream that ends before the answer.
func begins(w http.ResponseWriter, _ *http.Request, _ string) {
	w.Header().Set("Content-Type", "text/event-stream")
	fmt.Fprint(w, "id: first\nretry: 1\ndata:\n\n")
}

func TestResume(t *testing.T) {
	answer := "data: {\"jsonrpc\":\"2.0\",\"id\":1000001,\"result\":{}}\n\n"
	for _, test := range []struct {
		name string
		// get answers the n-th GET with Last-Event-ID, counted from 1.
		get  func(w http.ResponseWriter, n int64, lastID string)
		gets int64
		text string // in the error; empty when the answer comes
	}{
		{"at the first try", func(w http.ResponseWriter, _ int64, _ string) { fmt.Fprint(w, answer) }, 1, ""},
		{"the server lets us poll", func(w http.ResponseWriter, n int64, lastID string) {
			if want := map[bool]string{true: "first", false: fmt.Sprint(n - 1)}[n == 1]; lastID != want {
				fmt.Fprint(w, "data: {}\n\n")
				return
			}
			fmt.Fprintf(w, "id: %d\ndata:\n\n", n)
			if n == 8 {
				fmt.Fprint(w, answer)
			}
		}, 8, ""},
		{"the server is back at the third try", func(w http.ResponseWriter, n int64, _ string) {
			if n < 3 {
				w.Header().Set("Content-Type", "text/plain")
				w.WriteHeader(http.StatusBadGateway)
				return
			}
			fmt.Fprint(w, answer)
		}, 3, ""},
		{"the server does not do it", func(w http.ResponseWriter, _ int64, _ string) {
			w.WriteHeader(http.StatusMethodNotAllowed)
		}, 1, "does not give the rest of the stream: it answered with status 405"},
		{"the session is gone meanwhile", func(w http.ResponseWriter, _ int64, _ string) {
			w.WriteHeader(http.StatusNotFound)
		}, 1, "status 404"},
		{"the server stays broken", func(w http.ResponseWriter, _ int64, _ string) {
			w.WriteHeader(http.StatusBadGateway)
		}, resumeTries, "502"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var gets atomic.Int64
			f := newFakeHTTP(t, begins)
			f.get = func(w http.ResponseWriter, r *http.Request) {
				last := r.Header.Get("Last-Event-ID")
				if last == "" {
					w.WriteHeader(http.StatusMethodNotAllowed)
					return
				}
				w.Header().Set("Content-Type", "text/event-stream")
				test.get(w, gets.Add(1), last)
			}
			s := openHTTP(t, httpServer(f.URL), &notes{})
			r := echo(t, s, "")
			if (r.Err == nil) != (test.text == "") || r.Err != nil && !strings.Contains(r.Err.Error(), test.text) || !r.Written {
				t.Errorf("reply: %+v", r)
			}
			if gets.Load() != test.gets || f.requests("tools/call") != 1 {
				t.Errorf("%d GETs and %d tools/call, want %d and 1", gets.Load(), f.requests("tools/call"), test.gets)
			}
			if s.over() {
				t.Error("the session is over")
			}
		})
	}
}
