package actors

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcp-supervisor/supervisor/config"
	"github.com/mcp-supervisor/supervisor/governance/approval"
	"github.com/mcp-supervisor/supervisor/governance/audit"
	gov "github.com/mcp-supervisor/supervisor/governance/spec"
	"github.com/mcp-supervisor/supervisor/messages"
)

// strict is a workspace with one server whose every call needs an approval.
func strict(t *testing.T) *config.Workspace {
	t.Helper()
	ws := oneServer(t, func(s *config.Server) { s.Rules.Tier = gov.Strict })
	ws.Governance.ApprovalTimeout = 5 * time.Minute
	return ws
}

// waiting1 is the one call that waits for an answer.
func waiting1(t *testing.T, s *Supervisor) approval.Pending {
	t.Helper()
	synctest.Wait()
	list, err := s.Approvals(context.Background())
	if err != nil || len(list) != 1 {
		t.Fatalf("%d calls wait, %v", len(list), err)
	}
	return list[0]
}

func say(t *testing.T, s *Supervisor, id string, v approval.Verdict) {
	t.Helper()
	if _, err := s.Answer(context.Background(), ApprovalAnswer{ID: id, Verdict: v, By: "alice", Comment: "because"}); err != nil {
		t.Fatal(err)
	}
}

func TestACallWaitsForAPersonsYes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeServer{}
		s := startFake(t, strict(t), f)
		ended := begin(s, "hi")
		p := waiting1(t, s)
		if p.Agent != "operator" || p.Server != "s" || p.Tool != "echo" || string(p.Arguments) != `{"text":"hi"}` || p.Reason == "" {
			t.Errorf("what the person sees: %+v", p)
		}
		if requests, _ := f.seen(); len(requests) > 0 {
			t.Errorf("the server saw %v before the answer", requests)
		}
		say(t, s, p.ID, approval.Allow)
		want1(t, <-ended, messages.OK, messages.RanYes)
		records, err := s.Audit(context.Background(), audit.Filter{CallID: p.CallID})
		if err != nil || len(records) != 4 {
			t.Fatalf("%d records, %v", len(records), err)
		}
		if !strings.Contains(string(records[1].Payload), "alice") {
			t.Errorf("the approver is not in %s", records[1].Payload)
		}
	})
}

func TestANoAndASilenceAreNo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeServer{}
		s := startFake(t, strict(t), f)
		refusedCall := begin(s, "no")
		say(t, s, waiting1(t, s).ID, approval.Deny)
		r := <-refusedCall
		want1(t, r, messages.Denied, messages.RanNo)
		if !strings.Contains(r.Error.Message, "alice: because") {
			t.Errorf("%q", r.Error.Message)
		}
		began := time.Now()
		r = call(s, "silence")
		want1(t, r, messages.Denied, messages.RanNo)
		if took := time.Since(began); took != 5*time.Minute {
			t.Errorf("it waited %s", took)
		}
		if requests, _ := f.seen(); len(requests) > 0 {
			t.Errorf("the server saw %v", requests)
		}
	})
}

func TestAnApprovalIsUsedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := startFake(t, strict(t), &fakeServer{})
		first := begin(s, "same")
		p := waiting1(t, s)
		say(t, s, p.ID, approval.Allow)
		want1(t, <-first, messages.OK, messages.RanYes)
		second := begin(s, "same")
		again := waiting1(t, s)
		if again.ID == p.ID {
			t.Error("the second call has the first one's question")
		}
		if _, err := s.Answer(context.Background(), ApprovalAnswer{ID: p.ID, Verdict: approval.Allow}); err == nil {
			t.Error("a question was answered twice")
		}
		say(t, s, again.ID, approval.Deny)
		want1(t, <-second, messages.Denied, messages.RanNo)
	})
}

func TestAQuestionIsTakenBackWithItsCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := startFake(t, strict(t), &fakeServer{})
		ctx, cancel := context.WithCancel(context.Background())
		ended := beginCtx(ctx, s, "hi")
		waiting1(t, s)
		cancel()
		want1(t, <-ended, messages.Cancelled, messages.RanNo)
		synctest.Wait()
		if list, _ := s.Approvals(context.Background()); len(list) != 0 {
			t.Errorf("%d questions are left", len(list))
		}
	})
}

func TestAnAnswerToAnotherQuestionIsNone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ws := strict(t)
		s := startFake(t, ws, &fakeServer{})
		ended := begin(s, "hi")
		p := waiting1(t, s)
		set := &config.Policies{Files: []config.PolicyFile{{Name: "policies/a.cedar", Text: []byte("permit(principal, action, resource);")}}}
		other := *ws
		other.Governance.Policies = set
		mustApply(t, s, &other)
		say(t, s, p.ID, approval.Allow) // of a call under other policies
		next := waiting1(t, s)
		if next.ID == p.ID || next.CallID != p.CallID {
			t.Errorf("%+v after %+v", next, p)
		}
		say(t, s, next.ID, approval.Allow)
		want1(t, <-ended, messages.OK, messages.RanYes)
	})
}

func TestTheHostProgramMayAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := func(_ context.Context, p approval.Pending) (approval.Verdict, string) {
			if strings.Contains(string(p.Arguments), "good") {
				return approval.Allow, "fine"
			}
			return approval.Deny, "no"
		}
		s := startFake(t, strict(t), &fakeServer{}, WithApprover(asked))
		want1(t, call(s, "good"), messages.OK, messages.RanYes)
		want1(t, call(s, "bad"), messages.Denied, messages.RanNo)
	})
}

func TestWhatWaitedWhenASupervisorWasKilledIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ws := strict(t)
		raw, err := json.Marshal([]approval.Pending{{Request: approval.Request{CallID: "c1", Binding: approval.Binding{Server: "s", Tool: "echo"}}, ID: "abc123"}})
		if err != nil {
			t.Fatal(err)
		}
		writeState(t, ws, "approvals.json", raw)
		s := startFake(t, ws, &fakeServer{})
		synctest.Wait()
		records, err := s.Audit(context.Background(), audit.Filter{CallID: "c1"})
		if err != nil || len(records) != 1 || records[0].EventType != audit.ApprovalResolved || !strings.Contains(string(records[0].Payload), "deny") {
			t.Errorf("%+v, %v", records, err)
		}
		if list, _ := s.Approvals(context.Background()); len(list) != 0 {
			t.Errorf("%d questions are left", len(list))
		}
	})
}

func TestApprovalsOfIdenticalCallsAreRememberedForARun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ws := strict(t)
		ws.Governance.ApprovalRemember = true
		withScript(ws, `{calls: [{tool: echo, arguments: {text: same}}]}`, `{calls: [{tool: echo, arguments: {text: same}}]}`, `{text: done}`)
		s := startFake(t, ws, &fakeServer{})
		for range 2 {
			ended := make(chan error, 1)
			go func() {
				_, err := s.Run(context.Background(), RunRequest{}, nil)
				ended <- err
			}()
			say(t, s, waiting1(t, s).ID, approval.Allow) // once in each run
			if err := <-ended; err != nil {
				t.Fatal(err)
			}
		}
	})
}
