package mcp

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-supervisor/supervisor/mcp/spec"
)

func killed(s *Session) bool { return killOne(s.PID()) == nil }

// What clears up waits for the guardian here, which is told before the leader is reaped.
func TestCallersHearBeforeTheClearingUpIsOver(t *testing.T) {
	g := guard(t, GuardianOptions{bare: true})
	s, err := Open(context.Background(), fakeServer(t, "hang-call"), Options{Guardian: g})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if exit := s.Exit(); exit.Code != -1 || exit.Signal != "" {
		t.Errorf("exit of a living session: %+v", exit)
	}
	end, _ := begin(s, "echo", "")
	unlock := silence(g)
	defer unlock()
	if !killed(s) {
		t.Fatal("no process")
	}
	r := wait(t, end)
	exit := dead(t, s)
	select {
	case <-s.Done():
		t.Error("done while the guardian does not know yet")
	default:
	}
	if state(s.PID()) != "Z" {
		t.Errorf("the leader's state is %q: it was reaped before the guardian was told", state(s.PID()))
	}
	want := spec.Exit{Code: -1, Signal: "SIGKILL"}
	var exitError *ExitError
	if !errors.As(r.Err, &exitError) || !cmp.Equal(exitError.Exit, want) || !cmp.Equal(exit, want) {
		t.Errorf("reply %+v, exit %+v", r, exit)
	}
	if r := echo(t, s, ""); !errors.As(r.Err, &exitError) || r.Written {
		t.Errorf("a call after the death: %+v", r)
	}
	unlock()
	if exit := ended(t, s); !cmp.Equal(exit, want) {
		t.Errorf("the exit became %+v", exit)
	}
	if state(s.PID()) == "Z" {
		t.Error("done, and the leader is not reaped")
	}
}

// silence keeps the guardian from hearing anything until it is let go.
func silence(g *Guardian) (letGo func()) {
	g.mu.Lock()
	held := true
	return func() {
		if held {
			held = false
			g.mu.Unlock()
		}
	}
}

// An outsider that no sweep finds holds the pipes open, and does not keep the news from the callers.
func TestAnOutsiderThatHoldsThePipesDelaysNobody(t *testing.T) {
	const outsider = `env -i setsid sleep MARK <&0 >&1 2>&2 & exec "$0"`
	t.Run("hearing of a death", func(t *testing.T) {
		fastest := time.Hour // of several: the machine may be busy
		for range 5 {
			s, err := Open(context.Background(), scripted(t, "hang-call", marking(outsider, mark(t))), Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			end, _ := begin(s, "echo", "")
			began := time.Now()
			if !killed(s) {
				t.Fatal("no process")
			}
			if r := wait(t, end); r.Err == nil {
				t.Errorf("reply: %+v", r)
			}
			fastest = min(fastest, time.Since(began))
		}
		if fastest > drainTime/2 {
			t.Errorf("the fastest caller heard after %v", fastest)
		}
	})
	t.Run("the last answer", func(t *testing.T) {
		s, err := Open(context.Background(), scripted(t, "answer-then-die", marking(outsider, mark(t))), Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		if r := echo(t, s, ""); string(r.Result) != `{"last":true}` {
			t.Errorf("reply: %+v", r)
		}
		if exit := dead(t, s); exit.Code != 4 {
			t.Errorf("exit: %+v", exit)
		}
	})
}

func TestRemoteSessionsDieAndAreDone(t *testing.T) {
	f := newFakeHTTP(t, raw("application/json", `{"jsonrpc":"2.0","id":ID,"result":{}}`))
	s := openHTTP(t, httpServer(f.URL), &notes{})
	s.Close()
	dead(t, s)
	ended(t, s)
}
