package actors

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcp-supervisor/supervisor/config"
	mcpspec "github.com/mcp-supervisor/supervisor/mcp/spec"
	"github.com/mcp-supervisor/supervisor/messages"
)

// freezing is a server whose first incarnation stops answering, calls and pings alike, once frozen is set.
func freezing(frozen *atomic.Bool) *fakeServer {
	f := &fakeServer{}
	f.answer = func(s *fakeSession, r mcpspec.CallRequest, done func(mcpspec.Reply)) {
		if s.n > 1 || !frozen.Load() {
			done(echo(r))
		}
	}
	f.ping = func(ctx context.Context) error {
		if frozen.Load() {
			<-ctx.Done()
			return ctx.Err()
		}
		return nil
	}
	return f
}

func TestAFrozenServerIsReplacedAlthoughItIsCalledAllTheTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var frozen atomic.Bool
		f := freezing(&frozen)
		s := startFake(t, oneServer(t, func(s *config.Server) {
			s.Timeout = 2 * time.Second
			s.Health = config.Health{Every: 30 * time.Second, Timeout: time.Second, Misses: 2}
		}), f)
		want1(t, call(s, "up"), messages.OK, messages.RanYes)
		frozen.Store(true)
		began := time.Now()
		for f.startCount() == 1 && time.Since(began) < time.Minute {
			begin(s, "x")
			time.Sleep(100 * time.Millisecond)
		}
		if took := time.Since(began); took > 7*time.Second {
			t.Errorf("replaced after %s", took)
		}
		frozen.Store(false)
		want1(t, call(s, "next"), messages.OK, messages.RanYes)
	})
}

func TestASlowServerThatAnswersPingsIsNotKilled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeServer{answer: never}
		s := startFake(t, oneServer(t, func(s *config.Server) { s.Timeout = time.Second }), f)
		for range 10 {
			want1(t, call(s, "x"), messages.Timeout, messages.RanMaybe)
		}
		if n := f.startCount(); n != 1 {
			t.Errorf("%d starts", n)
		}
	})
}

func TestAServerIsNotProbedWhileACallIsInsideItsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var pings atomic.Int64
		f := &fakeServer{answer: never, ping: func(ctx context.Context) error { pings.Add(1); <-ctx.Done(); return ctx.Err() }}
		s := startFake(t, oneServer(t, func(s *config.Server) { s.Timeout = time.Hour }), f)
		long := begin(s, "long")
		synctest.Wait()
		for range 5 {
			short, cancel := context.WithTimeout(context.Background(), time.Second)
			if r := s.CallTool(short, request("short")); r.Outcome != messages.Timeout {
				t.Errorf("%s", r.Outcome)
			}
			cancel()
		}
		if n := pings.Load(); n != 0 {
			t.Errorf("%d pings while a call was inside its time", n)
		}
		f.die()
		want1(t, <-long, messages.Lost, messages.RanMaybe)
	})
}
