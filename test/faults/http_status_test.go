package faults

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcp-supervisor/supervisor/actors"
	"github.com/mcp-supervisor/supervisor/messages"
)

func TestB110AuthorisationAtTheStart(t *testing.T) {
	tests := map[string][]string{
		"401":      {"refused initialize", "needs authorisation", "401", "resource_metadata=", "credentials_ref"},
		"401-bare": {"needs authorisation", "401"},
		"403-bare": {"needs authorisation", "403", "an HTML page"},
	}
	for mode, want := range tests {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			f := fakeHTTP(t, mode)
			r := start(t, f.entry())
			for range 20 {
				expect(t, r.echo("fake"), messages.Unavailable, messages.RanNo, want...)
			}
			s := r.awaitState("fake", messages.StateFailed)
			if !strings.Contains(s.LastExit, "needs authorisation") || s.Restarts != 0 {
				t.Errorf("status: %q after %d restarts", s.LastExit, s.Restarts)
			}
			if n := len(f.requests("*", "")); n != 1 {
				t.Errorf("%d requests for 20 calls, want the one that was refused", n)
			}
		})
	}
}

// The server is tried again after the cooldown: somebody may have seen to it.
func TestB110AuthorisationComesLater(t *testing.T) {
	f := fakeHTTP(t, "401")
	r := start(t, f.entry("restart: {cooldown: 300ms}"))
	expect(t, r.echo("fake"), messages.Unavailable, messages.RanNo, "tried again in")
	eventually(t, "there is a second try", func() bool { return f.starts() == 2 })
}

func TestB110TokenExpires(t *testing.T) {
	f := fakeHTTP(t, "401-after-n", "--n", "1")
	r := start(t, f.entry())
	expect(t, r.echo("fake"), messages.OK, messages.RanYes, "hi")
	expect(t, r.echo("fake"), messages.Unavailable, messages.RanNo, "401", "invalid_token")
	r.awaitState("fake", messages.StateFailed)
	for range 10 {
		expect(t, r.echo("fake"), messages.Unavailable, messages.RanNo, "needs authorisation")
	}
	if f.starts() != 2 || f.calls() != 2 {
		t.Errorf("%d initialize and %d tools/call, want 2 and 2: one new start may have newer credentials", f.starts(), f.calls())
	}
}

func TestB110ScopeOfOneCall(t *testing.T) {
	f := fakeHTTP(t, "403-scope")
	r := start(t, f.entry())
	expect(t, r.echo("fake"), messages.Unavailable, messages.RanNo, "403", "insufficient_scope", "files:write")
	if s := r.status("fake"); s.State != messages.StateUp || f.calls() != 1 {
		t.Errorf("%s after %d calls", s.State, f.calls())
	}
}

func TestB111StatusOfACall(t *testing.T) {
	tests := []struct {
		mode    string
		outcome messages.Outcome
		ran     messages.Ran
		text    []string
	}{
		{"html-502", messages.Lost, messages.RanMaybe, []string{"502", "an HTML page"}},
		{"500-json", messages.ToolError, messages.RanYes, []string{"reason-marker-4721"}},
		{"413", messages.Unavailable, messages.RanNo, []string{"413"}},
		{"202-request", messages.Lost, messages.RanMaybe, []string{"202"}},
		{"notify-error", messages.OK, messages.RanYes, []string{"hi"}},
	}
	for _, test := range tests {
		t.Run(test.mode, func(t *testing.T) {
			t.Parallel()
			f := fakeHTTP(t, test.mode)
			r := start(t, f.entry())
			for n := range 2 {
				expect(t, r.echo("fake"), test.outcome, test.ran, test.text...)
				if f.calls() != n+1 {
					t.Errorf("tools/call was sent %d times, want %d", f.calls(), n+1)
				}
			}
			if s := r.status("fake"); s.State != messages.StateUp || f.starts() != 1 {
				t.Errorf("%s after %d starts", s.State, f.starts())
			}
		})
	}
}

func TestB111PauseBetweenCalls(t *testing.T) {
	f := fakeHTTP(t, "429-retry", "--n", "1")
	r := start(t, f.entry())
	first := r.echo("fake")
	expect(t, first, messages.Unavailable, messages.RanNo, "429")
	if first.Error.RetryAfter != messages.Millis(time.Second) || first.Error.Code != 429 {
		t.Errorf("error: %+v", first.Error)
	}
	for range 5 {
		got := r.echo("fake")
		expect(t, got, messages.Unavailable, messages.RanNo, "asked for a pause")
		if got.Error.RetryAfter <= 0 || got.Error.RetryAfter > messages.Millis(time.Second) {
			t.Errorf("the hint is %v", time.Duration(got.Error.RetryAfter))
		}
	}
	if f.calls() != 1 {
		t.Errorf("%d tools/call in the pause", f.calls())
	}
	<-time.After(time.Second)
	expect(t, r.echo("fake"), messages.OK, messages.RanYes, "hi")
}

func TestB111PauseBeforeTheStart(t *testing.T) {
	f := fakeHTTP(t, "503-retry", "--n", "2")
	r := start(t, f.entry())
	got := r.echo("fake")
	expect(t, got, messages.Unavailable, messages.RanNo, "503")
	if got.Error.RetryAfter < messages.Millis(900*time.Millisecond) {
		t.Errorf("the hint is %v", time.Duration(got.Error.RetryAfter))
	}
	r.awaitState("fake", messages.StateUp)
	expect(t, r.echo("fake"), messages.OK, messages.RanYes, "hi")
	inits := f.requests("POST", `"method":"initialize"`)
	if len(inits) != 3 {
		t.Fatalf("%d initialize, want 3", len(inits))
	}
	for i := range 2 {
		if wait := inits[i+1].At.Sub(inits[i].At); wait < time.Second {
			t.Errorf("start %d came after %s, the server wants 1s", i+2, wait)
		}
	}
}

func TestB112NotAnMCPServer(t *testing.T) {
	tests := map[string][]string{
		"html-200":   {"text/html", "Please log in"},
		"ct-text":    {"text/plain", `{"jsonrpc"`},
		"ct-missing": {"no content type", `{"jsonrpc"`},
	}
	for mode, want := range tests {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			f := fakeHTTP(t, mode)
			r := start(t, f.entry("restart: {max_restarts: 1}"))
			expect(t, r.echo("fake"), messages.Unavailable, messages.RanNo, want...)
			r.awaitState("fake", messages.StateFailed)
			if f.starts() != 2 {
				t.Errorf("%d initialize, want 2: one restart is allowed", f.starts())
			}
		})
	}
	for _, mode := range []string{"ct-charset", "ct-case"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			f := fakeHTTP(t, mode)
			r := start(t, f.entry())
			expect(t, r.echo("fake"), messages.OK, messages.RanYes, "hi")
		})
	}
}

func TestB124SecretsOfAnEndpoint(t *testing.T) {
	const secret = "sk-marker-99"
	for _, mode := range []string{"401", "reset", "redirect-301", "html-502", "blackhole"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			f := fakeHTTP(t, mode)
			f.url += "?token=" + secret
			var log logged
			r := start(t, f.entry("headers: {X-Api-Key: "+secret+", Authorization: Bearer "+secret+"}", "start_timeout: 1s", "restart: {mode: temporary}"),
				actors.WithLogger(slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))))
			got := r.echo("fake")
			if got.Error == nil || strings.Contains(got.Error.Message, secret) {
				t.Errorf("the caller reads %+v", got.Error)
			}
			if s := r.status("fake"); strings.Contains(s.LastExit+strings.Join(s.Warnings, ""), secret) {
				t.Errorf("the status says %+v", s)
			}
			if err := r.Stop(t.Context()); err != nil {
				t.Fatal(err)
			}
			if text := log.String(); text == "" || strings.Contains(text, secret) {
				t.Errorf("the log says %s", text)
			}
			files, err := filepath.Glob(filepath.Join(r.StateDir(), "audit", "*"))
			if err != nil || len(files) == 0 {
				t.Fatalf("no audit: %v", err)
			}
			for _, file := range files {
				if text, err := os.ReadFile(file); err != nil || strings.Contains(string(text), secret) {
					t.Errorf("%s holds the secret, or cannot be read: %v", file, err)
				}
			}
		})
	}
}

// logged is a log for several goroutines.
type logged struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func TestB42OneDeadEndpointDelaysNobody(t *testing.T) {
	good, hole, slow := fakeHTTP(t, "ok"), fakeHTTP(t, "blackhole"), fakeHTTP(t, "slow", "--ms", "700")
	r := start(t, "- {id: good, endpoint: '"+good.url+"'}\n- {id: hole, endpoint: '"+hole.url+"', start_timeout: 500ms, restart: {mode: temporary}}\n"+
		"- {id: slow, endpoint: '"+slow.url+"'}")
	ends := make(chan messages.CallResult, 2)
	for _, id := range []string{"hole", "slow"} {
		spawn(func() { ends <- r.echo(id) })
	}
	eventually(t, "both are asked", func() bool { return hole.starts() == 1 && slow.starts() == 1 })
	began := time.Now()
	expect(t, r.echo("good"), messages.OK, messages.RanYes, "hi")
	if took := time.Since(began); took > 400*time.Millisecond {
		t.Errorf("the good server's call took %s", took)
	}
	for range 2 {
		switch got := <-ends; got.Server {
		case "hole":
			expect(t, got, messages.Unavailable, messages.RanNo, "no answer to initialize within 500ms (start_timeout)")
		case "slow":
			expect(t, got, messages.OK, messages.RanYes, "hi")
		}
	}
}

func TestADeadEndpointIsNoticedWhileIdle(t *testing.T) {
	f := fakeHTTP(t, "ok")
	r := start(t, f.entry("health: {every: 50ms, timeout: 1s, misses: 2}", "restart: {backoff: {first: 50ms, min: 50ms, max: 100ms}, max_restarts: 3}"))
	expect(t, r.echo("fake"), messages.OK, messages.RanYes, "hi")
	f.stop()
	s := r.awaitState("fake", messages.StateFailed)
	if s.Restarts != 3 || !strings.Contains(s.LastExit, "refused") {
		t.Errorf("status: %+v", s)
	}
}

func TestAnEndpointThatAnswersPingsIsLeftAlone(t *testing.T) {
	f := fakeHTTP(t, "no-ping")
	r := start(t, f.entry("health: {every: 20ms, timeout: 1s, misses: 1}"))
	expect(t, r.echo("fake"), messages.OK, messages.RanYes, "hi")
	eventually(t, "it was pinged", func() bool { return len(f.requests("POST", `"method":"ping"`)) >= 5 })
	if s := r.status("fake"); s.State != messages.StateUp || s.Restarts != 0 {
		t.Errorf("%s after %d restarts", s.State, s.Restarts)
	}
}
