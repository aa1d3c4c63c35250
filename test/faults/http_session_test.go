package faults

import (
	"sync"
	"testing"

	"golang.org/x/sync/errgroup"

	"github.com/mcp-supervisor/supervisor/messages"
)

func TestB100SessionExpires(t *testing.T) {
	for _, mode := range []string{"session-404", "session-32001"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			f := fakeHTTP(t, mode, "--n", "1")
			r := start(t, f.entry())
			for range 3 {
				expect(t, r.echo("fake"), messages.OK, messages.RanYes, "hi")
			}
			if f.starts() != 3 || f.calls() != 5 {
				t.Errorf("%d initialize and %d tools/call, want 3 and 5: each refused call is sent once more", f.starts(), f.calls())
			}
			for _, init := range f.requests("POST", `"method":"initialize"`) {
				if id := init.Header.Get("Mcp-Session-Id"); id != "" {
					t.Errorf("initialize carries the session id %q", id)
				}
			}
		})
	}
}

func TestB100SessionExpiresUnderManyCalls(t *testing.T) {
	f := fakeHTTP(t, "session-404", "--n", "8")
	r := start(t, f.entry())
	var group errgroup.Group
	var mu sync.Mutex
	outcomes := map[messages.Outcome]int{}
	for range 16 {
		group.Go(func() error {
			got := r.echo("fake")
			mu.Lock()
			defer mu.Unlock()
			outcomes[got.Outcome]++
			return nil
		})
	}
	_ = group.Wait()
	if outcomes[messages.OK] != 16 {
		t.Errorf("outcomes: %v, want 16 ok", outcomes)
	}
}

func TestB100SessionNeverHolds(t *testing.T) {
	f := fakeHTTP(t, "session-404-always")
	r := start(t, f.entry())
	expect(t, r.echo("fake"), messages.Unavailable, messages.RanNo, "Session not found")
	if n := f.calls(); n != 2 {
		t.Errorf("tools/call was sent %d times, want once and once more", n)
	}
}

func TestB114HeadersOfTheProtocol(t *testing.T) {
	for _, mode := range []string{
		"strict-proto", "strict-accept", "strict-order", "session-odd-id", "stateless", "200-notify", "204-notify",
		"session-changes", "set-cookie", "gzip", "strict-proto,strict-accept,strict-order,session-odd-id,set-cookie,gzip",
	} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			f := fakeHTTP(t, mode)
			r := start(t, f.entry())
			for range 2 {
				expect(t, r.echo("fake"), messages.OK, messages.RanYes, "hi")
			}
			if f.starts() != 1 || f.calls() != 2 {
				t.Errorf("%d initialize and %d tools/call, want 1 and 2", f.starts(), f.calls())
			}
		})
	}
}

func TestB109ConfiguredHeadersAreOnEveryRequest(t *testing.T) {
	t.Setenv("FAULTS_HEADER", "from the environment")
	headers := "headers: {Authorization: Bearer t, X-Api-Key: k, X-Var: '${FAULTS_HEADER}', Mcp-Session-Id: mine, Accept: nothing, Content-Type: nothing}"
	for _, mode := range []string{"ok", "sse-auth-both"} {
		t.Run(mode, func(t *testing.T) {
			f := fakeHTTP(t, mode)
			r := start(t, f.entry(headers))
			expect(t, r.echo("fake"), messages.OK, messages.RanYes, "hi")
			eventually(t, "there is a GET", func() bool { return len(f.requests("GET", "")) > 0 })
			if err := r.Stop(t.Context()); err != nil {
				t.Fatal(err)
			}
			if deletes := len(f.requests("DELETE", "")); mode == "ok" && deletes != 1 {
				t.Errorf("%d DELETE, want 1", deletes)
			}
			for _, q := range f.requests("*", "") {
				h := q.Header
				if h.Get("Authorization") != "Bearer t" || h.Get("X-Api-Key") != "k" || h.Get("X-Var") != "from the environment" {
					t.Errorf("%s %s lacks a header: %v", q.Method, q.Path, h)
				}
				if h.Get("Mcp-Session-Id") == "mine" || h.Get("Accept") == "nothing" || h.Get("Content-Type") == "nothing" {
					t.Errorf("%s %s: the workspace overwrote a header of the protocol: %v", q.Method, q.Path, h)
				}
			}
		})
	}
}
