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

func TestACallStartsTheServerAndComesBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeServer{}
		s := startFake(t, oneServer(t, nil), f)
		r := call(s, "hi")
		want1(t, r, messages.OK, messages.RanYes)
		if !strings.Contains(string(r.Result), `{\"text\":\"hi\"}`) {
			t.Errorf("result %s", r.Result)
		}
		if r.Attempts != 1 || r.Incarnation != 1 || r.Agent != "operator" || r.CallID == "" {
			t.Errorf("%+v", r)
		}
	})
}

func TestAKilledServerLosesTheCallAndIsStartedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeServer{answer: never}
		s := startFake(t, oneServer(t, nil), f)
		ended := begin(s, "hi")
		synctest.Wait()
		f.answer = nil
		f.die()
		r := <-ended
		want1(t, r, messages.Lost, messages.RanMaybe)
		if r.Error.Exit == nil || r.Error.Exit.Signal != "SIGKILL" {
			t.Errorf("no post-mortem: %+v", r.Error)
		}
		for _, words := range []string{"`s`", "killed by SIGKILL", "`echo`", "restart 1 of 5"} {
			if !strings.Contains(r.Error.Message, words) {
				t.Errorf("%q does not say %q", r.Error.Message, words)
			}
		}
		want1(t, call(s, "again"), messages.OK, messages.RanYes)
		if got := status(t, s); got.Incarnation != 2 || got.Restarts != 1 || got.State != messages.StateUp {
			t.Errorf("%+v", got)
		}
	})
}

func TestACallThatWasSurelyNotSentGoesOnAfterTheRestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeServer{answer: never}
		s := startFake(t, oneServer(t, nil), f)
		ended := begin(s, "hi")
		synctest.Wait()
		f.answer = nil
		f.session().endWritten(mcpspec.Exit{Code: 1}, false)
		r := <-ended
		want1(t, r, messages.OK, messages.RanYes)
		if r.Attempts != 2 || r.Incarnation != 2 {
			t.Errorf("%+v", r)
		}
	})
}

func TestCallsWaitForARestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeServer{start: func(_ context.Context, n int) error {
			if n == 2 {
				return failStart("port in use")
			}
			return nil
		}}
		s := startFake(t, oneServer(t, nil), f)
		want1(t, call(s, "up"), messages.OK, messages.RanYes)
		f.die() // start 2 fails at once, start 3 comes 250 ms later
		synctest.Wait()
		if got := status(t, s); got.State != messages.StateBackoff || !strings.Contains(got.LastExit, "port in use") {
			t.Fatalf("%+v", got)
		}
		began := time.Now()
		want1(t, call(s, "waits"), messages.OK, messages.RanYes)
		if waited := time.Since(began); waited != 250*time.Millisecond {
			t.Errorf("waited %s", waited)
		}
	})
}

func TestOnDownFailAnswersAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeServer{start: func(_ context.Context, n int) error {
			if n > 1 {
				return failStart("gone")
			}
			return nil
		}}
		s := startFake(t, oneServer(t, func(s *config.Server) { s.OnDown = config.OnDownFail }), f)
		want1(t, call(s, "up"), messages.OK, messages.RanYes)
		f.die()
		synctest.Wait()
		began := time.Now()
		r := call(s, "down")
		want1(t, r, messages.Unavailable, messages.RanNo)
		if time.Since(began) != 0 || r.Error.RetryAfter == 0 {
			t.Errorf("after %s: %+v", time.Since(began), r.Error)
		}
	})
}

func TestAServerThatCannotStartSaysWhyAndIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeServer{start: func(context.Context, int) error { return failStart("no such database") }}
		s := startFake(t, oneServer(t, nil), f)
		r := call(s, "hi")
		want1(t, r, messages.Unavailable, messages.RanNo)
		if r.Error.Exit == nil || r.Error.Exit.Code != 3 || !strings.Contains(r.Error.Message, "no such database") {
			t.Errorf("%+v", r.Error)
		}
		time.Sleep(10 * time.Second) // 0, 250 ms, 500 ms, 1 s and 2 s: the budget is used up
		if got := status(t, s); got.State != messages.StateFailed || f.startCount() != 6 {
			t.Fatalf("%d starts, %+v", f.startCount(), got)
		}
		began := time.Now()
		want1(t, call(s, "failed"), messages.Unavailable, messages.RanNo)
		if time.Since(began) != 0 {
			t.Errorf("a failed server took %s to say so", time.Since(began))
		}
		f.setStart(nil)
		time.Sleep(5 * time.Minute) // the cooldown's one probe
		want1(t, call(s, "back"), messages.OK, messages.RanYes)
	})
}

func TestWhatAStartCannotCureIsNotTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeServer{start: func(context.Context, int) error {
			return &DialError{Exit: mcpspec.Exit{Code: -1, Reason: "command not found", Hopeless: true}, Err: errors.New("command not found")}
		}}
		s := startFake(t, oneServer(t, nil), f)
		r := call(s, "hi")
		want1(t, r, messages.Unavailable, messages.RanNo)
		if !strings.Contains(r.Error.Message, "command not found") {
			t.Errorf("%q", r.Error.Message)
		}
		time.Sleep(time.Hour)
		if f.startCount() != 1 {
			t.Errorf("%d starts", f.startCount())
		}
	})
}

func TestATimeoutTellsTheServerToCancel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeServer{answer: never}
		s := startFake(t, oneServer(t, func(s *config.Server) { s.Timeout = 2 * time.Second }), f)
		began := time.Now()
		want1(t, call(s, "hi"), messages.Timeout, messages.RanMaybe)
		if took := time.Since(began); took != 2*time.Second {
			t.Errorf("took %s", took)
		}
		synctest.Wait()
		if _, cancels := f.seen(); len(cancels) != 1 {
			t.Errorf("cancels %v", cancels)
		}
		if f.startCount() != 1 {
			t.Error("a time-out must not end the session")
		}
	})
}

func TestADeadlineCountsTheWaitToo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeServer{start: func(ctx context.Context, _ int) error { <-ctx.Done(); return ctx.Err() }}
		s := startFake(t, oneServer(t, nil), f)
		ctx, cancel := context.WithTimeout(context.Background(), 3*time.Second)
		defer cancel()
		began := time.Now()
		r := s.CallTool(ctx, request("hi"))
		want1(t, r, messages.Timeout, messages.RanNo)
		if took := time.Since(began); took != 3*time.Second {
			t.Errorf("took %s", took)
		}
	})
}

func TestACallerThatGivesUpGetsCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeServer{answer: never}
		s := startFake(t, oneServer(t, nil), f)
		ctx, cancel := context.WithCancel(context.Background())
		ended := make(chan messages.CallResult, 1)
		go func() { ended <- s.CallTool(ctx, request("hi")) }()
		synctest.Wait()
		cancel()
		want1(t, <-ended, messages.Cancelled, messages.RanMaybe)
	})
}

func TestAFullServerIsOverloaded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeServer{answer: never}
		s := startFake(t, oneServer(t, func(s *config.Server) { s.MaxInFlight, s.Queue.Max = 1, 1 }), f)
		running := begin(s, "runs")
		synctest.Wait()
		waiting := begin(s, "waits")
		synctest.Wait()
		want1(t, call(s, "too many"), messages.Overloaded, messages.RanNo)
		want1(t, <-waiting, messages.Overloaded, messages.RanNo) // after queue.wait
		want1(t, <-running, messages.Timeout, messages.RanMaybe)
	})
}

func TestOneAtATimeKeepsTheOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeServer{answer: func(_ *fakeSession, r mcpspec.CallRequest, done func(mcpspec.Reply)) {
			time.AfterFunc(time.Second, func() { done(echo(r)) })
		}}
		s := startFake(t, oneServer(t, func(s *config.Server) { s.MaxInFlight = 1 }), f)
		var all []<-chan messages.CallResult
		for _, text := range []string{"1", "2", "3"} {
			all = append(all, begin(s, text))
			synctest.Wait()
		}
		for _, ended := range all {
			want1(t, <-ended, messages.OK, messages.RanYes)
		}
		if requests, _ := f.seen(); strings.Join(requests, "") != `{"text":"1"}{"text":"2"}{"text":"3"}` {
			t.Errorf("%v", requests)
		}
	})
}

func TestAFrozenIdleServerIsReplaced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeServer{}
		f.ping = func(ctx context.Context) error {
			if f.session().n > 1 {
				return nil
			}
			<-ctx.Done()
			return ctx.Err()
		}
		s := startFake(t, oneServer(t, nil), f)
		want1(t, call(s, "hi"), messages.OK, messages.RanYes)
		time.Sleep(2 * time.Minute) // two probes of 30 s, each missed after 5 s
		got := status(t, s)
		if got.Incarnation != 2 || got.State != messages.StateUp || !strings.Contains(got.LastExit, "health check") {
			t.Errorf("%+v", got)
		}
	})
}

func TestStopDrainsWhatRunsAndEndsTheRest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeServer{answer: func(_ *fakeSession, r mcpspec.CallRequest, done func(mcpspec.Reply)) {
			if strings.Contains(string(r.Arguments), "quick") {
				time.AfterFunc(time.Second, func() { done(echo(r)) })
			}
		}}
		s := startFake(t, oneServer(t, nil), f)
		quick, hung := begin(s, "quick"), begin(s, "hangs")
		synctest.Wait()
		began := time.Now()
		if err := s.Stop(context.Background()); err != nil {
			t.Fatal(err)
		}
		want1(t, <-quick, messages.OK, messages.RanYes)
		want1(t, <-hung, messages.Stopped, messages.RanMaybe)
		if took := time.Since(began); took != defaultDrain {
			t.Errorf("took %s", took)
		}
		want1(t, call(s, "late"), messages.Stopped, messages.RanNo)
	})
}

func TestASecondStopSkipsTheDrain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeServer{answer: never}
		s := startFake(t, oneServer(t, nil), f)
		hung := begin(s, "hangs")
		synctest.Wait()
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		began := time.Now()
		if err := s.Stop(ctx); err != nil {
			t.Fatal(err)
		}
		want1(t, <-hung, messages.Stopped, messages.RanMaybe)
		if took := time.Since(began); took != 0 {
			t.Errorf("took %s", took)
		}
	})
}

func TestTheEndOfTheContextStopsTheSupervisor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		f := &fakeServer{}
		s, err := Start(ctx, oneServer(t, nil), WithDialer(f.dial))
		if err != nil {
			t.Fatal(err)
		}
		want1(t, call(s, "hi"), messages.OK, messages.RanYes)
		cancel()
		<-s.Done()
	})
}

func TestASignificantServerThatFailsEndsTheRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeServer{start: func(context.Context, int) error { return failStart("boom") }}
		ws := oneServer(t, func(s *config.Server) { s.Significant, s.Restart.MaxRestarts = true, 0 })
		withScript(ws, `{calls: [{tool: s/echo}]}`, `{calls: [{tool: s/echo}]}`)
		s := startFake(t, ws, f)
		_, err := s.Run(context.Background(), RunRequest{}, nil)
		var failed *RunError
		if !errors.As(err, &failed) || failed.Outcome != messages.Unavailable || !strings.Contains(failed.Message, "boom") {
			t.Errorf("%v", err)
		}
	})
}
