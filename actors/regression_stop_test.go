package actors

import (
	"context"
	"log/slog"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcp-supervisor/supervisor/config"
	mcpspec "github.com/mcp-supervisor/supervisor/mcp/spec"
	"github.com/mcp-supervisor/supervisor/messages"
	"github.com/mcp-supervisor/supervisor/models"
)

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
