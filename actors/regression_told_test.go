package actors

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcp-supervisor/supervisor/config"
	"github.com/mcp-supervisor/supervisor/governance/audit"
	mcpspec "github.com/mcp-supervisor/supervisor/mcp/spec"
	"github.com/mcp-supervisor/supervisor/messages"
)

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
