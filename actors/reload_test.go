package actors

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/mcp-supervisor/supervisor/config"
	gov "github.com/mcp-supervisor/supervisor/governance/spec"
	mcpspec "github.com/mcp-supervisor/supervisor/mcp/spec"
	"github.com/mcp-supervisor/supervisor/messages"
	"github.com/mcp-supervisor/supervisor/supervision"
)

// edited is a copy of the workspace in force with its servers changed.
func edited(s *Supervisor, edit func([]config.Server) []config.Server) *config.Workspace {
	ws := *s.env.ws()
	ws.Servers = edit(slices.Clone(ws.Servers))
	return &ws
}

func mustApply(t *testing.T, s *Supervisor, ws *config.Workspace) ReloadResult {
	t.Helper()
	r, err := s.Apply(context.Background(), ws)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestReloadTouchesOnlyWhatChanged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, f := startFarm(t, "kept changed removed", nil)
		s.Warm()
		synctest.Wait()
		f.take()
		added := &fakeServer{}
		f.servers["added"] = added
		r := mustApply(t, s, edited(s, func(list []config.Server) []config.Server {
			list[1].Command = []string{"another"}
			list[2].ID, list[2].Rules.ID = "added", "added"
			return list
		}))
		synctest.Wait()
		if got := strings.Join(slices.Concat(r.Unchanged, r.Changed, r.Removed, r.Added), " "); got != "kept changed removed added" {
			t.Errorf("result: %s", got)
		}
		events := strings.Fields(f.take())
		slices.Sort(events)
		if got := strings.Join(events, " "); got != "+added +changed -changed -removed" {
			t.Errorf("what happened: %s", got)
		}
		for _, id := range []string{"kept", "changed", "added"} {
			want1(t, callOn(s, "", id, "x"), messages.OK, messages.RanYes)
		}
		want1(t, callOn(s, "", "removed", "x"), messages.Invalid, messages.RanNo)
	})
}

func TestAChangedServerDrainsFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeServer{}
		f.answer = func(s *fakeSession, r mcpspec.CallRequest, done func(mcpspec.Reply)) {
			go func() { time.Sleep(20 * time.Second); done(echo(r)) }()
		}
		s := startFake(t, oneServer(t, func(s *config.Server) { s.Queue.Wait = time.Minute }), f)
		running := begin(s, "running")
		synctest.Wait()
		mustApply(t, s, edited(s, func(list []config.Server) []config.Server {
			list[0].Command = []string{"another"}
			return list
		}))
		next := begin(s, "next")
		want1(t, <-running, messages.OK, messages.RanYes)
		r := <-next
		want1(t, r, messages.OK, messages.RanYes)
		if r.Incarnation != 2 {
			t.Errorf("the call that came later went to incarnation %d", r.Incarnation)
		}
	})
}

func TestARemovedServerDrainsAndIsGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeServer{answer: func(_ *fakeSession, r mcpspec.CallRequest, done func(mcpspec.Reply)) {
			go func() { time.Sleep(time.Second); done(echo(r)) }()
		}}
		s := startFake(t, oneServer(t, func(s *config.Server) { s.MaxInFlight = 1 }), f)
		running := begin(s, "running")
		synctest.Wait()
		queued := begin(s, "queued")
		synctest.Wait()
		mustApply(t, s, edited(s, func([]config.Server) []config.Server { return nil }))
		want1(t, <-running, messages.OK, messages.RanYes)
		want1(t, <-queued, messages.Unavailable, messages.RanNo)
		synctest.Wait()
		if all, err := s.Servers(context.Background()); err != nil || len(all) != 0 {
			t.Errorf("%+v, %v", all, err)
		}
	})
}

func TestAServerThatIsRemovedAndDeclaredAgainComesBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeServer{}
		s := startFake(t, oneServer(t, nil), f)
		for n := range 3 {
			want1(t, call(s, "x"), messages.OK, messages.RanYes)
			with := s.env.ws()
			mustApply(t, s, edited(s, func([]config.Server) []config.Server { return nil }))
			if n > 0 {
				synctest.Wait() // once it is gone, and once while it goes
			}
			mustApply(t, s, with)
			time.Sleep(time.Second)
		}
		want1(t, call(s, "x"), messages.OK, messages.RanYes)
	})
}

func TestWhatTheGateDecidesByIsReloadedToo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeServer{}
		s := startFake(t, oneServer(t, nil), f)
		want1(t, call(s, "x"), messages.OK, messages.RanYes)
		narrow := edited(s, func(list []config.Server) []config.Server {
			list[0].Rules = gov.Server{ID: "s", Tools: []string{"write"}}
			return list
		})
		if r := mustApply(t, s, narrow); !r.Gate || len(r.Changed) > 0 {
			t.Errorf("%+v", r)
		}
		want1(t, call(s, "x"), messages.Invalid, messages.RanNo)
		if n := f.startCount(); n != 1 {
			t.Errorf("%d starts: the server itself did not change", n)
		}
	})
}

func TestAQueuedCallIsDecidedAnewAfterAReload(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeServer{answer: func(_ *fakeSession, r mcpspec.CallRequest, done func(mcpspec.Reply)) {
			go func() { time.Sleep(time.Second); done(echo(r)) }()
		}}
		s := startFake(t, oneServer(t, func(s *config.Server) { s.MaxInFlight = 1 }), f)
		running := begin(s, "running")
		synctest.Wait()
		queued := begin(s, "queued")
		synctest.Wait()
		mustApply(t, s, edited(s, func(list []config.Server) []config.Server {
			list[0].Rules = gov.Server{ID: "s", Tools: []string{"write"}}
			return list
		}))
		want1(t, <-running, messages.OK, messages.RanYes)
		want1(t, <-queued, messages.Invalid, messages.RanNo)
	})
}

func TestAWatchedChangeDoesNotWidenTheGate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := startFake(t, oneServer(t, func(s *config.Server) { s.Rules.Tools = []string{"write"} }), &fakeServer{})
		want1(t, call(s, "x"), messages.Invalid, messages.RanNo)
		wide := edited(s, func(list []config.Server) []config.Server {
			list[0].Rules.Tools = nil
			list[0].MaxInFlight = 3
			return list
		})
		r, err := s.apply(context.Background(), wide, true)
		if err != nil || r.Gate || len(r.Waiting) != 1 || !strings.Contains(r.Waiting[0], "`s`") {
			t.Errorf("%+v, %v", r, err)
		}
		want1(t, call(s, "x"), messages.Invalid, messages.RanNo)
		if got := s.env.ws().Servers[0].MaxInFlight; got != 3 {
			t.Errorf("max_in_flight is %d", got)
		}
		mustApply(t, s, wide)
		want1(t, call(s, "x"), messages.OK, messages.RanYes)
	})
}

func TestABrokenFileChangesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := startFake(t, oneServer(t, nil), &fakeServer{})
		if _, err := s.Reload(context.Background()); err == nil { // made by hand: there is no file
			t.Error("no error")
		}
		want1(t, call(s, "x"), messages.OK, messages.RanYes)
	})
}

// `reload` said "nothing to apply" when it had changed how servers are supervised.
func TestAReloadTellsOfSettingsAndGroups(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, f := startFarm(t, "a b", nil)
		s.Warm()
		synctest.Wait()
		f.take()
		ws := edited(s, func(list []config.Server) []config.Server { list[0].Timeout = time.Second; return list })
		ws.MaxStarts = 2
		ws.Groups = []supervision.Group{group(supervision.OneForAll, "b")}
		r := mustApply(t, s, ws)
		synctest.Wait()
		want := ReloadResult{Tuned: []string{"a", "b"}, Supervision: []string{"max_starts", "group `g` added"}}
		if diff := cmp.Diff(want, r, cmpopts.IgnoreFields(ReloadResult{}, "Digest")); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if got := f.take(); got != "" {
			t.Errorf("a process was touched: %s", got)
		}
	})
}

// Whether a run can go on without a failed server is for the declaration of now.
func TestAReloadDecidesWhetherAFailedServerIsSignificant(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeServer{start: func(context.Context, int) error { return failStart("boom") }}
		ws := oneServer(t, func(s *config.Server) { s.Restart.MaxRestarts, s.Restart.Cooldown = 0, 0 })
		withScript(ws, `{calls: [{tool: s/echo}]}`, `{text: done}`)
		s := startFake(t, ws, f)
		s.Warm()
		for _, significant := range []bool{true, false} {
			mustApply(t, s, edited(s, func(list []config.Server) []config.Server { list[0].Significant = significant; return list }))
			synctest.Wait()
			if _, err := s.Run(context.Background(), RunRequest{}, nil); (err != nil) != significant {
				t.Errorf("significant %v: %v", significant, err)
			}
		}
	})
}

func TestADisabledServerIsNotUnknown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := startFake(t, oneServer(t, func(s *config.Server) { s.Disabled = true }), &fakeServer{})
		r := call(s, "x")
		want1(t, r, messages.Invalid, messages.RanNo)
		if r.Error.Message != "server `s` is disabled in this workspace" {
			t.Error(r.Error.Message)
		}
	})
}

func TestAMissedPingIsToldInWords(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeServer{ping: func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }}
		s := startFake(t, oneServer(t, nil), f)
		want1(t, call(s, "up"), messages.OK, messages.RanYes)
		time.Sleep(2 * time.Minute)
		if got := status(t, s).LastExit; !strings.HasPrefix(got, "failed its health check: no answer to ping within 5s") {
			t.Error(got)
		}
	})
}
