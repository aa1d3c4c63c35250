package actors

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/mcp-supervisor/supervisor/config"
	"github.com/mcp-supervisor/supervisor/governance"
	"github.com/mcp-supervisor/supervisor/governance/audit"
	mcpspec "github.com/mcp-supervisor/supervisor/mcp/spec"
	"github.com/mcp-supervisor/supervisor/messages"
)

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

type slowKill struct {
	*fakeSession
	catalogue func()
}

func (k slowKill) Kill() { time.Sleep(2 * time.Second); k.fakeSession.Kill() }

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
