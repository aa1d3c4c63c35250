package main

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-supervisor/supervisor/actors"
	"github.com/mcp-supervisor/supervisor/governance/approval"
	"github.com/mcp-supervisor/supervisor/messages"
)

// desk is a gatekeeper whose book a test writes itself.
type desk struct {
	actors.Gatekeeper
	mu      sync.Mutex
	waiting []approval.Pending
	answers []actors.ApprovalAnswer
	refused error
}

func (d *desk) Approvals(context.Context) ([]approval.Pending, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.waiting), nil
}

func (d *desk) Answer(_ context.Context, a actors.ApprovalAnswer) (approval.Outcome, error) {
	d.take(a.ID)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.answers = append(d.answers, a)
	return approval.Outcome{}, d.refused
}

func (d *desk) put(id, arguments string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.waiting = append(d.waiting, approval.Pending{ID: id, Request: approval.Request{
		Binding: approval.Binding{Agent: "boss", Server: "db", Tool: "drop"}, Arguments: []byte(arguments), Reason: "it drops",
	}})
}

func (d *desk) take(id string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.waiting = slices.DeleteFunc(d.waiting, func(p approval.Pending) bool { return p.ID == id })
}

// seat is a person at a terminal that a test types at.
type seat struct {
	t      *testing.T
	desk   *desk
	out    strings.Builder
	lines  chan string
	leave  func()
	looked int // how much of out was looked at
}

// sit seats a person. It runs in a bubble, so that time and the asker stand still while the test looks.
func sit(t *testing.T, terminal bool) *seat {
	t.Helper()
	s := &seat{t: t, desk: &desk{}, lines: make(chan string)}
	q := &asker{gate: s.desk, out: &s.out, by: "alice", workspace: " -w ws", mine: func(approval.Pending) bool { return true }, asked: map[string]bool{}}
	if terminal {
		q.lines = func() <-chan string { return s.lines }
	}
	s.leave = q.begin(t.Context())
	return s
}

// wait lets time pass, and what follows from it.
func (s *seat) wait(d time.Duration) {
	time.Sleep(d) // the bubble's time
	synctest.Wait()
}

func (s *seat) types(line string) {
	s.lines <- line
	synctest.Wait()
}

// sees checks what was shown since the last look.
func (s *seat) sees(want string) {
	s.t.Helper()
	got := s.out.String()[s.looked:]
	s.looked = s.out.Len()
	if diff := cmp.Diff(want, got); diff != "" {
		s.t.Errorf("shown (-want +got):\n%s", diff)
	}
}

func (s *seat) answered(want ...actors.ApprovalAnswer) {
	s.t.Helper()
	if diff := cmp.Diff(want, s.desk.answers); diff != "" {
		s.t.Errorf("answers (-want +got):\n%s", diff)
	}
}

const prompt = "allow it? [y]es once / [n]o: "

func question(id, arguments string) string {
	return "approval " + id + ": boss → db/drop\nit drops\n" + arguments + "\n" + prompt
}

func TestAPersonIsAskedOneQuestionAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := sit(t, true)
		s.desk.put("a", `{"n":12345678901234567890}`)
		s.desk.put("b", "")
		s.wait(time.Second)
		s.sees(question("a", "{\n  \"n\": 12345678901234567890\n}"))
		s.types("what?")
		s.sees(prompt)
		s.types("Yes")
		s.sees(question("b", "{}"))
		s.wait(time.Second)
		s.types(" n ")
		s.wait(time.Second)
		s.sees("")
		s.leave()
		s.answered(actors.ApprovalAnswer{ID: "a", Verdict: approval.Allow, By: "alice"}, actors.ApprovalAnswer{ID: "b", Verdict: approval.Deny, By: "alice"})
	})
}

// Somebody is about to say yes to a question when it goes and another stands in its place.
func TestAHastyAnswerIsNotTakenForAnotherQuestion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := sit(t, true)
		s.desk.put("a", "{}")
		s.desk.put("b", "{}")
		s.wait(time.Second)
		s.sees(question("a", "{}"))
		s.desk.take("a")
		s.wait(lookEvery)
		s.sees("\napproval a was answered elsewhere, or its time is over\n" + question("b", "{}"))
		s.types("y")
		s.sees("that was typed before the question could be read\n" + prompt)
		s.answered()
		s.wait(hasty)
		s.types("y")
		s.leave()
		s.answered(actors.ApprovalAnswer{ID: "b", Verdict: approval.Allow, By: "alice"})
	})
}

func TestAnAnswerThatComesTooLateIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := sit(t, true)
		s.desk.refused = errors.New("its time is over") // before put, whose lock orders it
		s.desk.put("a", "{}")
		s.wait(time.Second)
		s.types("y")
		s.sees(question("a", "{}") + "approval a: its time is over\n")
		s.leave()
	})
}

func TestAQuestionEndsWithItsCommand(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := sit(t, true)
		s.desk.put("a", "{}")
		s.wait(time.Second)
		s.leave()
		s.sees(question("a", "{}") + "\napproval a needs no answer any more\n")
		s.answered()
	})
}

func TestWhereNobodyCanTypeEachQuestionIsALine(t *testing.T) {
	line := func(id string) string {
		return "waiting for approval " + id + ": `supervisor approvals allow " + id + " -w ws` (boss → db/drop: it drops)\n"
	}
	synctest.Test(t, func(t *testing.T) {
		s := sit(t, false)
		s.desk.put("a", "{}")
		s.desk.put("b", "{}")
		s.wait(time.Second)
		s.sees(line("a") + line("b"))
		s.leave()
	})
	synctest.Test(t, func(t *testing.T) { // the terminal is closed under a question
		s := sit(t, true)
		s.desk.put("a", "{}")
		s.desk.put("b", "{}")
		s.wait(time.Second)
		s.sees(question("a", "{}"))
		close(s.lines)
		s.wait(time.Second)
		s.sees(line("a") + line("b"))
		s.leave()
	})
}

func TestLongAndTrickyArgumentsAreShownSafely(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := sit(t, true)
		s.desk.put("a", `{"text":"`+"\u202e\u0085"+strings.Repeat("x", 3000)+`"}`)
		s.wait(time.Second)
		s.leave()
		got := s.out.String()
		if !strings.Contains(got, `"\u202e\u0085xxx`) || !strings.Contains(got, "…\n(cut; show with: supervisor approvals show a -w ws)\n") || len(got) > 2500 {
			t.Errorf("shown: %s", got)
		}
	})
}

func TestACallsQuestionIsToldFromOthers(t *testing.T) {
	began := time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
	digest, err := approval.Digest([]byte(`{"a":1}`))
	if err != nil {
		t.Fatal(err)
	}
	ours := approval.Pending{Asked: began, Request: approval.Request{Binding: approval.Binding{Topology: "t", Agent: "boss", Server: "db", Tool: "drop", Digest: digest}}}
	mine := ofCall(actors.CallRequest{Agent: "t/boss", Server: "db", Tool: "drop", Arguments: []byte(`{ "a": 1 }`)}, began)
	if !mine(ours) {
		t.Error("it does not know its own question")
	}
	for name, other := range map[string]func(*approval.Pending){
		"of a run":                   func(p *approval.Pending) { p.Run = "r" },
		"of another agent":           func(p *approval.Pending) { p.Agent = "clerk" },
		"of a namesake":              func(p *approval.Pending) { p.Topology = "u" },
		"to another server":          func(p *approval.Pending) { p.Server = "files" },
		"of another tool":            func(p *approval.Pending) { p.Tool = "read" },
		"with other arguments":       func(p *approval.Pending) { p.Digest = "x" },
		"asked before ours was made": func(p *approval.Pending) { p.Asked = began.Add(-time.Second) },
	} {
		p := ours
		other(&p)
		if mine(p) {
			t.Errorf("a question %s is taken for its own", name)
		}
	}
	operator := approval.Pending{Asked: began, Request: approval.Request{Binding: approval.Binding{Agent: "operator", Server: "db", Tool: "drop", Digest: digest}}}
	if !ofCall(actors.CallRequest{Server: "db", Tool: "drop", Arguments: []byte(`{"a":1}`)}, began)(operator) {
		t.Error("the operator does not know their own question")
	}
}

func TestARunAsksFromItsFirstQuestionOn(t *testing.T) {
	var begun []string
	ended := 0
	r := runAsker{begin: func(run string) func() { begun = append(begun, run); return func() { ended++ } }}
	r.close() // of a run without a question
	told := []bool{}
	for _, kind := range []messages.EventKind{messages.CallStarted, messages.ApprovalRequested, messages.ApprovalRequested, messages.ApprovalResolved} {
		told = append(told, r.show(messages.Event{Kind: kind, Run: "r1"}))
	}
	r.close()
	if diff := cmp.Diff([]bool{false, true, true, true}, told); diff != "" || len(begun) != 1 || begun[0] != "r1" || ended != 1 {
		t.Errorf("begun %v, ended %d times, told (-want +got):\n%s", begun, ended, diff)
	}
}
