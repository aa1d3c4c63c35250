package actors

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcp-supervisor/supervisor/config"
	"github.com/mcp-supervisor/supervisor/governance"
	mcpspec "github.com/mcp-supervisor/supervisor/mcp/spec"
	"github.com/mcp-supervisor/supervisor/messages"
)

// ends reports whether something ends within a time.
func ends(t *testing.T, what string, within time.Duration, do func()) bool {
	t.Helper()
	over := make(chan struct{})
	go func() { defer close(over); do() }()
	select {
	case <-over:
		return true
	case <-time.After(within):
		t.Errorf("%s hangs", what)
		return false
	}
}

func dependsOn(from, on string) func(*config.Server) {
	return func(s *config.Server) {
		if s.ID == from {
			s.DependsOn = []string{on}
		}
	}
}

func TestAServerActorThatCrashesDuringAStopHoldsNobodyUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFarm("a b")
		s, err := Start(context.Background(), farmOf(t, "a b", dependsOn("a", "b")), WithDialer(f.dial), withExplosives)
		if err != nil {
			t.Fatal(err)
		}
		s.Warm()
		synctest.Wait()
		f.servers["a"].answer = never
		go callOn(s, "", "a", "x")
		synctest.Wait()
		go func() { _ = s.Stop(context.Background()) }()
		time.Sleep(time.Second) // a drains, and b comes after it
		s.env.send(rvChild(s.env, "servers/b"), explosion{})
		if !ends(t, "Stop", time.Hour, func() { <-s.Done() }) {
			_ = s.env.root.StopFuture(s.pid).Wait()
		}
		time.Sleep(time.Second)
	})
}

func TestAServerWhoseActorCrashedWhileItWasRemovedComesBack(t *testing.T) {
	for _, path := range []string{"servers/s", "servers/s/shared"} {
		for _, wait := range []bool{true, false} {
			t.Run(fmt.Sprint(path, " ", wait), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					f := &fakeServer{answer: never}
					s := startFake(t, oneServer(t, nil), f, withExplosives)
					running := begin(s, "x")
					synctest.Wait()
					with := s.env.ws()
					mustApply(t, s, edited(s, func([]config.Server) []config.Server { return nil }))
					s.env.send(rvChild(s.env, path), explosion{})
					if r := <-running; r.Ran != messages.RanMaybe {
						t.Errorf("%+v", r)
					}
					if wait {
						synctest.Wait()
					}
					mustApply(t, s, with)
					synctest.Wait()
					f.answer = nil
					want1(t, call(s, "y"), messages.OK, messages.RanYes)
				})
			})
		}
	}
}

// A server may be declared again, in another way, while the removed one drains.
func TestAServerThatIsDeclaredAgainWhileItDrainsIsTheNewOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeServer{answer: func(_ *fakeSession, r mcpspec.CallRequest, done func(mcpspec.Reply)) {
			time.AfterFunc(5*time.Second, func() { done(echo(r)) })
		}}
		var last atomic.Value
		s := startFake(t, oneServer(t, nil), f, WithDialer(func(ctx context.Context, spec mcpspec.Server, h Hooks) (Session, error) {
			last.Store(strings.Join(spec.Command, " "))
			return f.dial(ctx, spec, h)
		}))
		running := begin(s, "running")
		synctest.Wait()
		with := edited(s, func(list []config.Server) []config.Server {
			list[0].Command = []string{"another"}
			return list
		})
		mustApply(t, s, edited(s, func([]config.Server) []config.Server { return nil }))
		mustApply(t, s, with)
		want1(t, call(s, "new"), messages.OK, messages.RanYes)
		want1(t, <-running, messages.OK, messages.RanYes)
		if got := last.Load(); got != "another" {
			t.Errorf("the session runs %q", got)
		}
	})
}

func TestADeclarationIsNotLostInACrash(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeServer{}
		var last atomic.Value
		s := startFake(t, oneServer(t, nil), f, hook(hooked{}), WithDialer(func(ctx context.Context, spec mcpspec.Server, h Hooks) (Session, error) {
			last.Store(strings.Join(spec.Command, " "))
			return f.dial(ctx, spec, h)
		}))
		want1(t, call(s, "x"), messages.OK, messages.RanYes)
		s.env.send(s.env.instance("s"), nap{D: time.Second, Boom: true})
		synctest.Wait()
		mustApply(t, s, edited(s, func(list []config.Server) []config.Server {
			list[0].Command = []string{"another"}
			return list
		}))
		s.env.send(s.env.serverPID("s"), nap{D: 10 * time.Second})
		time.Sleep(time.Minute)
		want1(t, call(s, "y"), messages.OK, messages.RanYes)
		if got := last.Load(); got != "another" {
			t.Errorf("the session runs %q", got)
		}
	})
}

// An instance that crashes too often is not replaced. Nobody may wait for it.
func TestNobodyWaitsForAServerWithoutActors(t *testing.T) {
	for _, path := range []string{"servers/b/shared", "servers/b"} {
		t.Run(path, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFarm("a b")
				s, err := Start(context.Background(), farmOf(t, "a b", dependsOn("a", "b")), WithDialer(f.dial), withExplosives)
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { stop(t, s) })
				for range 12 {
					s.env.send(rvChild(s.env, path), explosion{})
					time.Sleep(time.Second)
				}
				ctx, cancel := context.WithCancel(context.Background())
				defer cancel()
				ends(t, "StartServer", time.Hour, func() {
					if _, err := s.StartServer(ctx, "b"); err == nil {
						t.Error("it cannot have started")
					}
				})
				cancel()
				want1(t, callOn(s, "", "a", "x"), messages.OK, messages.RanYes)
				if r := callOn(s, "", "b", "x"); r.Ran != messages.RanNo {
					t.Errorf("%+v", r)
				}
			})
		})
	}
}

func TestACrashOfTheSupervisorOfTheServersForgetsNoHand(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFarm("held eager")
		s, err := Start(context.Background(), farmOf(t, "held eager", nil), WithDialer(f.dial), withExplosives)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { stop(t, s) })
		s.Warm()
		synctest.Wait()
		if _, err := s.StopServer(context.Background(), "held"); err != nil {
			t.Fatal(err)
		}
		s.env.send(s.env.servers, explosion{})
		time.Sleep(time.Minute)
		want1(t, callOn(s, "", "held", "x"), messages.Unavailable, messages.RanNo)
		if got := states(t, s); got != "held stopped, eager up" {
			t.Error(got)
		}
	})
}

func TestASecondSignalIsNotForgottenWhileTheJournalStalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeServer{answer: never}
		s, err := Start(context.Background(), oneServer(t, nil), WithDialer(f.dial), hook(hooked{}))
		if err != nil {
			t.Fatal(err)
		}
		running := begin(s, "x")
		synctest.Wait()
		s.env.send(s.env.journal, nap{D: 2 * time.Second})
		began := time.Now()
		ctx, cancel := context.WithCancel(context.Background())
		time.AfterFunc(time.Second, cancel)
		_ = s.Stop(ctx)
		<-running
		if took := time.Since(began); took != 2*time.Second {
			t.Errorf("took %s", took)
		}
		time.Sleep(time.Second)
	})
}

func TestAReloadDoesNotDoubleTheHealthChecks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var pings atomic.Int64
		f := &fakeServer{ping: func(context.Context) error { pings.Add(1); time.Sleep(time.Second); return nil }}
		s := startFake(t, oneServer(t, nil), f)
		want1(t, call(s, "x"), messages.OK, messages.RanYes)
		for n := range 4 {
			time.Sleep(30*time.Second + time.Millisecond) // while it is asked
			mustApply(t, s, edited(s, func(list []config.Server) []config.Server {
				list[0].MaxInFlight = n + 1
				return list
			}))
		}
		before := pings.Load()
		time.Sleep(310 * time.Second)
		if n := pings.Load() - before; n > 10 {
			t.Errorf("%d pings in five minutes", n)
		}
	})
}

func TestACallThatACrashCutOffIsNotSaidToBeUnsent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := startFake(t, oneServer(t, nil), &fakeServer{answer: never}, withExplosives)
		running := begin(s, "x")
		synctest.Wait()
		s.env.send(rvChild(s.env, "servers/s"), explosion{})
		r := <-running
		want1(t, r, messages.Internal, messages.RanMaybe)
		if strings.Contains(r.Error.Message, "not sent") {
			t.Errorf("%q", r.Error.Message)
		}
	})
}

func TestAQuestionInTheMomentOfACrashDoesNotSayThatAllHasStopped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := startFake(t, oneServer(t, nil), &fakeServer{}, withExplosives)
		want1(t, call(s, "x"), messages.OK, messages.RanYes)
		s.env.send(s.env.servers, explosion{})
		for range 3 {
			if _, err := s.RestartServer(context.Background(), "s"); err != nil && strings.Contains(err.Error(), "has stopped") {
				t.Errorf("%v", err)
			}
			if _, err := s.Servers(context.Background()); err != nil {
				t.Errorf("%v", err)
			}
		}
	})
}

func TestAFreezeInTheMomentOfACrashEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := startFake(t, oneServer(t, nil), &fakeServer{}, hook(hooked{}))
		want1(t, call(s, "x"), messages.OK, messages.RanYes)
		s.env.send(s.env.servers, nap{D: time.Second, Boom: true})
		synctest.Wait()
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		ends(t, "Freeze", time.Hour, func() {
			if _, err := s.Freeze(ctx, governance.Frozen{Servers: []string{"s"}}); err != nil {
				t.Error(err)
			}
		})
		want1(t, call(s, "y"), messages.Denied, messages.RanNo)
	})
}
