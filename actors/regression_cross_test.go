package actors

import (
	"context"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcp-supervisor/supervisor/config"
	mcpspec "github.com/mcp-supervisor/supervisor/mcp/spec"
	"github.com/mcp-supervisor/supervisor/messages"
	"github.com/mcp-supervisor/supervisor/supervision"
)

// loner is a dialer that tells when a server is started while an earlier incarnation lives. Killing one takes a while.
type loner struct {
	t    *testing.T
	fake *fakeServer
	mu   sync.Mutex
	last *fakeSession
}

func (l *loner) dial(ctx context.Context, spec mcpspec.Server, h Hooks) (Session, error) {
	l.mu.Lock()
	last := l.last
	l.mu.Unlock()
	if last != nil {
		select {
		case <-last.Done():
		default:
			l.t.Error("a server is started while its last incarnation lives")
		}
	}
	live, err := l.fake.dial(ctx, spec, h)
	if err != nil {
		return nil, err
	}
	session, _ := live.(*fakeSession)
	l.mu.Lock()
	l.last = session
	l.mu.Unlock()
	return session, nil
}

func TestTwoIncarnationsNeverLiveAtOnceAfterACrashAboveThem(t *testing.T) {
	for _, path := range []string{"servers/s/shared", "servers/s", "servers"} {
		t.Run(path, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := &fakeServer{cleanup: func() { time.Sleep(700 * time.Millisecond) }}
				l := &loner{t: t, fake: f}
				s := startFake(t, oneServer(t, nil), f, WithDialer(l.dial), withExplosives)
				want1(t, call(s, "before"), messages.OK, messages.RanYes)
				s.env.send(rvChild(s.env, path), explosion{})
				synctest.Wait()
				want1(t, call(s, "after"), messages.OK, messages.RanYes)
				if n := f.startCount(); n != 2 {
					t.Errorf("%d starts", n)
				}
			})
		})
	}
}

func TestAnInstanceThatCrashesWhileItsSessionStartsDoesNotStartASecondOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var starting, most int
		var mu sync.Mutex
		f := &fakeServer{start: func(ctx context.Context, n int) error {
			mu.Lock()
			starting++
			most = max(most, starting)
			mu.Unlock()
			defer func() { mu.Lock(); starting--; mu.Unlock() }()
			if n > 1 {
				return nil
			}
			<-ctx.Done()
			time.Sleep(time.Second) // it clears up behind itself
			return ctx.Err()
		}}
		s := startFake(t, oneServer(t, nil), f, withExplosives)
		first := begin(s, "x")
		synctest.Wait()
		s.env.send(s.env.instance("s"), explosion{})
		<-first
		synctest.Wait() // until it is replaced
		want1(t, call(s, "after"), messages.OK, messages.RanYes)
		if most > 1 {
			t.Errorf("%d starts of one server at the same time", most)
		}
	})
}

// An order may reach a new instance before the supervisor of the servers knows that there is a new one.
func TestAnOrderThatOvertakesTheWordOfANewInstance(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeServer{}
		s := startFake(t, oneServer(t, func(s *config.Server) { s.Restart.Backoff.First = 2 * time.Second }), f, hook(hooked{}))
		want1(t, call(s, "x"), messages.OK, messages.RanYes)
		f.die()
		synctest.Wait() // in its pause now
		time.Sleep(time.Second)
		s.env.send(s.env.servers, nap{D: 3 * time.Second}) // the pause ends meanwhile
		time.Sleep(2 * time.Second)
		s.env.send(s.env.instance("s"), nap{Boom: true})
		time.Sleep(10 * time.Minute)
		if got := status(t, s); got.State != messages.StateUp {
			t.Errorf("%s (%s) ten minutes later", got.State, got.Detail)
		}
		want1(t, call(s, "y"), messages.OK, messages.RanYes)
	})
}

// The order to close may meet a session that has just died by itself.
func TestACloseThatMeetsADeath(t *testing.T) {
	modes := []supervision.Mode{supervision.Permanent, supervision.Transient, supervision.Temporary}
	for _, cleanup := range []time.Duration{0, 700 * time.Millisecond} {
		for _, mode := range modes {
			t.Run(string(mode)+" "+cleanup.String(), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					f := &fakeServer{cleanup: func() { time.Sleep(cleanup) }}
					s := startFake(t, oneServer(t, func(s *config.Server) {
						s.Restart.Mode, s.Restart.Backoff.First = mode, time.Second
					}), f, hook(hooked{}))
					want1(t, call(s, "x"), messages.OK, messages.RanYes)
					s.env.send(s.env.instance("s"), nap{D: time.Second})
					synctest.Wait()
					go f.die()
					synctest.Wait()
					status, err := s.RestartServer(context.Background(), "s")
					if err != nil || status.State != messages.StateUp {
						t.Errorf("%s, %v", status.State, err)
					}
					time.Sleep(time.Minute)
					if got := statusOf(t, s, "s"); got.State != messages.StateUp || got.Window != 0 || f.startCount() != 2 {
						t.Errorf("%s, %d restarts charged, %d starts", got.State, got.Window, f.startCount())
					}
					want1(t, call(s, "y"), messages.OK, messages.RanYes)
				})
			})
		}
	}
}

func TestAStopByHandThatMeetsADeathHolds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeServer{cleanup: func() { time.Sleep(700 * time.Millisecond) }}
		f.answer = never
		s := startFake(t, oneServer(t, nil), f, hook(hooked{}))
		running := begin(s, "x")
		synctest.Wait()
		s.env.send(s.env.instance("s"), nap{D: time.Second})
		synctest.Wait()
		go f.die()
		synctest.Wait()
		status, err := s.StopServer(context.Background(), "s")
		if err != nil || status.State != messages.StateStopped || status.Detail != "stopped by hand" {
			t.Errorf("%s (%s), %v", status.State, status.Detail, err)
		}
		want1(t, <-running, messages.Lost, messages.RanMaybe)
		time.Sleep(time.Minute)
		if n := f.startCount(); n != 1 {
			t.Errorf("%d starts", n)
		}
	})
}

func TestHandsThatChangeTheirMind(t *testing.T) {
	type hand = func(*Supervisor, context.Context, string) (messages.ServerStatus, error)
	start, halt, again := (*Supervisor).StartServer, (*Supervisor).StopServer, (*Supervisor).RestartServer
	tests := []struct {
		name  string
		hands []hand
		want  messages.ServerState
	}{
		{"stop, start", []hand{halt, start}, messages.StateUp},
		{"restart, restart", []hand{again, again}, messages.StateUp},
		{"start, stop", []hand{start, halt}, messages.StateStopped},
		{"stop, restart, stop", []hand{halt, again, halt}, messages.StateStopped},
		{"restart, stop, start", []hand{again, halt, start}, messages.StateUp},
	}
	for _, tt := range tests {
		for _, from := range []messages.ServerState{messages.StateUp, messages.StateStarting, messages.StateBackoff} {
			t.Run(tt.name+" from "+string(from), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					f := &fakeServer{cleanup: func() { time.Sleep(300 * time.Millisecond) }}
					s := startFake(t, oneServer(t, func(s *config.Server) { s.Restart.Backoff.First = time.Second }), f)
					f.start = func(ctx context.Context, _ int) error {
						select {
						case <-ctx.Done():
							return ctx.Err()
						case <-time.After(time.Second):
							return nil
						}
					}
					s.Warm()
					synctest.Wait()
					if from != messages.StateStarting {
						time.Sleep(1100 * time.Millisecond)
					}
					if from == messages.StateBackoff {
						go f.die()
						synctest.Wait()
					}
					if got := status(t, s).State; got != from {
						t.Fatalf("%s, want %s", got, from)
					}
					var all sync.WaitGroup
					for _, h := range tt.hands {
						all.Add(1)
						go func() { defer all.Done(); _, _ = h(s, context.Background(), "s") }()
						synctest.Wait()
					}
					all.Wait()
					time.Sleep(10 * time.Second)
					if got := status(t, s); got.State != tt.want {
						t.Errorf("%s (%s), want %s", got.State, got.Detail, tt.want)
					}
				})
			})
		}
	}
}

// The reason of a close is the event that wanted it, also when the close has to wait for that of another server.
func TestACloseThatWaitsForAnotherNamesItsReason(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, f := startFarm(t, "a b", func(s *config.Server) {
			if s.ID == "a" {
				s.DependsOn = []string{"b"}
			}
		})
		s.Warm()
		synctest.Wait()
		f.servers["a"].cleanup = func() { time.Sleep(time.Second) }
		f.servers["b"].answer = never
		result := make(chan messages.CallResult, 1)
		go func() {
			result <- s.CallTool(context.Background(), CallRequest{Server: "b", Tool: "echo", Timeout: time.Hour})
		}()
		synctest.Wait()
		began := time.Now()
		mustApply(t, s, edited(s, func(list []config.Server) []config.Server {
			list[0].Command, list[1].Command = []string{"other"}, []string{"other"}
			return list
		}))
		r := <-result
		want1(t, r, messages.Lost, messages.RanMaybe)
		if took := time.Since(began); !strings.Contains(r.Error.Message, "its declaration changed") || took != 31*time.Second {
			t.Errorf("after %s: %s", took, r.Error.Message)
		}
	})
}
