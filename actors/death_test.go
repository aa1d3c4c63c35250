package actors

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcp-supervisor/supervisor/config"
	mcpspec "github.com/mcp-supervisor/supervisor/mcp/spec"
	"github.com/mcp-supervisor/supervisor/messages"
)

func TestCallersHearOfADeathBeforeItsLeftoversAreGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeServer{answer: never, cleanup: func() { time.Sleep(700 * time.Millisecond) }}
		s := startFake(t, oneServer(t, nil), f)
		running := begin(s, "running")
		synctest.Wait()
		began := time.Now()
		go f.die()
		r := <-running
		want1(t, r, messages.Lost, messages.RanMaybe)
		if took := time.Since(began); took != 0 {
			t.Errorf("the caller heard of it after %s", took)
		}
		if !strings.Contains(r.Error.Message, "restart 1 of 5") {
			t.Errorf("%q does not say what comes next", r.Error.Message)
		}
		if n := f.startCount(); n != 1 {
			t.Errorf("%d starts: the next one waits until nothing of the last is left", n)
		}
		f.answer = nil
		want1(t, call(s, "next"), messages.OK, messages.RanYes)
		if took := time.Since(began); took != 700*time.Millisecond {
			t.Errorf("the next session came after %s", took)
		}
	})
}

// loseFirst loses the first call and answers the later ones.
func loseFirst(f *fakeServer) {
	f.answer = func(s *fakeSession, r mcpspec.CallRequest, done func(mcpspec.Reply)) {
		if s.n == 1 {
			s.end(mcpspec.Exit{Code: -1, Signal: "SIGKILL"})
			return
		}
		done(echo(r))
	}
}

func TestRetry(t *testing.T) {
	yes := true
	tests := []struct {
		name  string
		retry config.Retry
		tool  string
		want  messages.Outcome
		sent  int
	}{
		{"never is the default", config.RetryNever, "echo", messages.Lost, 1},
		{"a read-only tool", config.RetryReadOnly, "echo", messages.OK, 2},
		{"a writing tool is not read-only", config.RetryReadOnly, "write", messages.Lost, 1},
		{"an idempotent tool is not read-only", config.RetryReadOnly, "set", messages.Lost, 1},
		{"an idempotent tool", config.RetryIdempotent, "set", messages.OK, 2},
		{"what only reads is idempotent", config.RetryIdempotent, "echo", messages.OK, 2},
		{"a tool of which nothing is known", config.RetryIdempotent, "write", messages.Lost, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := &fakeServer{more: []mcpspec.Tool{{Name: "set", InputSchema: []byte(`{"type":"object"}`), Annotations: mcpspec.Annotations{Idempotent: &yes}}}}
				loseFirst(f)
				s := startFake(t, oneServer(t, func(s *config.Server) { s.Retry = tt.retry }), f)
				r := s.CallTool(context.Background(), CallRequest{Server: "s", Tool: tt.tool})
				requests, _ := f.seen()
				if r.Outcome != tt.want || len(requests) != tt.sent || r.Attempts != tt.sent {
					t.Errorf("%s after %d attempts, %d sent (%+v)", r.Outcome, r.Attempts, len(requests), r.Error)
				}
			})
		})
	}
}

func TestARetryIsMadeOnceAndInsideTheDeadline(t *testing.T) {
	t.Run("once", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			f := &fakeServer{answer: func(s *fakeSession, _ mcpspec.CallRequest, _ func(mcpspec.Reply)) { s.end(mcpspec.Exit{Code: 1}) }}
			s := startFake(t, oneServer(t, func(s *config.Server) { s.Retry = config.RetryReadOnly }), f)
			r := call(s, "x")
			want1(t, r, messages.Lost, messages.RanMaybe)
			if requests, _ := f.seen(); len(requests) != 2 || r.Attempts != 2 {
				t.Errorf("sent %d times, %d attempts", len(requests), r.Attempts)
			}
		})
	})
	t.Run("inside its time", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			f := &fakeServer{}
			f.answer = func(s *fakeSession, _ mcpspec.CallRequest, _ func(mcpspec.Reply)) {
				if s.n == 1 {
					time.AfterFunc(2*time.Second, f.die)
				}
			}
			s := startFake(t, oneServer(t, func(s *config.Server) { s.Retry, s.Timeout = config.RetryReadOnly, 3*time.Second }), f)
			began := time.Now()
			r := call(s, "x")
			want1(t, r, messages.Timeout, messages.RanMaybe)
			if took := time.Since(began); took != 3*time.Second || r.Attempts != 2 {
				t.Errorf("after %s and %d attempts", took, r.Attempts)
			}
		})
	})
	t.Run("not beyond its time", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			f := &fakeServer{answer: never}
			s := startFake(t, oneServer(t, func(s *config.Server) { s.Retry, s.Timeout = config.RetryReadOnly, 3*time.Second }), f)
			running := begin(s, "x")
			synctest.Wait()
			f.setStart(func(context.Context, int) error { time.Sleep(time.Minute); return nil })
			time.Sleep(time.Second)
			f.die()
			r := <-running
			want1(t, r, messages.Lost, messages.RanMaybe)
			if r.Attempts != 1 {
				t.Errorf("%d attempts", r.Attempts)
			}
		})
	})
}
