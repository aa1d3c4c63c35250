package actors

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/mcp-supervisor/supervisor/config"
	"github.com/mcp-supervisor/supervisor/governance"
	"github.com/mcp-supervisor/supervisor/governance/approval"
	gov "github.com/mcp-supervisor/supervisor/governance/spec"
	mcpspec "github.com/mcp-supervisor/supervisor/mcp/spec"
	"github.com/mcp-supervisor/supervisor/messages"
)

// granted is a workspace whose agent t/a is granted all of server s.
func granted(t *testing.T, change func(*config.Server)) *config.Workspace {
	t.Helper()
	ws := oneServer(t, change)
	withTree(ws, config.Agent{Agent: gov.Agent{ID: "a", Grants: []gov.Grant{{Via: "server:s", Server: "s", Tool: "*"}}}})
	return ws
}

// A call that waits for a person is a call that waits: a freeze refuses it at once, and nobody is asked any more.
func TestAFreezeRefusesWhatWaitsForAPerson(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := startFake(t, strict(t), &fakeServer{})
		ended := begin(s, "hi")
		waiting1(t, s)
		freeze(t, s, governance.Frozen{Servers: []string{"s"}})
		r, ok := within(t, time.Second, ended)
		if !ok {
			return
		}
		want1(t, r, messages.Denied, messages.RanNo)
		synctest.Wait()
		if list, _ := s.Approvals(context.Background()); len(list) != 0 {
			t.Errorf("a person is still asked: %+v", list)
		}
	})
}

func TestAFreezeRefusesWhatWaitsForAStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeServer{start: func(context.Context, int) error { time.Sleep(30 * time.Second); return nil }}
		s := startFake(t, oneServer(t, nil), f)
		ended := begin(s, "hi")
		synctest.Wait()
		freeze(t, s, governance.Frozen{All: true})
		if r, ok := within(t, time.Second, ended); ok {
			want1(t, r, messages.Denied, messages.RanNo)
		}
	})
}

// Policies that count calls hold for calls of one turn too, which are made at the same time, whatever else they wait for.
func TestCallsOfOneTurnAreCountedOneByOne(t *testing.T) {
	for _, metered := range []bool{false, true} {
		t.Run(fmt.Sprint("metered ", metered), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ws := oneServer(t, nil)
				if metered {
					ws.Governance.Limits.StepsPerRun = 1000
				}
				policies(ws, `@id("three") forbid(principal, action, resource) when { context.counts.run >= 3 };`)
				one := `{tool: echo, arguments: {text: x}}`
				withScript(ws, `{calls: [`+strings.Repeat(one+", ", 9)+one+`]}`, `{text: done}`)
				f := &fakeServer{}
				s := startFake(t, ws, f)
				r, err := s.Run(context.Background(), RunRequest{}, nil)
				if requests, _ := f.seen(); err != nil || len(requests) != 3 || r.Calls[messages.OK] != 3 || r.Calls[messages.Denied] != 7 {
					t.Errorf("the server saw %d of 10 calls, %+v, %v", len(requests), r.Calls, err)
				}
			})
		})
	}
}

// A crash of the meter is no new budget.
func TestACrashOfTheMeterForgetsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ws := oneServer(t, nil)
		ws.Governance.Rates = []gov.Rate{{Calls: 2, Per: time.Hour}}
		f := &fakeServer{}
		s := startFake(t, ws, f, hook(hooked{}))
		want1(t, call(s, "1"), messages.OK, messages.RanYes)
		want1(t, call(s, "2"), messages.OK, messages.RanYes)
		s.env.send(s.env.budget, nap{Boom: true})
		time.Sleep(time.Second)
		want1(t, call(s, "3"), messages.Denied, messages.RanNo)
	})
}

// A reload that changes one rate does not reset another.
func TestAReloadKeepsTheCountsOfTheRatesItKeeps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ws := oneServer(t, nil)
		kept := gov.Rate{Server: "s", Calls: 2, Per: time.Hour}
		ws.Governance.Rates = []gov.Rate{kept}
		s := startFake(t, ws, &fakeServer{})
		want1(t, call(s, "1"), messages.OK, messages.RanYes)
		want1(t, call(s, "2"), messages.OK, messages.RanYes)
		next := *ws
		next.Governance.Rates = []gov.Rate{{Agent: "other", Calls: 5, Per: time.Minute}, kept}
		mustApply(t, s, &next)
		want1(t, call(s, "3"), messages.Denied, messages.RanNo)
	})
}

// Enforcement that begins with a reload holds for the tools as they are then.
func TestPinningThatIsTurnedOnHoldsForWhatRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeServer{}
		rugPull(f)
		ws := oneServer(t, nil)
		ws.Governance.Pinning = gov.PinningOff
		s := startFake(t, ws, f)
		want1(t, call(s, "1"), messages.OK, messages.RanYes)
		next := *ws
		next.Governance.Pinning = gov.PinningEnforce
		mustApply(t, s, &next)
		synctest.Wait()
		want1(t, call(s, "2"), messages.OK, messages.RanYes)
		f.die()
		time.Sleep(time.Second)
		want1(t, call(s, "changed"), messages.Denied, messages.RanNo)
	})
}

// marker is in no file of the state folder, no event, and nothing that a person is shown.
func checkHidden(t *testing.T, s *Supervisor, events *Subscription, marker string) {
	t.Helper()
	synctest.Wait()
	err := filepath.WalkDir(s.StateDir(), func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		raw, err := os.ReadFile(path)
		if strings.Contains(string(raw), marker) {
			t.Errorf("%s has the redacted argument:\n%s", d.Name(), linesWith(string(raw), marker))
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	for {
		select {
		case e := <-events.C:
			if raw, _ := json.Marshal(e); strings.Contains(string(raw), marker) {
				t.Errorf("an event has the redacted argument: %s", raw)
			}
		default:
			return
		}
	}
}

func linesWith(text, marker string) string {
	var list []string
	for line := range strings.Lines(text) {
		if strings.Contains(line, marker) {
			list = append(list, line)
		}
	}
	return strings.Join(list, "")
}

// What a policy redacts is hidden however the call ends.
func TestRedactedArgumentsAreNowhere(t *testing.T) {
	const marker = "marker-4711"
	redacts := `@id("w") @redact("key, list.key") permit(principal, action, resource == Tool::"s/write");`
	plain := `{"key":"` + marker + `","list":[{"key":"` + marker + `"}],"n":1}`
	for _, tt := range []struct {
		name     string
		policies string
		change   func(*config.Workspace)
		server   *fakeServer
		args     string
		freeze   bool
		want     messages.Outcome
	}{
		{name: "ok", want: messages.OK},
		{name: "forbidden", policies: `@id("f") forbid(principal, action, resource) when { context.arguments has n };`, want: messages.Denied},
		{name: "a rule breaks", policies: `@id("f") forbid(principal, action, resource) when { context.arguments.nope == 1 };`, want: messages.Denied},
		{name: "arguments that do not fit", args: `{"key":"` + marker + `",}`, want: messages.Invalid},
		{name: "a rate", change: func(ws *config.Workspace) { ws.Governance.Rates = []gov.Rate{{Per: time.Minute}} }, want: messages.Denied},
		{name: "readonly", change: func(ws *config.Workspace) { ws.Servers[0].Rules.Tier = gov.Readonly }, want: messages.Denied},
		{name: "frozen", freeze: true, want: messages.Denied},
		{name: "nobody approves", change: func(ws *config.Workspace) { ws.Servers[0].Rules.Tier = gov.Strict }, want: messages.Denied},
		{name: "it does not start", server: &fakeServer{start: func(context.Context, int) error { return failStart("no") }}, want: messages.Unavailable},
		{name: "the server repeats it", server: &fakeServer{answer: func(_ *fakeSession, r mcpspec.CallRequest, done func(mcpspec.Reply)) {
			done(mcpspec.Reply{RPC: &mcpspec.RPCError{Code: 7, Message: "bad key in " + string(r.Arguments)}, Written: true})
		}}, want: messages.ToolError},
		{name: "the server answers with an error that repeats it", server: &fakeServer{answer: func(_ *fakeSession, r mcpspec.CallRequest, done func(mcpspec.Reply)) {
			reply := echo(r)
			reply.Result = json.RawMessage(strings.Replace(string(reply.Result), "{", `{"isError":true,`, 1))
			done(reply)
		}}, want: messages.ToolError},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ws := granted(t, nil)
				ws.Governance.ApprovalTimeout = time.Minute
				policies(ws, redacts+tt.policies)
				if tt.change != nil {
					tt.change(ws)
				}
				f := tt.server
				if f == nil {
					f = &fakeServer{}
				}
				var shown atomic.Value
				s := startFake(t, ws, f, WithApprover(func(_ context.Context, p approval.Pending) (approval.Verdict, string) {
					shown.Store(string(p.Arguments))
					return "", ""
				}))
				events := s.Subscribe(1000)
				defer events.Close()
				if tt.freeze {
					freeze(t, s, governance.Frozen{All: true})
				}
				args := tt.args
				if args == "" {
					args = plain
				}
				r := s.CallTool(context.Background(), CallRequest{Agent: "t/a", Server: "s", Tool: "write", Arguments: []byte(args)})
				if r.Outcome != tt.want {
					t.Errorf("%s, %+v", r.Outcome, r.Error)
				}
				checkHidden(t, s, events, marker)
				if text, _ := shown.Load().(string); strings.Contains(text, marker) {
					t.Errorf("the person sees %s", text)
				}
			})
		})
	}
}

// Whatever part of the supervisor crashes while a call waits for a person, the call ends, and is not sent.
func TestACrashWhileAPersonIsAskedEndsTheCall(t *testing.T) {
	for _, part := range []string{"gate", "approvals", "budget", "pins", "journal"} {
		t.Run(part, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := &fakeServer{}
				ws := strict(t)
				ws.Governance.Rates = []gov.Rate{{Calls: 100, Per: time.Second}}
				s := startFake(t, ws, f, hook(hooked{}))
				ended := begin(s, "hi")
				waiting1(t, s)
				to := map[string]*actor.PID{"gate": s.env.gate("operator"), "approvals": s.env.approvals, "budget": s.env.budget, "pins": s.env.pins, "journal": s.env.journal}[part]
				s.env.send(to, nap{Boom: true})
				time.Sleep(time.Second)
				list, err := s.Approvals(context.Background())
				if gone := part == "gate" || part == "approvals"; err != nil || (len(list) == 0) != gone {
					t.Fatalf("%d are asked about, %v", len(list), err)
				}
				for _, p := range list {
					say(t, s, p.ID, approval.Allow)
				}
				r, ok := within(t, time.Second, ended)
				if requests, _ := f.seen(); ok && (r.Outcome == messages.OK) != (len(list) > 0) || len(requests) != len(list) {
					t.Errorf("%s, %+v; the server saw %v", r.Outcome, r.Error, requests)
				}
				checkRecorded(t, s, r)
			})
		})
	}
}

// The actor that holds the questions may crash in the middle of any step.
func TestACrashInTheMiddleOfAnAnswerEndsTheCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeServer{}
		s := startFake(t, strict(t), f, hook(hooked{before: func(ctx actor.Context, b behaviour) {
			if a, ok := b.(*approvals); ok {
				if m, asked := ctx.Message().(answerAsked); asked {
					_, _ = a.book.Answer(time.Now(), m.ID, m.Verdict, m.By, "")
					panic("boom")
				}
			}
		}}))
		ended := begin(s, "hi")
		p := waiting1(t, s)
		_, _ = s.Answer(context.Background(), ApprovalAnswer{ID: p.ID, Verdict: approval.Allow})
		if r, ok := within(t, time.Second, ended); ok {
			want1(t, r, messages.Denied, messages.RanNo)
		}
	})
}

// What is kept for the next supervisor is what it needs to say which calls were never sent, and no more.
func TestKeptQuestionsHoldNoArguments(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ws := strict(t)
		s := startFake(t, ws, &fakeServer{})
		ended := begin(s, "marker-4711")
		p := waiting1(t, s)
		raw, err := os.ReadFile(filepath.Join(s.StateDir(), "approvals.json"))
		if err != nil || !strings.Contains(string(raw), p.CallID) || strings.Contains(string(raw), "marker-4711") {
			t.Errorf("%s, %v", raw, err)
		}
		say(t, s, p.ID, approval.Allow)
		want1(t, <-ended, messages.OK, messages.RanYes)
	})
}

// Explain says what the gate would do, whoever decides.
func TestExplainKnowsTheSwitchUnderAnotherProvider(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := startFake(t, oneServer(t, nil), &fakeServer{}, WithProvider(&yes{}))
		freeze(t, s, governance.Frozen{All: true})
		if e, err := s.Explain(context.Background(), CallRequest(request("x"))); err != nil || e.Allowed || e.Rule != "freeze" {
			t.Errorf("%+v, %v", e, err)
		}
		if _, err := s.Thaw(context.Background(), governance.Frozen{All: true}); err != nil {
			t.Fatal(err)
		}
		if e, err := s.Explain(context.Background(), CallRequest{Server: "s", Tool: "nope"}); err != nil || e.Allowed {
			t.Errorf("a tool that is not there: %+v, %v", e, err)
		}
	})
}

// A switch with a word that this version does not know may freeze more than it can tell.
func TestASwitchOfANewerVersionStartsNothing(t *testing.T) {
	for _, text := range []string{`{"skills":["x"]}`, `null`, ``, `{"all":true}{}`, `{"all":false}`} {
		ws := oneServer(t, nil)
		writeState(t, ws, frozenFile, []byte(text))
		s, err := Start(context.Background(), ws, WithDialer((&fakeServer{}).dial))
		if err == nil {
			_ = s.Stop(context.Background())
		}
		if (err == nil) != (text == `{"all":false}`) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
