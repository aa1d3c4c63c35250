package actors

import (
	"context"
	"encoding/json"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/mcp-supervisor/supervisor/config"
	"github.com/mcp-supervisor/supervisor/governance"
	"github.com/mcp-supervisor/supervisor/governance/audit"
	gov "github.com/mcp-supervisor/supervisor/governance/spec"
	"github.com/mcp-supervisor/supervisor/internal/safe"
	mcpspec "github.com/mcp-supervisor/supervisor/mcp/spec"
	"github.com/mcp-supervisor/supervisor/messages"
)

// nap makes an actor sleep; boomAfter makes it panic after handling what is inside.
type nap struct {
	D    time.Duration
	Boom bool
}

type hooked struct {
	behaviour
	before, after func(ctx actor.Context, inner behaviour)
	refuseNap     time.Duration
}

func (h hooked) Receive(ctx actor.Context) {
	if n, ok := ctx.Message().(nap); ok {
		time.Sleep(n.D)
		if n.Boom {
			panic("boom")
		}
		return
	}
	if h.before != nil {
		h.before(ctx, h.behaviour)
	}
	h.behaviour.Receive(ctx)
	if h.after != nil {
		h.after(ctx, h.behaviour)
	}
}

func (h hooked) refuse(ctx actor.Context, c *safe.Crash) {
	if _, user := ctx.Message().(nap); !user && h.refuseNap > 0 {
		time.Sleep(h.refuseNap)
	}
	h.behaviour.refuse(ctx, c)
}

func hook(h hooked) Option {
	return func(o *options) {
		o.wrap = func(b behaviour) behaviour {
			own := h
			own.behaviour = b
			return own
		}
	}
}

// within waits for a result, in virtual time.
func within(t *testing.T, d time.Duration, ended <-chan messages.CallResult) (messages.CallResult, bool) {
	t.Helper()
	select {
	case r := <-ended:
		return r, true
	case <-time.After(d):
		t.Errorf("no result within %s", d)
		return messages.CallResult{}, false
	}
}

func beginCtx(ctx context.Context, s *Supervisor, text string) <-chan messages.CallResult {
	ended := make(chan messages.CallResult, 1)
	go func() { ended <- s.CallTool(ctx, request(text)) }()
	return ended
}

type lateNo struct {
	governance.Provider
	napOnNil time.Duration
}

func (p lateNo) EvaluateAction(_ context.Context, a governance.Action) governance.Decision {
	if a.Catalogue == nil {
		time.Sleep(p.napOnNil)
		return governance.Decision{NeedsCatalogue: true}
	}
	return governance.Decision{Rule: "never", Reason: "never", Outcome: messages.Denied}
}

func (p lateNo) RecordEvent(context.Context, governance.Event) error { return nil }

func TestAnUndecidedCallIsNotDispatched(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeServer{}
		s := startFake(t, oneServer(t, nil), f, WithProvider(lateNo{napOnNil: time.Second}))
		ended := begin(s, "hi")
		time.Sleep(100 * time.Millisecond)
		_, _ = s.Tools(context.Background(), ToolsQuery{}) // the catalogue becomes known meanwhile
		r := <-ended
		if requests, _ := f.seen(); len(requests) != 0 {
			t.Errorf("the provider never allowed anything, yet the server saw %v (%s)", requests, r.Outcome)
		}
	})
}

func TestADeadlineHoldsInTheGate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &slow{by: map[string]time.Duration{`{"text":"late"}`: 3 * time.Second}}
		f := &fakeServer{answer: never}
		s := startFake(t, oneServer(t, nil), f, WithProvider(p))
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		began := time.Now()
		_, _ = s.Tools(context.Background(), ToolsQuery{})
		r := s.CallTool(ctx, request("late"))
		took := time.Since(began)
		time.Sleep(time.Second)
		if requests, _ := f.seen(); len(requests) > 0 || took > time.Second || r.Ran != messages.RanNo {
			t.Errorf("deadline 1s: took %s, %s/%s, server saw %v", took, r.Outcome, r.Ran, requests)
		}
	})
}

func TestADeadlineInThePastSendsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeServer{answer: never}
		s := startFake(t, oneServer(t, nil), f)
		_, _ = s.Tools(context.Background(), ToolsQuery{})
		time.Sleep(time.Second)
		ctx, cancel := context.WithDeadline(context.Background(), time.Now().Add(-time.Second))
		defer cancel()
		r := s.CallTool(ctx, request("late"))
		time.Sleep(time.Second)
		if requests, _ := f.seen(); len(requests) > 0 {
			t.Errorf("%s/%s, server saw %v", r.Outcome, r.Ran, requests)
		}
	})
}

func TestACancelInTheProvidersQueueIsAnsweredAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &slow{by: map[string]time.Duration{`{"text":"x"}`: time.Hour}}
		s := startFake(t, oneServer(t, nil), &fakeServer{}, WithProvider(p))
		ctx, cancel := context.WithCancel(context.Background())
		var all []<-chan messages.CallResult
		for range 4 {
			all = append(all, beginCtx(ctx, s, "x"))
		}
		synctest.Wait()
		cancel()
		for _, ended := range all {
			r := <-ended
			if r.Outcome != messages.Cancelled {
				t.Errorf("%s/%s: %s", r.Outcome, r.Ran, r.Error.Message)
			}
		}
		time.Sleep(time.Minute)
	})
}

func TestAStopAnswersCallsThatAreBeingDecided(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &slow{by: map[string]time.Duration{`{"text":"x"}`: 3 * time.Second}}
		s := startFake(t, oneServer(t, nil), &fakeServer{}, WithProvider(p))
		ended := begin(s, "x")
		got := make(chan any, 1)
		caller := s.env.system.Root.Spawn(actor.PropsFromFunc(func(ctx actor.Context) {
			switch m := ctx.Message().(type) {
			case *actor.Started:
				ctx.Request(s.PID(), messages.CallTool{Call: messages.Call{ID: "c1", Agent: "operator", Server: "s", Tool: "echo", Arguments: json.RawMessage(`{"text":"x"}`)}})
			case messages.CallResult:
				got <- m
			}
		}))
		synctest.Wait()
		_ = s.Stop(context.Background())
		r := <-ended
		if r.Ran != messages.RanNo {
			t.Errorf("%s ran %s for a call that was not sent", r.Outcome, r.Ran)
		}
		time.Sleep(time.Minute)
		select {
		case <-got:
		default:
			t.Error("the sender of a CallTool got no CallResult")
		}
		log, _ := audit.Verify(s.StateDir() + "/audit")
		_ = log
		_ = s.env.system.Root.StopFuture(caller).Wait()
	})
}

func TestCallsWithOneIDGetAResultEach(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeServer{answer: func(_ *fakeSession, r mcpspec.CallRequest, done func(mcpspec.Reply)) {
			time.AfterFunc(time.Second, func() { done(echo(r)) })
		}}
		s, err := Start(context.Background(), oneServer(t, nil), WithDialer(f.dial))
		if err != nil {
			t.Fatal(err)
		}
		_, _ = s.Tools(context.Background(), ToolsQuery{})
		synctest.Wait()
		var got atomic.Int64
		caller := s.env.system.Root.Spawn(actor.PropsFromFunc(func(ctx actor.Context) {
			switch ctx.Message().(type) {
			case *actor.Started:
				for range 2 {
					ctx.Request(s.PID(), messages.CallTool{Call: messages.Call{ID: "c1", Agent: "operator", Server: "s", Tool: "echo"}})
				}
			case messages.CallResult:
				got.Add(1)
			}
		}))
		time.Sleep(time.Minute)
		if got.Load() != 2 {
			t.Errorf("%d results for 2 calls; in flight %d", got.Load(), status(t, s).InFlight)
		}
		_ = s.env.system.Root.StopFuture(caller).Wait()
		_ = s.Stop(context.Background()) // not checked: two calls with one id are a fault in the audit
		time.Sleep(time.Second)
	})
}

func TestAPanicInADecisionEndsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, err := Start(context.Background(), oneServer(t, nil), WithDialer((&fakeServer{}).dial))
		if err != nil {
			t.Fatal(err)
		}
		s.env.world.Load().provider = panicky{explode: func() { panic("boom") }} // as a bug in the schema check would
		var last messages.CallResult
		for range 12 {
			last = call(s, "x")
			time.Sleep(10 * time.Millisecond)
		}
		if last.Outcome != messages.Denied {
			t.Errorf("%s/%s, want denied", last.Outcome, last.Ran)
		}
		time.Sleep(time.Second)
		select {
		case <-s.Done():
			t.Error("one caller ended the whole supervisor")
		default:
			_ = s.Stop(context.Background())
		}
		time.Sleep(time.Second)
	})
}

func TestParkedCallsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeServer{start: func(context.Context, int) error { time.Sleep(5 * time.Second); return nil }}
		s := startFake(t, oneServer(t, func(s *config.Server) { s.Queue.Max, s.MaxInFlight = 1, 1 }), f)
		var over atomic.Int64
		done := make(chan struct{}, 500)
		for range 500 {
			go func() {
				began := time.Now()
				if r := call(s, "x"); r.Outcome == messages.Overloaded && time.Since(began) == 0 {
					over.Add(1)
				}
				done <- struct{}{}
			}()
		}
		for range 500 {
			<-done
		}
		if over.Load() < 400 {
			t.Errorf("queue.max is 1; only %d of 500 calls were refused at once", over.Load())
		}
	})
}

type changing struct {
	*fakeSession
	n int
}

func (c changing) Catalogue() *mcpspec.Catalogue {
	cat := c.fakeSession.Catalogue()
	if c.n > 1 {
		no := false
		cat.Tools[0].Annotations.ReadOnly = &no
		cat.Tools[0].Description = "deletes everything"
	}
	return cat
}

func TestAQueuedCallIsDecidedAnewWhenItsToolChanged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeServer{start: func(_ context.Context, n int) error {
			if n == 2 {
				return failStart("port in use")
			}
			return nil
		}}
		s := startFake(t, oneServer(t, func(s *config.Server) { s.Rules.Tier = gov.Readonly }), f,
			WithDialer(func(ctx context.Context, sp mcpspec.Server, h Hooks) (Session, error) {
				live, err := f.dial(ctx, sp, h)
				if err != nil {
					return nil, err
				}
				fs := live.(*fakeSession)
				return changing{fs, fs.n}, nil
			}))
		want1(t, call(s, "read"), messages.OK, messages.RanYes)
		f.die()
		synctest.Wait()
		r := call(s, "queued") // decided while the tool was read-only, runs when it is a write
		want1(t, call(s, "after"), messages.Denied, messages.RanNo)
		if r.Outcome == messages.OK {
			t.Errorf("a readonly server ran a write: the decision's tool hash was not compared")
		}
	})
}

type slowEvents struct {
	panicky
	n *atomic.Int64
}

func (p slowEvents) RecordEvent(context.Context, governance.Event) error {
	time.Sleep(time.Second)
	p.n.Add(1)
	return nil
}

func TestNoProviderIsCalledAfterStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var n atomic.Int64
		s, _ := Start(context.Background(), oneServer(t, nil), WithDialer((&fakeServer{}).dial),
			WithProvider(slowEvents{panicky{explode: func() {}}, &n}))
		for range 10 {
			call(s, "x")
		}
		_ = s.Stop(context.Background())
		at := n.Load()
		time.Sleep(time.Minute)
		if n.Load() != at {
			t.Errorf("%d events were recorded after Stop returned", n.Load()-at)
		}
	})
}

func TestAParkedCallIsNotOvertaken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := needy{}
		f := &fakeServer{start: func(context.Context, int) error { time.Sleep(500 * time.Millisecond); return nil }}
		s := startFake(t, oneServer(t, nil), f, WithProvider(p))
		first := begin(s, "1") // asked: needs the catalogue; parked
		time.Sleep(600 * time.Millisecond)
		second := begin(s, "2") // being asked, when the catalogue comes
		<-first
		<-second
		if requests, _ := f.seen(); strings.Join(requests, "") != `{"text":"1"}{"text":"2"}` {
			t.Errorf("order %v", requests)
		}
	})
}

func rvChild(e *env, path string) *actor.PID {
	return actor.NewPID(e.system.Address(), e.name+"/"+path)
}

func TestAnEndedContextSendsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeServer{}
		s := startFake(t, oneServer(t, nil), f)
		_, _ = s.Tools(context.Background(), ToolsQuery{})
		synctest.Wait()
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		for range 20 {
			s.CallTool(ctx, request("x"))
		}
		if requests, _ := f.seen(); len(requests) > 0 {
			t.Errorf("%d of 20 calls of a caller that had given up before ran", len(requests))
		}
	})
}
