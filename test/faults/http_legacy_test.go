package faults

import (
	"context"
	"fmt"
	"net/url"
	"testing"

	"github.com/mcp-supervisor/supervisor/actors"
	"github.com/mcp-supervisor/supervisor/messages"
)

func TestB105LegacySSEServer(t *testing.T) {
	tests := []struct {
		mode, more  string
		initializes int // over Streamable HTTP: one try, or none
	}{
		{"sse-only", "transport: http", 1},
		{"sse-only-404", "transport: http", 1},
		{"sse-only-400", "transport: http", 1},
		{"sse-only", "transport: sse", 0},
		{"sse-only", "timeout: 5s", 0}, // told by the end of the URL
		{"sse-late-endpoint", "transport: http", 1},
	}
	for _, test := range tests {
		t.Run(test.mode+" "+test.more, func(t *testing.T) {
			t.Parallel()
			f := fakeHTTP(t, test.mode, "--ms", "300")
			r := start(t, f.entry(test.more))
			for range 2 {
				expect(t, r.echo("fake"), messages.OK, messages.RanYes, "hi")
			}
			tries := 0
			for _, q := range f.requests("POST", `"method":"initialize"`) {
				if q.Path != "/messages" {
					tries++
				}
			}
			if tries != test.initializes || len(f.requests("GET", "")) != 1 {
				t.Errorf("%d tries over Streamable HTTP and %d GETs, want %d and 1", tries, len(f.requests("GET", "")), test.initializes)
			}
		})
	}
}

func TestB105OtherRefusalsDoNotFallBack(t *testing.T) {
	for mode, want := range map[string]string{"401": "401", "403-bare": "403", "html-200": "text/html", "503-retry": "503"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			f := fakeHTTP(t, mode, "--n", "1000")
			r := start(t, f.entry("restart: {mode: temporary}"))
			expect(t, r.echo("fake"), messages.Unavailable, messages.RanNo, want)
			if n := len(f.requests("GET", "")); n != 0 {
				t.Errorf("%d GETs: it tried the older transport", n)
			}
		})
	}
}

func TestB105SSEEndpointOfAnotherOrigin(t *testing.T) {
	other := fakeHTTP(t, "ok")
	f := fakeHTTP(t, "sse-cross", "--port2", port(t, other))
	r := start(t, f.entry("headers: {Authorization: Bearer secret-4711}", "restart: {mode: temporary}"))
	expect(t, r.echo("fake"), messages.Unavailable, messages.RanNo, "another origin")
	if n := len(other.requests("*", "")); n != 0 {
		t.Errorf("%d requests went to the other origin", n)
	}
}

func TestB108Redirects(t *testing.T) {
	for _, mode := range []string{"redirect-307", "redirect-308"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			f := fakeHTTP(t, mode)
			r := start(t, f.entry("headers: {Authorization: Bearer t}"))
			expect(t, r.echo("fake"), messages.OK, messages.RanYes, "hi")
			n := 0
			for _, q := range f.requests("POST", `"method":"tools/call"`) {
				if q.Path == "/mcp/" && q.Header.Get("Authorization") == "Bearer t" && q.Header.Get("Mcp-Session-Id") != "" {
					n++
				}
			}
			if n != 1 {
				t.Errorf("%d whole calls arrived, want 1", n)
			}
		})
	}
	for mode, want := range map[string]string{
		"redirect-301": "makes a GET of a POST", "redirect-302": "makes a GET of a POST", "redirect-loop": "more than 5",
		"trailing-slash": "404",
	} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			f := fakeHTTP(t, mode)
			r := start(t, f.entry("restart: {mode: temporary}"))
			expect(t, r.echo("fake"), messages.Unavailable, messages.RanNo, want)
			if n := f.starts(); n > 7 {
				t.Errorf("%d initialize", n)
			}
		})
	}
	t.Run("redirect-cross", func(t *testing.T) {
		other := fakeHTTP(t, "ok")
		f := fakeHTTP(t, "redirect-cross", "--port2", port(t, other))
		r := start(t, f.entry("headers: {Authorization: Bearer secret-4711}", "restart: {mode: temporary}"))
		expect(t, r.echo("fake"), messages.Unavailable, messages.RanNo, "another origin")
		if n := len(other.requests("*", "")); n != 0 {
			t.Errorf("%d requests went to the other origin", n)
		}
	})
}

func port(t *testing.T, f *remote) string {
	t.Helper()
	u, err := url.Parse(f.url)
	if err != nil {
		t.Fatal(err)
	}
	return u.Port()
}

// A call that says which text it wants gets that text, however the answers come.
func TestB116ManyCallersOnOneSession(t *testing.T) {
	f := fakeHTTP(t, "out-of-order", "--n", "16")
	r := start(t, f.entry())
	results := make(chan string, 16)
	for i := range 16 {
		spawn(func() {
			text := fmt.Sprintf("text %d", i)
			got := r.call("fake", "echo", fmt.Sprintf(`{"text":%q}`, text))
			if got.Outcome != messages.OK || !contains(got, text) {
				results <- fmt.Sprintf("%s: %s %s", text, got.Outcome, got.Result)
				return
			}
			results <- ""
		})
	}
	for range 16 {
		if fault := <-results; fault != "" {
			t.Error(fault)
		}
	}
}

func TestB116ConflictIsOneCallsOwn(t *testing.T) {
	f := fakeHTTP(t, "concurrency-1")
	r := start(t, f.entry())
	expect(t, r.echo("fake"), messages.OK, messages.RanYes, "hi")
	eventually(t, "the GET stream is open", func() bool { return len(f.requests("GET", "")) == 1 })
	long := make(chan messages.CallResult, 1)
	spawn(func() { long <- r.call("fake", "sleep", `{"ms":500}`) })
	eventually(t, "the first call is there", func() bool { return f.calls() == 2 })
	expect(t, r.echo("fake"), messages.Unavailable, messages.RanNo, "409", "one at a time")
	expect(t, <-long, messages.OK, messages.RanYes, "slept")
	if f.starts() != 1 {
		t.Errorf("%d initialize, want 1", f.starts())
	}
}

func TestToolsOfAServerThatNeedsAuthorisation(t *testing.T) {
	f := fakeHTTP(t, "401")
	r := start(t, f.entry())
	found, err := r.Tools(context.Background(), actors.ToolsQuery{})
	if err != nil || len(found.Down) != 1 {
		t.Fatalf("%+v, %v", found, err)
	}
}
