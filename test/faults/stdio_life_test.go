package faults

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/mcp-supervisor/supervisor/actors"
	"github.com/mcp-supervisor/supervisor/messages"
)

func TestB01LauncherKilledAndServerLivesOn(t *testing.T) {
	for _, mode := range []string{"wrapper", "wrapper-orphan"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			pidfile := file(t, "pids")
			r := startOne(t, mode, "--pidfile", pidfile)
			expect(t, r.echo("fake"), messages.OK, messages.RanYes, "hi")
			if n := len(pids(t, pidfile)); n != 3 {
				t.Errorf("%d processes, want launcher, shell and server", n)
			}
			r.stop()
			noneAlive(t, pidfile)
		})
	}
}

func TestB05ServerThatDoesNotReactToEOF(t *testing.T) {
	t.Parallel()
	log := file(t, "log")
	r := startOne(t, "ignore-eof", "--log", log)
	expect(t, r.echo("fake"), messages.OK, messages.RanYes)
	r.stop()
	mentions(t, "log", strings.Join(readLines(t, log), "\n"), "EOF\nSIGTERM")
}

func TestB06ServerThatIgnoresSIGTERMAsWell(t *testing.T) {
	t.Parallel()
	pidfile, log := file(t, "pids"), file(t, "log")
	r := startOne(t, "ignore-eof,ignore-sigterm", "--pidfile", pidfile, "--log", log)
	expect(t, r.echo("fake"), messages.OK, messages.RanYes)
	if took := r.stop(); took > 3*time.Second {
		t.Errorf("it took %s, with a grace of 200 ms", took)
	}
	noneAlive(t, pidfile)
	mentions(t, "log", strings.Join(readLines(t, log), "\n"), "EOF\nSIGTERM")
}

func TestB07ServerThatNeedsTimeToCleanUp(t *testing.T) {
	t.Parallel()
	log := file(t, "log")
	r := start(t, fakeEntry("fake", "slow-exit", "stop_grace: 10s", "--ms", "500", "--log", log))
	expect(t, r.echo("fake"), messages.OK, messages.RanYes)
	events := r.Subscribe(256)
	if took := r.stop(); took < 400*time.Millisecond {
		t.Errorf("it was gone after %s", took)
	}
	if said := strings.Join(readLines(t, log), "\n"); !strings.HasSuffix(said, "EOF") {
		t.Errorf("a signal was sent: %s", said)
	}
	for e := range events.C {
		if e.Kind == messages.ServerFailed {
			t.Errorf("%+v", e)
		}
	}
}

func TestB08AllAreStoppedAtTheSameTime(t *testing.T) {
	t.Parallel()
	var entries strings.Builder
	ids := []string{"s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8"}
	for _, id := range ids {
		entries.WriteString(fakeEntry(id, "ignore-eof,ignore-sigterm", "stop_grace: 500ms"))
	}
	entries.WriteString(fakeEntry("busy", "hang-call", "stop_grace: 500ms"))
	r := start(t, entries.String())
	if _, err := r.Tools(context.Background(), actors.ToolsQuery{}); err != nil {
		t.Fatal(err)
	}
	end := make(chan messages.CallResult, 1)
	inBackground(t, func() { end <- r.echo("busy") })
	eventually(t, "the call runs", func() bool { return r.status("busy").InFlight == 1 })

	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	began := time.Now()
	if err := r.Stop(ctx); err != nil {
		t.Error(err)
	}
	if took := time.Since(began); took > 4*time.Second { // one grace sequence is one second, eight are eight
		t.Errorf("it took %s", took)
	}
	expect(t, <-end, messages.Stopped, messages.RanMaybe)
}

func TestB10NoZombies(t *testing.T) {
	if testing.Short() {
		t.Skip("it waits for restarts")
	}
	r := startOne(t, "exit-idle", "--ms", "30")
	r.tools("fake")
	eventually(t, "there were 10 restarts", func() bool { return r.status("fake").Restarts >= 10 })
	r.stop()
	eventually(t, "no zombie is left", func() bool { return zombies(t) == 0 })
}

func TestB12FrozenServer(t *testing.T) {
	t.Parallel()
	pidfile := file(t, "pids")
	r := start(t, fakeEntry("fake", "freeze", "timeout: 500ms, "+quick, "--pidfile", pidfile))
	began := time.Now()
	expect(t, r.echo("fake"), messages.Timeout, messages.RanMaybe, "fake", "echo", "500ms")
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("the call took %s", took)
	}
	r.stop()
	noneAlive(t, pidfile)
}

// A frozen server is noticed by its health probe.
func TestB12FrozenServerIsReplaced(t *testing.T) {
	t.Parallel()
	r := start(t, fakeEntry("fake", "freeze", "timeout: 200ms, health: {every: 100ms, timeout: 200ms, misses: 2}, "+quick))
	expect(t, r.echo("fake"), messages.Timeout, messages.RanMaybe)
	eventually(t, "it was replaced", func() bool { return r.status("fake").Incarnation > 1 })
}
