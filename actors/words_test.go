package actors

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcp-supervisor/supervisor/config"
	"github.com/mcp-supervisor/supervisor/internal/safe"
	mcpspec "github.com/mcp-supervisor/supervisor/mcp/spec"
	"github.com/mcp-supervisor/supervisor/messages"
	"github.com/mcp-supervisor/supervisor/supervision"
)

// told collects the events of a supervisor from now on, in words.
func told(t *testing.T, s *Supervisor) func() []messages.Event {
	t.Helper()
	events := s.Subscribe(1000)
	t.Cleanup(events.Close)
	return func() []messages.Event {
		synctest.Wait()
		var list []messages.Event
		for {
			select {
			case e := <-events.C:
				list = append(list, e)
			default:
				return list
			}
		}
	}
}

func details(list []messages.Event, kind messages.EventKind, server string) string {
	var texts []string
	for _, e := range list {
		if e.Kind == kind && e.Server == server {
			texts = append(texts, e.Detail)
		}
	}
	return strings.Join(texts, "\n")
}

// inBackground does something; what it returns is closed when it is done.
func inBackground(do func()) <-chan struct{} {
	done := make(chan struct{})
	safe.Go("test", nil, func() { defer close(done); do() })
	return done
}

// A stop that lets a call finish took seconds, and a new call waited as long, only to fail: the outcome was known.
func TestACallDuringAStopByHandIsRefusedAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := startFake(t, oneServer(t, nil), &fakeServer{answer: onlyLater})
		running := begin(s, "runs")
		synctest.Wait()
		stopped := inBackground(func() { _, _ = s.StopServer(context.Background(), "s") })
		synctest.Wait()
		began := time.Now()
		r := call(s, "new")
		want1(t, r, messages.Unavailable, messages.RanNo)
		if took := time.Since(began); took != 0 || !strings.Contains(r.Error.Message, "is being stopped by hand; `supervisor start s`") {
			t.Errorf("after %s: %s", took, r.Error.Message)
		}
		<-stopped
		want1(t, <-running, messages.Lost, messages.RanMaybe)
	})
}

// What follows a stop may change while it is under way.
func TestACallWaitsForAStopByHandThatBecameARestart(t *testing.T) {
	stop := func(s *Supervisor) { _, _ = s.StopServer(context.Background(), "s") }
	start := func(s *Supervisor) { _, _ = s.StartServer(context.Background(), "s") }
	restart := func(s *Supervisor) { _, _ = s.RestartServer(context.Background(), "s") }
	for name, asked := range map[string][]func(*Supervisor){
		"a restart":                {restart},
		"a stop, and then a start": {stop, start},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := &fakeServer{answer: onlyLater}
				s := startFake(t, oneServer(t, nil), f)
				running := begin(s, "runs")
				synctest.Wait()
				for _, ask := range asked {
					done := inBackground(func() { ask(s) })
					defer func() { <-done }()
					synctest.Wait()
				}
				waits := begin(s, "waits")
				want1(t, <-running, messages.Lost, messages.RanMaybe)
				want1(t, <-waits, messages.OK, messages.RanYes)
			})
		})
	}
}

// onlyLater leaves the calls of the first incarnation without an answer.
func onlyLater(s *fakeSession, r mcpspec.CallRequest, done func(mcpspec.Reply)) {
	if s.n > 1 {
		done(echo(r))
	}
}

func TestAGroupsBudgetIsToldByNameAndNumber(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := group(supervision.OneForAll, "a", "b")
		g.MaxRestarts = 1
		s, f := startFarm(t, "a b", nil, g)
		s.Warm()
		synctest.Wait()
		events := told(t, s)
		f.servers["a"].die()
		list := events()
		for _, e := range list {
			if e.Kind == messages.ServerRestarting && (e.Group != "g" || e.GroupRestarts != 1 || e.GroupBudget != 1) {
				t.Errorf("restart %d of %d of group %q", e.GroupRestarts, e.GroupBudget, e.Group)
			}
		}
		if got := details(list, messages.ServerStopped, "b"); got != "it is restarted, because server `a` of its group failed" {
			t.Errorf("b stopped: %s", got)
		}
		f.servers["a"].die()
		synctest.Wait()
		got := statusOf(t, s, "a")
		want := "its group `g` has used up its 1 restart within 1m0s (its own: 1 of 5); one more try in 5m0s"
		if got.Detail != want || got.Group != "g" || got.GroupWindow != 1 || got.GroupBudget != 1 {
			t.Errorf("%+v, want %s", got, want)
		}
	})
}

func TestABudgetOfNothingIsNotUsedUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeServer{}
		s := startFake(t, oneServer(t, func(s *config.Server) { s.Restart.MaxRestarts, s.Restart.Cooldown = 0, 0 }), f)
		want1(t, call(s, "up"), messages.OK, messages.RanYes)
		f.die()
		synctest.Wait()
		if got := status(t, s).Detail; got != "it may not be restarted (max_restarts: 0) and is not started again" {
			t.Error(got)
		}
	})
}

// A server that did not come up left the caller alone with the post-mortem of its first try.
func TestAStartThatFailsSaysWhatComesNext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeServer{start: func(context.Context, int) error { return failStart("no licence") }}
		s := startFake(t, oneServer(t, nil), f)
		_, err := s.StartServer(context.Background(), "s")
		var failed *RunError
		if !errors.As(err, &failed) || failed.Outcome != messages.Unavailable ||
			!strings.HasSuffix(failed.Message, "no licence; restart 2 of 5 in 250ms") {
			t.Error(err)
		}
	})
}

func TestStatusSaysWhyAServerIsDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, _ := startFarm(t, "lazy eager", func(s *config.Server) {
			if s.ID == "lazy" {
				s.Start = config.StartLazy
			}
		})
		for id, want := range map[string]string{"lazy": "lazy: starts with the first call", "eager": "starts when it is needed"} {
			if got := statusOf(t, s, id).Detail; got != want {
				t.Errorf("%s: %q, want %q", id, got, want)
			}
		}
	})
}

// The estimate said "expected back in 1ms" for as long as a slow start took.
func TestNobodyKnowsWhenASlowStartEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		took := time.Second
		f := &fakeServer{start: func(context.Context, int) error { time.Sleep(took); return nil }}
		s := startFake(t, oneServer(t, nil), f)
		want1(t, call(s, "up"), messages.OK, messages.RanYes)
		took = 20 * time.Second
		f.die()
		synctest.Wait()
		if got := time.Duration(status(t, s).RetryAfter); got != time.Second {
			t.Errorf("expected back in %s", got)
		}
		began := time.Now()
		r := call(s, "waits")
		want1(t, r, messages.Unavailable, messages.RanNo)
		if r.Error.RetryAfter != 0 || !strings.HasPrefix(r.Error.Message, "the call waited 10s (queue.wait); ") || time.Since(began) != 10*time.Second {
			t.Errorf("%+v", r.Error)
		}
	})
}

func TestADependentSaysThatItStartsWithoutWhatFailed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, f := startFarm(t, "a b", func(s *config.Server) {
			s.Restart.MaxRestarts = 0
			if s.ID == "b" {
				s.DependsOn = []string{"a"}
			}
		})
		f.servers["a"].setStart(func(context.Context, int) error { return failStart("broken") })
		events := told(t, s)
		want1(t, callOn(s, "", "b", "x"), messages.OK, messages.RanYes)
		if got := details(events(), messages.ServerWarning, "b"); got != "starts although `a`, which it depends on, has failed" {
			t.Errorf("%q", got)
		}
	})
}

// A start that a stop overtook ended with "context canceled".
func TestAStartThatIsCalledOffSaysWhy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeServer{start: func(ctx context.Context, _ int) error { <-ctx.Done(); return context.Cause(ctx) }}
		s := startFake(t, oneServer(t, nil), f)
		started := inBackground(func() { _, _ = s.StartServer(context.Background(), "s") })
		synctest.Wait()
		status, err := s.StopServer(context.Background(), "s")
		if <-started; err != nil || status.LastExit != "the server is being stopped" {
			t.Errorf("%q, %v", status.LastExit, err)
		}
	})
}
