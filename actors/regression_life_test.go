package actors

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/mcp-supervisor/supervisor/config"
	mcpspec "github.com/mcp-supervisor/supervisor/mcp/spec"
	"github.com/mcp-supervisor/supervisor/messages"
	"github.com/mcp-supervisor/supervisor/supervision"
)

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
	var h supervision.Record
	var a supervision.Verdict
	starts := 0
	for n := range 60 { // an hour's budget is 5 a minute; here: crash, crash, idle exit, call, ...
		now = now.Add(time.Second)
		_, h = r.Next(h, supervision.Event{Kind: supervision.Up}, now, 0)
		a, h = r.Next(h, supervision.Event{Kind: supervision.Ended, Abnormal: n%3 != 2}, now, 0)
		switch a.Verb {
		case supervision.Open, supervision.Wait:
			starts++
		case supervision.Rest:
			a, h = r.Next(h, supervision.Event{Kind: supervision.Needed}, now, 0)
		}
	}
	if starts > 5 {
		t.Errorf("%d restarts in a minute with a budget of 5, never failed (last %v)", starts, a)
	}
}
