package actors

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/mcp-supervisor/supervisor/governance"
	mcpspec "github.com/mcp-supervisor/supervisor/mcp/spec"
	"github.com/mcp-supervisor/supervisor/messages"
)

// TestAPanicIsContained crashes one actor after the other through the callbacks they run. The call in question ends as
// internal (or, in a goroutine of the session, as the end of that session), and the next call goes well.
func TestAPanicIsContained(t *testing.T) {
	boom := true
	explode := func() {
		if boom {
			boom = false
			panic("boom")
		}
	}
	tests := []struct {
		name string
		fake *fakeServer
		opts []Option
		want messages.Outcome
	}{
		{"in a dialer", &fakeServer{start: func(context.Context, int) error { explode(); return nil }}, nil, messages.Unavailable},
		{"in a session's actor", &fakeServer{answer: func(_ *fakeSession, r mcpspec.CallRequest, done func(mcpspec.Reply)) {
			explode()
			done(echo(r))
		}}, nil, messages.Lost},
		{"in a provider", &fakeServer{}, []Option{WithProvider(panicky{explode: explode})}, messages.Denied},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				boom = true
				s := startFake(t, oneServer(t, nil), tt.fake, tt.opts...)
				events := s.Subscribe(100)
				if r := call(s, "first"); r.Outcome != tt.want {
					t.Errorf("outcome %s, want %s: %+v", r.Outcome, tt.want, r.Error)
				}
				time.Sleep(time.Second)
				want1(t, call(s, "second"), messages.OK, messages.RanYes)
				events.Close()
				if tt.want != messages.Denied && !crashWasTold(events) {
					t.Error("no event tells of the crash")
				}
			})
		})
	}
}

func crashWasTold(events *Subscription) bool {
	for e := range events.C {
		if e.Kind == messages.ActorCrashed && strings.Contains(e.Detail, "boom") && strings.Contains(e.Detail, "goroutine") {
			return true
		}
	}
	return false
}

// panicky allows everything, after it exploded.
type panicky struct {
	governance.Provider
	explode func()
}

func (p panicky) EvaluateAction(context.Context, governance.Action) governance.Decision {
	p.explode()
	return governance.Decision{Allowed: true, Rule: "test"}
}

func (p panicky) RecordEvent(context.Context, governance.Event) error { return nil }

// explosion makes the actor that receives it panic.
type explosion struct{}

type explosive struct{ behaviour }

func (e explosive) Receive(ctx actor.Context) {
	if _, ok := ctx.Message().(explosion); ok {
		panic("boom")
	}
	e.behaviour.Receive(ctx)
}

func withExplosives(o *options) { o.wrap = func(b behaviour) behaviour { return explosive{b} } }

// TestACrashedActorIsReplaced sends every kind of actor a message that panics it. What it held is answered, its parent
// makes a new one, and the next call goes well.
func TestACrashedActorIsReplaced(t *testing.T) {
	for _, path := range []string{"gate", "journal", "servers", "servers/s", "servers/s/shared", "agents"} {
		t.Run(path, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := startFake(t, oneServer(t, nil), &fakeServer{}, withExplosives)
				want1(t, call(s, "before"), messages.OK, messages.RanYes)
				pid := actor.NewPID(s.env.system.Address(), s.env.prefix+path)
				if path == "gate" {
					pid = s.env.gate("operator")
				}
				s.env.send(pid, explosion{})
				synctest.Wait()
				time.Sleep(time.Second)
				want1(t, call(s, "after"), messages.OK, messages.RanYes)
			})
		})
	}
}

func TestWhatACrashedInstanceHeldIsAnswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeServer{answer: never}
		s := startFake(t, oneServer(t, nil), f, withExplosives)
		held := begin(s, "held")
		synctest.Wait()
		session := f.session()
		s.env.send(s.env.instance("s"), explosion{})
		want1(t, <-held, messages.Internal, messages.RanMaybe)
		synctest.Wait()
		select {
		case <-session.Done():
		default:
			t.Error("the session of the crashed instance lives on")
		}
	})
}

func TestTwoSupervisorsOnOneSystem(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		system := newSystem(discard)
		f, g := &fakeServer{}, &fakeServer{}
		one := startFake(t, oneServer(t, nil), f, WithSystem(system))
		two := startFake(t, oneServer(t, nil), g, WithSystem(system))
		want1(t, call(one, "1"), messages.OK, messages.RanYes)
		want1(t, call(two, "2"), messages.OK, messages.RanYes)
		stop(t, one)
		want1(t, call(two, "still there"), messages.OK, messages.RanYes)
		requests, _ := f.seen()
		if len(requests) != 1 {
			t.Errorf("%v", requests)
		}
	})
}

func TestThePIDTakesCallsOfOtherActors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := startFake(t, oneServer(t, nil), &fakeServer{})
		got := make(chan messages.CallResult, 1)
		caller := s.env.system.Root.Spawn(actor.PropsFromFunc(func(ctx actor.Context) {
			switch m := ctx.Message().(type) {
			case *actor.Started:
				ctx.Request(s.PID(), messages.CallTool{Call: messages.Call{ID: "c1", Agent: "operator", Server: "s", Tool: "echo"}})
			case messages.CallResult:
				got <- m
			}
		}))
		want1(t, <-got, messages.OK, messages.RanYes)
		_ = s.env.system.Root.StopFuture(caller).Wait()
	})
}
