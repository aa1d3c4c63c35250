package actors

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"sync"
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
	"github.com/mcp-supervisor/supervisor/models"
	"github.com/mcp-supervisor/supervisor/supervision"
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

func TestACrashAboveAnInstanceLeavesNoCallUnanswered(t *testing.T) {
	for _, path := range []string{"servers/s", "servers"} {
		t.Run(path, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := &fakeServer{answer: never}
				s := startFake(t, oneServer(t, nil), f, withExplosives)
				ended := begin(s, "held")
				synctest.Wait()
				s.env.send(rvChild(s.env, path), explosion{})
				within(t, time.Hour, ended)
			})
		})
	}
}

func TestWhatIsQueuedBehindACrashIsAnswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeServer{}
		s := startFake(t, oneServer(t, nil), f, hook(hooked{refuseNap: time.Second}))
		want1(t, call(s, "before"), messages.OK, messages.RanYes)
		gate := s.env.gate("operator")
		s.env.send(gate, nap{D: time.Second, Boom: true})
		synctest.Wait()
		a := begin(s, "a") // queued behind the crash: refused, slowly
		time.Sleep(1500 * time.Millisecond)
		b := begin(s, "b") // queued behind the poison
		within(t, time.Hour, a)
		within(t, time.Hour, b)
	})
}

func TestAStopDoesNotOvertakeTheJournal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeServer{}
		s := startFake(t, oneServer(t, nil), f, hook(hooked{}))
		want1(t, call(s, "before"), messages.OK, messages.RanYes)
		s.env.send(s.env.journal, nap{D: time.Second}) // a disk that stalls
		synctest.Wait()
		_ = begin(s, "x")
		synctest.Wait()
	}) // stop() checks the audit
}

func TestAJournalCrashLosesNoOutcome(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeServer{answer: func(_ *fakeSession, r mcpspec.CallRequest, done func(mcpspec.Reply)) {
			time.AfterFunc(time.Second, func() { done(echo(r)) })
		}}
		s := startFake(t, oneServer(t, nil), f, hook(hooked{}))
		ended := begin(s, "x")
		synctest.Wait()
		s.env.send(s.env.journal, nap{D: 2 * time.Second, Boom: true})
		want1(t, <-ended, messages.OK, messages.RanYes)
		time.Sleep(5 * time.Second)
	})
}

func TestACallRefusedByAJournalCrashIsRecorded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeServer{}
		s := startFake(t, oneServer(t, nil), f, hook(hooked{}))
		want1(t, call(s, "before"), messages.OK, messages.RanYes)
		s.env.send(s.env.journal, nap{D: time.Second, Boom: true})
		synctest.Wait()
		r := call(s, "x")
		time.Sleep(time.Second)
		if r.Ran != messages.RanNo {
			t.Errorf("ran %s for a call that was not sent", r.Ran)
		}
		records, _ := s.Audit(context.Background(), audit.Filter{CallID: r.CallID})
		if len(records) != 2 {
			t.Errorf("%d records", len(records))
		}
	})
}

func TestABarrierSurvivesAJournalCrash(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := startFake(t, oneServer(t, nil), &fakeServer{}, hook(hooked{}))
		s.env.send(s.env.journal, nap{D: time.Second, Boom: true})
		synctest.Wait()
		done := make(chan struct{})
		ctx, cancel := context.WithCancel(context.Background())
		go func() { defer close(done); _, _ = s.Audit(ctx, audit.Filter{}) }()
		select {
		case <-done:
		case <-time.After(time.Hour):
			t.Error("Audit hangs")
		}
		cancel()
	})
}

func TestACrashGivesACallOneOutcome(t *testing.T) {
	for _, kind := range []string{"execute", "parked"} {
		t.Run(kind, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := &fakeServer{}
				if kind == "parked" {
					f.start = func(ctx context.Context, _ int) error { time.Sleep(time.Second); return nil }
				}
				var once sync.Once
				s := startFake(t, oneServer(t, nil), f, hook(hooked{after: func(ctx actor.Context, _ behaviour) {
					_, ex := ctx.Message().(execute)
					_, ca := ctx.Message().(messages.CallTool)
					if ex && kind == "execute" || ca && kind == "parked" {
						once.Do(func() { panic("boom") })
					}
				}}))
				r := call(s, "x")
				time.Sleep(3 * time.Second)
				records, _ := s.Audit(context.Background(), audit.Filter{CallID: r.CallID})
				for _, rec := range records {
					t.Logf("%s %s %s", rec.EventType, rec.Outcome, rec.Ran)
				}
				if len(records) != 2 {
					t.Errorf("%d records for one call", len(records))
				}
			})
		})
	}
}

func TestAnInstanceThatIsNotReplacedHoldsNobodyUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeServer{}
		s, err := Start(context.Background(), oneServer(t, nil), WithDialer(f.dial), withExplosives)
		if err != nil {
			t.Fatal(err)
		}
		for range 11 {
			s.env.send(s.env.instance("s"), explosion{})
			time.Sleep(time.Second)
		}
		_, err = s.Servers(context.Background())
		t.Logf("Servers says: %v", err)
		go func() { _ = s.Stop(context.Background()) }()
		select {
		case <-s.Done():
		case <-time.After(time.Hour):
			t.Error("Stop hangs")
			_ = s.env.root.StopFuture(s.pid).Wait()
		}
		time.Sleep(time.Second)
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

func TestTheDrainEndsWithTheLastCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeServer{answer: func(_ *fakeSession, r mcpspec.CallRequest, done func(mcpspec.Reply)) {
			time.AfterFunc(time.Second, func() { done(echo(r)) })
		}}
		s := startFake(t, oneServer(t, nil), f)
		ended := begin(s, "x")
		synctest.Wait()
		began := time.Now()
		_ = s.Stop(context.Background())
		want1(t, <-ended, messages.OK, messages.RanYes)
		if took := time.Since(began); took != time.Second {
			t.Errorf("the last call ended after 1s, Stop took %s", took)
		}
	})
}

func TestACallIsLostDuringTheDrainToo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeServer{answer: never}
		s := startFake(t, oneServer(t, nil), f)
		ended := begin(s, "x")
		synctest.Wait()
		go func() { _ = s.Stop(context.Background()) }()
		time.Sleep(time.Second)
		f.die()
		want1(t, <-ended, messages.Lost, messages.RanMaybe)
	})
}

func TestTheEndOfTheContextSkipsTheDrain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		f := &fakeServer{answer: never}
		s, err := Start(ctx, oneServer(t, nil), WithDialer(f.dial))
		if err != nil {
			t.Fatal(err)
		}
		ended := begin(s, "x")
		synctest.Wait()
		began := time.Now()
		time.AfterFunc(time.Second, cancel)
		_ = s.Stop(context.Background())
		<-ended
		if took := time.Since(began); took != time.Second {
			t.Errorf("took %s", took)
		}
		time.Sleep(time.Second)
	})
}

func TestATransientServerThatRestsIsStartedByACall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeServer{}
		s := startFake(t, oneServer(t, func(s *config.Server) {
			s.OnDown, s.Restart.Mode = config.OnDownFail, supervision.Transient
		}), f)
		want1(t, call(s, "up"), messages.OK, messages.RanYes)
		f.session().end(mcpspec.Exit{Code: 0})
		synctest.Wait()
		r := call(s, "wakes")
		if r.Outcome != messages.OK {
			t.Logf("first: %s", r.Error.Message)
		}
		time.Sleep(time.Minute)
		want1(t, call(s, "second"), messages.OK, messages.RanYes)
	})
}

func TestAnUnwrittenCallOfATemporaryServerDoesNotWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeServer{answer: never}
		s := startFake(t, oneServer(t, func(s *config.Server) { s.Restart.Mode = supervision.Temporary }), f)
		ended := begin(s, "x")
		synctest.Wait()
		began := time.Now()
		f.session().endWritten(mcpspec.Exit{Code: 1}, false)
		r := <-ended
		if took := time.Since(began); took != 0 {
			t.Errorf("%s after %s", r.Outcome, took)
		}
	})
}

func TestAStaleProbeDoublesNoHealthChecks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var pings atomic.Int64
		f := &fakeServer{ping: func(context.Context) error { pings.Add(1); return nil }}
		s := startFake(t, oneServer(t, nil), f, withExplosives)
		for range 3 {
			want1(t, call(s, "x"), messages.OK, messages.RanYes)
			s.env.send(s.env.instance("s"), explosion{})
			time.Sleep(time.Second)
		}
		want1(t, call(s, "x"), messages.OK, messages.RanYes)
		time.Sleep(5 * time.Minute)
		if n := pings.Load(); n > 10 {
			t.Errorf("%d pings in 5 minutes, want 10", n)
		}
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

func TestARunAfterASignificantFailureEndsToo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeServer{start: func(context.Context, int) error { return failStart("boom") }}
		ws := oneServer(t, func(s *config.Server) { s.Significant, s.Restart.MaxRestarts, s.Restart.Cooldown = true, 0, 0 })
		withScript(ws, `{calls: [{tool: s/echo}]}`, `{text: fine}`)
		s := startFake(t, ws, f)
		_, err := s.Run(context.Background(), RunRequest{}, nil)
		t.Logf("first: %v", err)
		r, err := s.Run(context.Background(), RunRequest{}, nil)
		if err == nil {
			t.Errorf("a run without its significant server ended %s: %q", r.Outcome, r.Answer)
		}
	})
}

func TestASignificantServerEndsOnlyRunsThatNeedIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeServer{answer: never}
		ws := oneServer(t, func(s *config.Server) {})
		other := ws.Servers[0]
		other.ID, other.Server.ID, other.Rules.ID, other.Significant, other.Restart.MaxRestarts = "o", "o", "o", true, 0
		ws.Servers = append(ws.Servers, other)
		withScript(ws, `{calls: [{tool: s/echo}]}`, `{text: fine}`)
		s := startFake(t, ws, f, WithDialer(func(ctx context.Context, sp mcpspec.Server, h Hooks) (Session, error) {
			if sp.ID == "o" {
				return nil, failStart("boom")
			}
			return f.dial(ctx, sp, h)
		}))
		ended := make(chan error, 1)
		go func() { _, err := s.Run(context.Background(), RunRequest{}, nil); ended <- err }()
		synctest.Wait()
		_ = s.CallTool(context.Background(), CallRequest{Server: "o", Tool: "echo"}) // somebody else's server fails
		if err := <-ended; err != nil {
			t.Errorf("a run that does not use server o: %v", err)
		}
	})
}

func TestTheDurationHasTheWholeCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeServer{start: func(context.Context, int) error { time.Sleep(5 * time.Second); return nil }}
		s := startFake(t, oneServer(t, nil), f)
		began := time.Now()
		r := call(s, "x")
		if time.Duration(r.Duration) != time.Since(began) {
			t.Errorf("took %s, duration_ms says %s", time.Since(began), time.Duration(r.Duration))
		}
	})
}

func TestTheWindowSlides(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeServer{}
		s := startFake(t, oneServer(t, nil), f)
		want1(t, call(s, "x"), messages.OK, messages.RanYes)
		f.die()
		time.Sleep(time.Hour)
		if got := status(t, s); got.Window != 0 {
			t.Errorf("window %d an hour later", got.Window)
		}
	})
}

func TestAFailedStartIsMaskedInStatus(t *testing.T) {
	const secret = "hunter2-very-secret"
	synctest.Test(t, func(t *testing.T) {
		f := &fakeServer{answer: never}
		f.ping = func(context.Context) error { return errors.New("refused token " + secret) }
		s := startFake(t, oneServer(t, func(s *config.Server) { s.Server.Env = map[string]string{"API_KEY": secret} }), f)
		_, _ = s.Tools(context.Background(), ToolsQuery{})
		synctest.Wait()
		time.Sleep(61 * time.Second)
		if got := status(t, s); strings.Contains(got.LastExit, secret) {
			t.Errorf("status: %q", got.LastExit)
		}
	})
}

func TestAFailedStartIsMaskedForParkedCalls(t *testing.T) {
	const secret = "hunter2-very-secret"
	synctest.Test(t, func(t *testing.T) {
		f := &fakeServer{start: func(context.Context, int) error {
			return &DialError{Exit: mcpspec.Exit{Code: 1, Reason: "bad key " + secret}, Err: errors.New("x")}
		}}
		s := startFake(t, oneServer(t, func(s *config.Server) { s.Server.Env = map[string]string{"API_KEY": secret} }), f)
		r := call(s, "x")
		raw, _ := json.Marshal(r)
		if strings.Contains(string(raw), secret) {
			t.Errorf("result: %s", raw)
		}
		records, _ := s.Audit(context.Background(), audit.Filter{})
		raw, _ = json.Marshal(records)
		if strings.Contains(string(raw), secret) {
			t.Errorf("audit has the secret")
		}
	})
}

func TestAPanicInADecisionEndsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, err := Start(context.Background(), oneServer(t, nil), WithDialer((&fakeServer{}).dial))
		if err != nil {
			t.Fatal(err)
		}
		s.env.provider = panicky{explode: func() { panic("boom") }} // as a bug in the schema check would
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

type deaf struct{}

func (deaf) Next(context.Context, models.Request) (models.Turn, error) {
	time.Sleep(24 * time.Hour)
	return models.Turn{}, nil
}

func TestADeafModelHoldsNothingUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ws := oneServer(t, nil)
		withScript(ws, `{text: fine}`)
		s, _ := Start(context.Background(), ws, WithDialer((&fakeServer{}).dial))
		topology, _ := ws.Topology("")
		box, self := s.env.openBox()
		s.env.root.RequestWithCustomSender(s.env.agents, startRun{ID: "r", Topology: topology, Models: map[string]models.Model{"root": deaf{}}}, self)
		synctest.Wait()
		began := time.Now()
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		_ = s.Stop(ctx)
		<-box.ch
		if took := time.Since(began); took > time.Minute {
			t.Errorf("Stop took %s", took)
		}
		time.Sleep(25 * time.Hour)
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

func TestACrashedAgentsChildrenStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeServer{answer: never}
		ws := oneServer(t, func(s *config.Server) { s.Timeout = time.Hour })
		root := script("root", nil, `{calls: [{tool: kid}]}`, `{text: x}`)
		root.Children = []config.Agent{script("kid", []string{"tool:s/echo"}, `{calls: [{tool: s/echo}]}`, `{text: x}`)}
		withTree(ws, root)
		s := startFake(t, ws, f, withExplosives)
		ended := make(chan error, 1)
		id := make(chan string, 1)
		sub := s.Subscribe(1000)
		go func() { _, err := s.Run(context.Background(), RunRequest{}, nil); ended <- err }()
		synctest.Wait()
		for e := range sub.C {
			if e.Run != "" {
				id <- e.Run
				break
			}
		}
		s.env.send(rvChild(s.env, "agents/"+<-id+"/root"), explosion{})
		t.Logf("run: %v", <-ended)
		time.Sleep(time.Minute)
		if _, cancels := f.seen(); len(cancels) != 1 {
			t.Errorf("the child's call still runs, in flight %d", status(t, s).InFlight)
		}
		sub.Close()
	})
}

func TestACallSentToACorpseGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeServer{}
		block := make(chan struct{})
		var armed atomic.Bool
		s := startFake(t, oneServer(t, nil), f, hook(hooked{before: func(ctx actor.Context, b behaviour) {
			if _, ok := ctx.Message().(sessionEnded); ok && armed.Load() {
				_ = block
			}
		}}))
		want1(t, call(s, "x"), messages.OK, messages.RanYes)
		s.env.send(s.env.instance("s"), nap{D: time.Second})
		synctest.Wait()
		ended := begin(s, "never written") // queued before the death notice
		synctest.Wait()
		f.die()
		r := <-ended
		requests, _ := f.seen()
		if r.Outcome != messages.OK {
			t.Errorf("%s/%s, attempts %d, but the server saw only %v", r.Outcome, r.Ran, r.Attempts, requests)
		}
	})
}

func TestBeingNeededDoesNotWipeTheBudget(t *testing.T) {
	r := supervision.DefaultRestart()
	r.Mode = supervision.Transient
	now := time.Now()
	var h supervision.History
	var a supervision.Action
	starts := 0
	for n := range 60 { // an hour's budget is 5 a minute; here: crash, crash, idle exit, call, ...
		now = now.Add(time.Second)
		_, h = supervision.Decide(r, h, supervision.Event{Kind: supervision.Up}, now, 0)
		a, h = supervision.Decide(r, h, supervision.Event{Kind: supervision.Ended, Abnormal: n%3 != 2}, now, 0)
		switch a.Verb {
		case supervision.Start:
			starts++
		case supervision.Rest:
			a, h = supervision.Decide(r, h, supervision.Event{Kind: supervision.Needed}, now, 0)
		}
	}
	if starts > 5 {
		t.Errorf("%d restarts in a minute with a budget of 5, never failed (last %v)", starts, a)
	}
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

type needy struct{ governance.Provider }

func (needy) EvaluateAction(_ context.Context, a governance.Action) governance.Decision {
	time.Sleep(200 * time.Millisecond)
	if a.Catalogue == nil {
		return governance.Decision{NeedsCatalogue: true}
	}
	return governance.Decision{Allowed: true, Rule: "x"}
}
func (needy) RecordEvent(context.Context, governance.Event) error { return nil }

func TestAQueuedCallOfACrashedInstanceDidNotRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeServer{answer: never}
		s := startFake(t, oneServer(t, func(s *config.Server) { s.MaxInFlight = 1 }), f, withExplosives)
		one := begin(s, "1")
		synctest.Wait()
		two := begin(s, "2")
		synctest.Wait()
		s.env.send(s.env.instance("s"), explosion{})
		want1(t, <-one, messages.Internal, messages.RanMaybe)
		want1(t, <-two, messages.Internal, messages.RanNo)
	})
}

type refreshFails struct{ *fakeSession }

func (refreshFails) Refresh(context.Context) (*mcpspec.Catalogue, error) {
	return nil, errors.New("bad key hunter2-very-secret")
}

func TestAFailedRefreshIsMasked(t *testing.T) {
	const secret = "hunter2-very-secret"
	synctest.Test(t, func(t *testing.T) {
		f := &fakeServer{}
		var hooks Hooks
		s := startFake(t, oneServer(t, func(s *config.Server) { s.Server.Env = map[string]string{"API_KEY": secret} }), f,
			WithDialer(func(ctx context.Context, sp mcpspec.Server, h Hooks) (Session, error) {
				hooks = h
				live, err := f.dial(ctx, sp, h)
				return refreshFails{live.(*fakeSession)}, err
			}))
		call(s, "x")
		hooks.ToolsChanged()
		synctest.Wait()
		if got := status(t, s); strings.Contains(strings.Join(got.Warnings, " "), secret) {
			t.Errorf("status: %v", got.Warnings)
		}
	})
}

type slowKill struct {
	*fakeSession
	catalogue func()
}

func (k slowKill) Kill()                         { time.Sleep(2 * time.Second); k.fakeSession.Kill() }
func (k slowKill) Catalogue() *mcpspec.Catalogue { k.catalogue(); return k.fakeSession.Catalogue() }

func TestTwoIncarnationsNeverLiveAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		boom := true
		f := &fakeServer{answer: func(_ *fakeSession, r mcpspec.CallRequest, done func(mcpspec.Reply)) {
			if boom {
				boom = false
				panic("boom")
			}
			done(echo(r))
		}}
		var first Session
		s := startFake(t, oneServer(t, nil), f, WithDialer(func(ctx context.Context, sp mcpspec.Server, h Hooks) (Session, error) {
			if first != nil {
				select {
				case <-first.Done():
				default:
					t.Error("the next incarnation starts while the one before lives")
				}
			}
			live, err := f.dial(ctx, sp, h)
			k := slowKill{live.(*fakeSession), func() {}}
			if first == nil {
				first = k
			}
			return k, err
		}))
		call(s, "x")
		time.Sleep(time.Second)
		call(s, "x")
		time.Sleep(5 * time.Second)
	})
}

func TestStopWaitsForTheKill(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeServer{}
		s, _ := Start(context.Background(), oneServer(t, func(s *config.Server) { s.Restart.MaxRestarts = 0 }), WithDialer(func(ctx context.Context, sp mcpspec.Server, h Hooks) (Session, error) {
			live, err := f.dial(ctx, sp, h)
			return slowKill{live.(*fakeSession), func() { panic("boom") }}, err
		}))
		call(s, "x")
		_ = s.Stop(context.Background())
		select {
		case <-f.session().Done():
		default:
			t.Error("Stop returned and the session lives")
		}
		time.Sleep(5 * time.Second)
	})
}

func TestARunDoesNotWaitForToolsOfACrashedServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeServer{start: func(ctx context.Context, _ int) error { <-ctx.Done(); return ctx.Err() }}
		ws := oneServer(t, nil)
		withTree(ws, script("root", []string{"tool:s/*"}, `{text: x}`))
		s := startFake(t, ws, f, withExplosives)
		ended := make(chan error, 1)
		ctx, cancel := context.WithCancel(context.Background())
		go func() { _, err := s.Run(ctx, RunRequest{}, nil); ended <- err }()
		synctest.Wait()
		s.env.send(rvChild(s.env, "servers/s"), explosion{})
		select {
		case <-ended:
		case <-time.After(time.Hour):
			t.Error("the run hangs")
			cancel()
			<-ended
		}
		cancel()
	})
}

func TestACrashedGateHoldsNoStopUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeServer{}
		s, _ := Start(context.Background(), oneServer(t, nil), WithDialer(f.dial), hook(hooked{refuseNap: time.Second}))
		call(s, "before")
		s.env.send(s.env.gate("operator"), nap{D: time.Second, Boom: true})
		synctest.Wait()
		a := begin(s, "a")
		time.Sleep(1500 * time.Millisecond)
		go func() { _ = s.Stop(context.Background()) }()
		<-a
		select {
		case <-s.Done():
		case <-time.After(time.Hour):
			t.Error("Stop hangs")
			_ = s.env.root.StopFuture(s.pid).Wait()
		}
		time.Sleep(time.Second)
	})
}

func TestACrashAboveARunIsRecorded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeServer{answer: never}
		ws := oneServer(t, nil)
		withScript(ws, `{calls: [{tool: s/echo}]}`, `{text: x}`)
		s := startFake(t, ws, f, withExplosives)
		ended := make(chan error, 1)
		go func() { _, err := s.Run(context.Background(), RunRequest{}, nil); ended <- err }()
		synctest.Wait()
		s.env.send(s.env.agents, explosion{})
		<-ended
		time.Sleep(time.Minute)
		records, _ := s.Audit(context.Background(), audit.Filter{})
		n := map[string]int{}
		for _, r := range records {
			n[string(r.EventType)]++
		}
		if n["run.started"] != n["run.ended"] || n["agent.started"] != n["agent.completed"] {
			t.Errorf("%v", n)
		}
	})
}

func TestALateAnswerIsNotStale(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := startFake(t, oneServer(t, nil), &fakeServer{answer: never})
		call(s, "x")
		synctest.Wait()
		if got := status(t, s); got.Stale != 0 {
			t.Errorf("stale %d with one incarnation", got.Stale)
		}
	})
}

func TestARunSeesAllItsOwnEvents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeServer{}
		ws := oneServer(t, nil)
		withScript(ws, `{calls: [{tool: s/echo}]}`, `{text: x}`)
		s := startFake(t, ws, f)
		for range 1 {
			call(s, "warm")
		}
		got := map[messages.EventKind]int{}
		first := true
		go func() {
			time.Sleep(100 * time.Millisecond)
			for range 2100 {
				call(s, "others")
			}
		}()
		f.answer = func(_ *fakeSession, r mcpspec.CallRequest, done func(mcpspec.Reply)) {
			if strings.Contains(string(r.Arguments), "others") {
				done(echo(r))
				return
			}
			time.AfterFunc(time.Second, func() { done(echo(r)) })
		}
		_, _ = s.Run(context.Background(), RunRequest{}, func(e messages.Event) {
			if first {
				first = false
				time.Sleep(2 * time.Second)
			}
			got[e.Kind]++
		})
		if got[messages.RunEnded] != 1 || got[messages.CallEnded] != 1 {
			t.Errorf("%v", got)
		}
	})
}

func TestAHugeToolErrorHasAnOutcome(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeServer{answer: func(_ *fakeSession, r mcpspec.CallRequest, done func(mcpspec.Reply)) {
			text, _ := json.Marshal(strings.Repeat("x", 17<<20))
			done(mcpspec.Reply{Written: true, Result: json.RawMessage(`{"isError":true,"content":[{"type":"text","text":` + string(text) + `}]}`)})
		}}
		s := startFake(t, oneServer(t, nil), f)
		r := call(s, "x")
		t.Logf("%s %d bytes of message", r.Outcome, len(r.Error.Message))
	})
}

type slowLog struct {
	slog.Handler
	n *atomic.Int64
}

func (slowLog) Enabled(context.Context, slog.Level) bool { return true }
func (l slowLog) Handle(_ context.Context, r slog.Record) error {
	time.Sleep(time.Millisecond)
	l.n.Add(1)
	return nil
}
func (l slowLog) WithAttrs([]slog.Attr) slog.Handler { return l }

func TestStopWaitsForTheLog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var n atomic.Int64
		s, _ := Start(context.Background(), oneServer(t, nil), WithDialer((&fakeServer{}).dial), WithLogger(slog.New(slowLog{slog.DiscardHandler, &n})))
		for range 100 {
			call(s, "x")
		}
		_ = s.Stop(context.Background())
		at := n.Load()
		time.Sleep(time.Minute)
		if n.Load() != at {
			t.Errorf("%d of %d log lines were written after Stop returned", n.Load()-at, n.Load())
		}
	})
}

func TestTheRootsEndAnswersEverything(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeServer{answer: never}
		s := startFake(t, oneServer(t, nil), f, withExplosives)
		ended := begin(s, "x")
		synctest.Wait()
		s.env.send(s.pid, explosion{})
		r, _ := within(t, time.Hour, ended)
		t.Logf("%s/%s", r.Outcome, r.Ran)
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

// A call may be given up, and the server stopped, between the death of a session and the burial of its calls.
func TestNothingFallsIntoTheGapBetweenDeathAndBurial(t *testing.T) {
	for _, what := range []string{"cancel", "stop"} {
		t.Run(what, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := &fakeServer{answer: never}
				s := startFake(t, oneServer(t, func(s *config.Server) { s.Restart.Backoff.First = time.Second }), f, hook(hooked{}))
				ctx, cancel := context.WithCancel(context.Background())
				defer cancel()
				ended := beginCtx(ctx, s, "x")
				synctest.Wait()
				s.env.send(s.env.instance("s"), nap{D: time.Second}) // what comes now queues up behind it
				synctest.Wait()
				f.die()
				synctest.Wait()
				want := messages.Cancelled
				if what == "stop" {
					want = messages.Lost
					go func() { _ = s.Stop(context.Background()) }()
				} else {
					cancel()
				}
				r, _ := within(t, time.Minute, ended)
				if r.Outcome != want || r.Ran != messages.RanMaybe {
					t.Errorf("%s/%s, %+v", r.Outcome, r.Ran, r.Error)
				}
			})
		})
	}
}
