package actors

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcp-supervisor/supervisor/config"
	mcpspec "github.com/mcp-supervisor/supervisor/mcp/spec"
	"github.com/mcp-supervisor/supervisor/messages"
)

func TestAServerStoppedByHandStaysStopped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeServer{}
		s := startFake(t, oneServer(t, nil), f)
		want1(t, call(s, "up"), messages.OK, messages.RanYes)
		status, err := s.StopServer(context.Background(), "s")
		if err != nil || status.State != messages.StateStopped || status.Detail != "stopped by hand" {
			t.Fatalf("%+v, %v", status, err)
		}
		r := call(s, "refused")
		want1(t, r, messages.Unavailable, messages.RanNo)
		if !strings.Contains(r.Error.Message, "`supervisor start s`") {
			t.Errorf("%q does not say how to start it", r.Error.Message)
		}
		if _, err := s.StartServer(context.Background(), "s"); err != nil {
			t.Fatal(err)
		}
		want1(t, call(s, "again"), messages.OK, messages.RanYes)
	})
}

func TestARestartByHandDrainsAndStartsWithAFreshBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeServer{}
		s := startFake(t, oneServer(t, nil), f)
		want1(t, call(s, "up"), messages.OK, messages.RanYes)
		f.die()
		synctest.Wait()
		if n := statusOf(t, s, "s").Window; n != 1 {
			t.Fatalf("%d restarts in the window", n)
		}
		release := make(chan struct{})
		f.answer = func(s *fakeSession, r mcpspec.CallRequest, done func(mcpspec.Reply)) {
			go func() { <-release; done(echo(r)) }()
		}
		running := begin(s, "running")
		synctest.Wait()
		go func() { time.Sleep(2 * time.Second); close(release) }()
		began := time.Now()
		status, err := s.RestartServer(context.Background(), "s")
		if err != nil || status.State != messages.StateUp || status.Window != 0 {
			t.Fatalf("%+v, %v", status, err)
		}
		if took := time.Since(began); took != 2*time.Second {
			t.Errorf("drained for %s", took)
		}
		want1(t, <-running, messages.OK, messages.RanYes)
	})
}

func TestAStartByHandThatFailsSaysWhy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeServer{start: func(context.Context, int) error { return failStart("no licence") }}
		s := startFake(t, oneServer(t, nil), f)
		_, err := s.StartServer(context.Background(), "s")
		var failed *RunError
		if !errors.As(err, &failed) || failed.Outcome != messages.Unavailable || !strings.Contains(failed.Message, "no licence") {
			t.Errorf("%v", err)
		}
		_, err = s.StartServer(context.Background(), "nobody")
		if !errors.As(err, &failed) || failed.Outcome != messages.Invalid {
			t.Errorf("unknown server: %v", err)
		}
	})
}

func TestAStartByHandReopensAFailedServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeServer{start: func(_ context.Context, n int) error {
			if n == 1 {
				return failStart("boom")
			}
			return nil
		}}
		s := startFake(t, oneServer(t, func(s *config.Server) { s.Restart.MaxRestarts, s.Restart.Cooldown = 0, 0 }), f)
		want1(t, call(s, "x"), messages.Unavailable, messages.RanNo)
		if _, err := s.StartServer(context.Background(), "s"); err != nil {
			t.Fatal(err)
		}
		want1(t, call(s, "x"), messages.OK, messages.RanYes)
	})
}

func TestAnIdleServerStopsAndIsStartedByACall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeServer{}
		s := startFake(t, oneServer(t, func(s *config.Server) { s.IdleStop, s.Health.Every = 10*time.Minute, 0 }), f)
		want1(t, call(s, "up"), messages.OK, messages.RanYes)
		time.Sleep(9 * time.Minute)
		want1(t, call(s, "still"), messages.OK, messages.RanYes)
		time.Sleep(10*time.Minute - time.Second)
		if got := statusOf(t, s, "s").State; got != messages.StateUp {
			t.Fatalf("%s before its time", got)
		}
		time.Sleep(2 * time.Second)
		if got := statusOf(t, s, "s"); got.State != messages.StateStopped || got.Tools != 2 {
			t.Fatalf("%s with %d tools", got.State, got.Tools)
		}
		tools, err := s.Tools(context.Background(), ToolsQuery{})
		if err != nil || len(tools.Tools) != 2 || f.startCount() != 1 {
			t.Errorf("its tools stay known without a start: %d tools, %d starts, %v", len(tools.Tools), f.startCount(), err)
		}
		want1(t, call(s, "wakes"), messages.OK, messages.RanYes)
		if n := f.startCount(); n != 2 {
			t.Errorf("%d starts", n)
		}
	})
}

func TestAnIdleStopLosesNoCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeServer{}
		s := startFake(t, oneServer(t, func(s *config.Server) { s.IdleStop, s.Health.Every = time.Minute, 0 }), f)
		for n := range 50 { // calls around the moment of the stop
			want1(t, call(s, "x"), messages.OK, messages.RanYes)
			time.Sleep(time.Minute + time.Duration(n-25)*time.Microsecond)
		}
	})
}

func TestALazyServerIsNotStartedByARun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, f := startFarm(t, "eager lazy", func(s *config.Server) {
			if s.ID == "lazy" {
				s.Start = config.StartLazy
			}
		})
		s.Warm()
		synctest.Wait()
		if got := f.take(); got != "+eager" {
			t.Errorf("warm: %s", got)
		}
		want1(t, callOn(s, "", "lazy", "x"), messages.OK, messages.RanYes)
	})
}

func TestTheToolsOfALazyServerAreNamedWithoutAStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ws := oneServer(t, func(s *config.Server) { s.Start = config.StartLazy })
		f := &fakeServer{}
		first, err := Start(context.Background(), ws, WithDialer(f.dial))
		if err != nil {
			t.Fatal(err)
		}
		if tools, err := first.Tools(context.Background(), ToolsQuery{}); err != nil || len(tools.Tools) != 2 {
			t.Fatalf("%d tools, %v: nobody knows them yet, so it is started", len(tools.Tools), err)
		}
		stop(t, first)
		s := startFake(t, ws, f)
		if tools, err := s.Tools(context.Background(), ToolsQuery{}); err != nil || len(tools.Tools) != 2 || f.startCount() != 1 {
			t.Errorf("%d tools, %d starts, %v", len(tools.Tools), f.startCount(), err)
		}
		want1(t, call(s, "x"), messages.OK, messages.RanYes) // the gate decides by what it offers now
		if n := f.startCount(); n != 2 {
			t.Errorf("%d starts", n)
		}
	})
}

func TestAHiddenCatalogueIsNotNamedWhileTheServerIsDown(t *testing.T) {
	for _, tt := range []struct {
		rule config.CatalogWhenDown
		want int
	}{{config.CatalogKeep, 2}, {config.CatalogHide, 0}} {
		synctest.Test(t, func(t *testing.T) {
			f := &fakeServer{}
			s := startFake(t, oneServer(t, func(s *config.Server) {
				s.CatalogWhenDown, s.Restart.MaxRestarts = tt.rule, 0
			}), f)
			want1(t, call(s, "x"), messages.OK, messages.RanYes)
			f.die()
			synctest.Wait()
			if tools, err := s.Tools(context.Background(), ToolsQuery{}); err != nil || len(tools.Tools) != tt.want {
				t.Errorf("%s: %d tools, %v", tt.rule, len(tools.Tools), err)
			}
		})
	}
}
