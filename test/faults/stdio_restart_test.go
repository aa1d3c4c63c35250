package faults

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcp-supervisor/supervisor/actors"
	"github.com/mcp-supervisor/supervisor/internal/safe"
	"github.com/mcp-supervisor/supervisor/messages"
)

// inBackground runs fn in a goroutine; a panic fails the test.
func inBackground(t *testing.T, fn func()) {
	t.Helper()
	var wg sync.WaitGroup
	wg.Add(1)
	safe.Go("test", func(c *safe.Crash) { t.Error(c) }, func() { defer wg.Done(); fn() })
	t.Cleanup(wg.Wait)
}

func TestB13CrashInTheMiddleOfACall(t *testing.T) {
	for mode, how := range map[string]string{
		"crash-on-call": "exited with code 1", "sigsegv": "SIGSEGV", "partial-then-crash": "exited with code 1",
		"crash-after-n": "exited with code 1",
	} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			r := startOne(t, mode, "--n", "2")
			if mode == "crash-after-n" {
				expect(t, r.echo("fake"), messages.OK, messages.RanYes)
				expect(t, r.echo("fake"), messages.OK, messages.RanYes)
			}
			expect(t, r.echo("fake"), messages.Lost, messages.RanMaybe, "`fake`", "`echo`", how)
			var all sync.WaitGroup
			for range 4 {
				all.Add(1)
				inBackground(t, func() { // each hears something, whoever crashes the server
					defer all.Done()
					if got := r.echo("fake"); got.Outcome != messages.Lost && got.Outcome != messages.OK && got.Outcome != messages.Unavailable {
						t.Error(shown(got))
					}
				})
			}
			all.Wait()
			if r.status("fake").Restarts == 0 {
				t.Error("it was not started again")
			}
		})
	}
}

func TestB14ServerThatStartsWellAndExits(t *testing.T) {
	t.Parallel()
	state := file(t, "state")
	restart := "stop_grace: 200ms, restart: {max_restarts: 3, within: 1m, cooldown: 0s, backoff: {min: 20ms, max: 1s, jitter: 0}}"
	r := start(t, fakeEntry("fake", "exit-after-init", restart, "--state", state)+fakeEntry("other", "ok", ""))
	_, _ = r.Tools(context.Background(), actors.ToolsQuery{Server: "fake"}) // it may be gone already
	r.awaitState("fake", messages.StateFailed)
	if n := len(readLines(t, state)); n != 4 {
		t.Errorf("%d starts, want the first and three more", n)
	}
	expect(t, r.echo("fake"), messages.Unavailable, messages.RanNo, "used up its 3 restarts")
	expect(t, r.echo("other"), messages.OK, messages.RanYes)
}

func TestB16CountersAreForgotten(t *testing.T) {
	t.Parallel()
	restart := "stop_grace: 200ms, restart: {max_restarts: 2, within: 400ms, backoff: {min: 10ms, max: 10ms, jitter: 0}}"
	r := start(t, fakeEntry("fake", "exit-idle", restart, "--ms", "600"))
	r.tools("fake")
	eventually(t, "it lived longer than its budget", func() bool { return r.status("fake").Restarts >= 4 })
	if s := r.status("fake"); s.State == messages.StateFailed {
		t.Error("it was given up")
	}
}

func TestB19CancelledCallLeavesTheServerAlone(t *testing.T) {
	t.Parallel()
	log := file(t, "log")
	r := startOne(t, "ok", "--log", log)
	r.tools("fake")
	pid := r.status("fake").PID
	ctx, cancel := context.WithCancel(context.Background())
	end := make(chan messages.CallResult, 1)
	r.calls.Add(1)
	inBackground(t, func() {
		end <- r.CallTool(ctx, actors.CallRequest{Server: "fake", Tool: "sleep", Arguments: json.RawMessage(`{"ms":20000}`)})
	})
	eventually(t, "the call runs", func() bool { return strings.Contains(strings.Join(readLines(t, log), "\n"), `"sleep"`) })
	cancel()
	expect(t, <-end, messages.Cancelled, messages.RanMaybe)
	expect(t, r.echo("fake"), messages.OK, messages.RanYes)
	eventually(t, "the server was told", func() bool { return strings.Contains(strings.Join(readLines(t, log), "\n"), "sleep-stopped") })
	if now := r.status("fake").PID; now != pid {
		t.Errorf("process %d took the place of %d", now, pid)
	}
}

func TestB20IdleDeathIsNoticedAtOnce(t *testing.T) {
	t.Parallel()
	state := file(t, "state")
	r := startOne(t, "exit-idle", "--ms", "700", "--state", state)
	r.tools("fake")
	eventually(t, "it is up again without a call", func() bool { s := r.status("fake"); return s.Restarts >= 1 && s.State == messages.StateUp })
	expect(t, r.echo("fake"), messages.OK, messages.RanYes)
}

func TestB21HalfDead(t *testing.T) {
	t.Run("half-close", func(t *testing.T) {
		t.Parallel()
		pidfile := file(t, "pids")
		r := startOne(t, "half-close", "--pidfile", pidfile)
		expect(t, r.echo("fake"), messages.Lost, messages.RanMaybe, "closed its stdout")
		first := pids(t, pidfile)[0]
		eventually(t, "the old process is gone", func() bool { return !alive(first) })
		r.awaitState("fake", messages.StateUp)
	})
	t.Run("close-stdin, while nobody calls", func(t *testing.T) {
		t.Parallel()
		r := startOne(t, "close-stdin", "--ms", "300")
		r.tools("fake")
		eventually(t, "it is replaced", func() bool {
			s := r.status("fake")
			return s.Restarts >= 1 && strings.Contains(s.LastExit, "closed its stdin")
		})
	})
	t.Run("close-stdin", func(t *testing.T) {
		t.Parallel()
		pidfile := file(t, "pids")
		r := startOne(t, "close-stdin", "--ms", "300", "--pidfile", pidfile)
		r.tools("fake")
		first := pids(t, pidfile)[0]
		// A call finds the pipe broken, and nothing of it was sent; or it was in the pipe, and is lost soon.
		eventually(t, "it is replaced", func() bool {
			if got := r.echo("fake"); got.Outcome != messages.OK && got.Outcome != messages.Unavailable && got.Outcome != messages.Lost {
				t.Error(shown(got))
			}
			return r.status("fake").Incarnation > 1
		})
		eventually(t, "the old process is gone", func() bool { return !alive(first) })
	})
}

func TestB22CallTimeout(t *testing.T) {
	for _, mode := range []string{"hang-call", "hang-first-call", "progress-forever"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			r := start(t, fakeEntry("fake", mode, "timeout: 700ms, "+quick))
			r.tools("fake")
			began := time.Now()
			r.calls.Add(1)
			// B95: progress does not make the limit longer.
			got := r.CallTool(context.Background(), actors.CallRequest{
				Server: "fake", Tool: "echo", Arguments: json.RawMessage(`{"text":"hi"}`), Meta: json.RawMessage(`{"progressToken":"p"}`),
			})
			expect(t, got, messages.Timeout, messages.RanMaybe, "fake", "echo", "700ms")
			if took := time.Since(began); took > 4*time.Second {
				t.Errorf("it took %s", took)
			}
			if mode == "hang-first-call" {
				expect(t, r.echo("fake"), messages.OK, messages.RanYes, "hi")
			}
			if n := r.status("fake").Incarnation; n != 1 {
				t.Errorf("it was replaced: %d", n)
			}
		})
	}
}
