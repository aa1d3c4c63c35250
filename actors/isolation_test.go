package actors

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/mcp-supervisor/supervisor/governance/audit"
	"github.com/mcp-supervisor/supervisor/internal/safe"
	mcpspec "github.com/mcp-supervisor/supervisor/mcp/spec"
	"github.com/mcp-supervisor/supervisor/messages"
	"github.com/mcp-supervisor/supervisor/models"
)

// once panics the first time only.
func once() func() {
	var one sync.Once
	return func() { one.Do(func() { panic("boom") }) }
}

// kindOf names the kind of an actor.
func kindOf(b behaviour) string {
	switch b.(type) {
	case *journal:
		return "journal"
	case *gate:
		return "gate"
	case *servers:
		return "servers"
	case *server:
		return "server"
	case *instance:
		return "instance"
	case *session:
		return "session"
	case *agents:
		return "agents"
	case *run:
		return "run"
	case *agent:
		return "agent"
	}
	return "root"
}

// TestAPanicAtBirthIsContained panics the first actor of each kind as soon as it is told that it has started.
func TestAPanicAtBirthIsContained(t *testing.T) {
	for _, kind := range []string{"journal", "gate", "servers", "server", "instance", "session", "agents"} {
		t.Run(kind, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				boom := once()
				f := &fakeServer{}
				var s *Supervisor
				if !ends(t, "Start", time.Hour, func() {
					s = startFake(t, oneServer(t, nil), f, hook(hooked{before: func(ctx actor.Context, b behaviour) {
						if _, started := ctx.Message().(*actor.Started); started && kindOf(b) == kind {
							boom()
						}
					}}))
				}) {
					t.FailNow()
				}
				ends(t, "a call", time.Hour, func() { call(s, "first") })
				time.Sleep(time.Minute)
				ends(t, "a call", time.Hour, func() { want2(t, call(s, "second"), messages.OK) })
			})
		})
	}
}

// want2 is want1 for other goroutines than the test's own.
func want2(t *testing.T, r messages.CallResult, o messages.Outcome) {
	t.Helper()
	if r.Outcome != o {
		t.Errorf("outcome %s, want %s (%+v)", r.Outcome, o, r.Error)
	}
}

// clumsy panics while it lets go.
type clumsy struct {
	behaviour
	kind string
	boom func()
}

func (c clumsy) letGo(ctx actor.Context, crash *safe.Crash) {
	c.behaviour.letGo(ctx, crash)
	if kindOf(c.behaviour) == c.kind {
		c.boom()
	}
}

// TestAPanicAtTheEndIsContained panics each kind of actor while it lets go: the stop goes on to its end.
func TestAPanicAtTheEndIsContained(t *testing.T) {
	for _, kind := range []string{"journal", "gate", "servers", "server", "instance", "session", "agents", "root"} {
		t.Run(kind, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := &fakeServer{}
				s, err := Start(context.Background(), oneServer(t, nil), WithDialer(f.dial), func(o *options) {
					o.wrap = func(b behaviour) behaviour { return clumsy{b, kind, func() { panic("boom") }} }
				})
				if err != nil {
					t.Fatal(err)
				}
				want1(t, call(s, "x"), messages.OK, messages.RanYes)
				if ends(t, "Stop", time.Hour, func() { stop(t, s) }) {
					select {
					case <-f.session().Done():
					default:
						t.Error("the session lives on")
					}
				}
			})
		})
	}
}

// brittle is a session whose parts panic.
type brittle struct {
	*fakeSession
	close, ping, refresh func()
}

func (b brittle) Close() { b.close(); b.fakeSession.Close() }

func (b brittle) Ping(ctx context.Context) error { b.ping(); return b.fakeSession.Ping(ctx) }

func (b brittle) Refresh(ctx context.Context) (*mcpspec.Catalogue, error) {
	b.refresh()
	return b.fakeSession.Refresh(ctx)
}

func dialBrittle(f *fakeServer, b brittle, hooks *Hooks) Option {
	nothing := func() {}
	return WithDialer(func(ctx context.Context, spec mcpspec.Server, h Hooks) (Session, error) {
		live, err := f.dial(ctx, spec, h)
		if err != nil {
			return nil, err
		}
		own := b
		own.fakeSession, _ = live.(*fakeSession)
		for _, part := range []*func(){&own.close, &own.ping, &own.refresh} {
			if *part == nil {
				*part = nothing
			}
		}
		if hooks != nil {
			*hooks = h
		}
		return own, nil
	})
}

func TestASessionThatPanicsWhileItClosesIsKilled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeServer{}
		s := startFake(t, oneServer(t, nil), f, dialBrittle(f, brittle{close: once()}, nil))
		want1(t, call(s, "x"), messages.OK, messages.RanYes)
		ctx, cancel := context.WithCancel(context.Background())
		if !ends(t, "RestartServer", time.Hour, func() { _, _ = s.RestartServer(ctx, "s") }) {
			f.session().Kill()
		}
		cancel()
		want1(t, call(s, "y"), messages.OK, messages.RanYes)
	})
}

func TestAPanicOfAPingDoesNotEndTheHealthChecks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeServer{}
		s := startFake(t, oneServer(t, nil), f, dialBrittle(f, brittle{ping: func() { panic("boom") }}, nil))
		want1(t, call(s, "x"), messages.OK, messages.RanYes)
		time.Sleep(90 * time.Second)
		if n := f.startCount(); n != 2 {
			t.Errorf("%d starts: two missed health checks end a session", n)
		}
	})
}

func TestAPanicOfARefreshIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeServer{}
		var hooks Hooks
		s := startFake(t, oneServer(t, nil), f, dialBrittle(f, brittle{refresh: once()}, &hooks))
		want1(t, call(s, "x"), messages.OK, messages.RanYes)
		hooks.ToolsChanged()
		synctest.Wait()
		if got := status(t, s); len(got.Warnings) != 1 {
			t.Errorf("warnings: %q", got.Warnings)
		}
		want1(t, call(s, "y"), messages.OK, messages.RanYes)
	})
}

type panickyModel struct{}

func (panickyModel) Next(context.Context, models.Request) (models.Turn, error) { panic("boom") }

func TestAPanicOfAModelEndsItsRunOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ws := oneServer(t, nil)
		withScript(ws, `{text: fine}`)
		s := startFake(t, ws, &fakeServer{})
		topology, err := ws.Topology("")
		if err != nil {
			t.Fatal(err)
		}
		_, err = s.run(context.Background(), startRun{ID: "r", Topology: topology, Models: map[string]models.Model{"root": panickyModel{}}})
		var failed *RunError
		if !errors.As(err, &failed) || failed.Outcome != messages.Internal {
			t.Errorf("%v", err)
		}
		if r, err := s.Run(context.Background(), RunRequest{}, nil); err != nil || r.Answer != "fine" {
			t.Errorf("%+v, %v", r, err)
		}
	})
}

// TestACrashAfterTheWorkGivesNoSecondReply panics an instance when it has ended a call already.
func TestACrashAfterTheWorkGivesNoSecondReply(t *testing.T) {
	tests := []struct {
		name string
		held bool
		is   func(any) bool
	}{
		{"a reply", false, func(m any) bool { _, ok := m.(replied); return ok }},
		{"a call that is refused at once", true, func(m any) bool { _, ok := m.(execute); return ok }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f, boom := &fakeServer{}, once()
				var armed atomic.Bool
				s := startFake(t, oneServer(t, nil), f, hook(hooked{after: func(ctx actor.Context, b behaviour) {
					if armed.Load() && kindOf(b) == "instance" && tt.is(ctx.Message()) {
						boom()
					}
				}}))
				want1(t, call(s, "before"), messages.OK, messages.RanYes)
				if tt.held {
					if _, err := s.StopServer(context.Background(), "s"); err != nil {
						t.Fatal(err)
					}
				}
				armed.Store(true)
				r := call(s, "x")
				time.Sleep(time.Second)
				records, err := s.Audit(context.Background(), audit.Filter{CallID: r.CallID})
				if err != nil || len(records) != 2 {
					t.Errorf("%d records of one call, %v", len(records), err)
				}
			})
		})
	}
}
