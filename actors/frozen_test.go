package actors

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/mcp-supervisor/supervisor/config"
	"github.com/mcp-supervisor/supervisor/governance"
	"github.com/mcp-supervisor/supervisor/messages"
)

func freeze(t *testing.T, s *Supervisor, f governance.Frozen) {
	t.Helper()
	if _, err := s.Freeze(context.Background(), f); err != nil {
		t.Fatal(err)
	}
}

func TestFreezeEndsWhatWaitsAndWhatRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeServer{answer: never}
		s := startFake(t, oneServer(t, func(s *config.Server) { s.MaxInFlight = 1 }), f)
		running := begin(s, "running")
		synctest.Wait()
		queued := begin(s, "queued")
		synctest.Wait()
		freeze(t, s, governance.Frozen{Servers: []string{"s"}})
		want1(t, <-running, messages.Cancelled, messages.RanMaybe)
		want1(t, <-queued, messages.Denied, messages.RanNo)
		want1(t, call(s, "later"), messages.Denied, messages.RanNo)
		synctest.Wait()
		if requests, cancels := f.seen(); len(requests) != 1 || len(cancels) != 1 {
			t.Errorf("%d requests, %d cancels", len(requests), len(cancels))
		}
		f.answer = nil
		if _, err := s.Thaw(context.Background(), governance.Frozen{Servers: []string{"s"}}); err != nil {
			t.Fatal(err)
		}
		want1(t, call(s, "thawed"), messages.OK, messages.RanYes)
	})
}

func TestAFrozenAgentDoesNotStopTheOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ws := oneServer(t, nil)
		withScript(ws, `{}`)
		s := startFake(t, ws, &fakeServer{})
		agent := ws.Agents()[0]
		freeze(t, s, governance.Frozen{Agents: []string{agent.ID}})
		r := callOn(s, agent.Topology+"/"+agent.ID, "s", "x")
		want1(t, r, messages.Denied, messages.RanNo)
		if !strings.Contains(r.Error.Message, "frozen") {
			t.Errorf("%q", r.Error.Message)
		}
		want1(t, call(s, "operator"), messages.OK, messages.RanYes)
		_, err := s.Freeze(context.Background(), governance.Frozen{Agents: []string{"nobody"}})
		var failed *RunError
		if !errors.As(err, &failed) || failed.Outcome != messages.Invalid {
			t.Errorf("a freeze of nobody: %v", err)
		}
	})
}

func TestTheSwitchStandsOverTheHostsProvider(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := startFake(t, oneServer(t, nil), &fakeServer{}, WithProvider(&yes{}))
		want1(t, call(s, "x"), messages.OK, messages.RanYes)
		freeze(t, s, governance.Frozen{All: true})
		want1(t, call(s, "x"), messages.Denied, messages.RanNo)
	})
}

type yes struct{ governance.Builtin }

func (*yes) EvaluateAction(context.Context, governance.Action) governance.Decision {
	return governance.Decision{Allowed: true, Rule: "yes"}
}

func TestAFreezeSurvivesARestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ws := oneServer(t, nil)
		first, err := Start(context.Background(), ws, WithDialer((&fakeServer{}).dial))
		if err != nil {
			t.Fatal(err)
		}
		freeze(t, first, governance.Frozen{All: true})
		stop(t, first)
		s := startFake(t, ws, &fakeServer{})
		want1(t, call(s, "x"), messages.Denied, messages.RanNo)
		if _, err := s.Thaw(context.Background(), governance.Frozen{All: true}); err != nil {
			t.Fatal(err)
		}
		want1(t, call(s, "x"), messages.OK, messages.RanYes)
	})
}

func TestASwitchThatCannotBeReadStartsNothing(t *testing.T) {
	ws := oneServer(t, nil)
	dir := filepath.Join(ws.Root, ".supervisor")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, frozenFile), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := Start(context.Background(), ws, WithDialer((&fakeServer{}).dial))
	if err == nil || !strings.Contains(err.Error(), frozenFile) {
		t.Errorf("%v", err)
	}
}
