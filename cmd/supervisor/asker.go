package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/mcp-supervisor/supervisor/actors"
	"github.com/mcp-supervisor/supervisor/governance/approval"
	"github.com/mcp-supervisor/supervisor/internal/safe"
)

const (
	// lookEvery is how often an asker looks for questions: soon enough for a person, and cheap for an owner.
	lookEvery = 300 * time.Millisecond
	// hasty is how long a question must have been there before an answer to it counts: what was typed sooner was meant for
	// the question before.
	hasty = 500 * time.Millisecond
	// longArguments is how many characters of a call's arguments a question shows.
	longArguments = 2000
)

// asker tells the person at this command about its calls that wait for an approval, and at a terminal it asks, one
// question at a time. What is answered elsewhere, or runs out, disappears with a line. The command goes on meanwhile.
type asker struct {
	gate actors.Gatekeeper
	out  io.Writer
	// lines are what is typed; nil when nobody can type here.
	lines func() <-chan string
	by    string
	// workspace is how a hint names the workspace.
	workspace string
	// mine picks the questions of this command's calls.
	mine func(approval.Pending) bool

	asked map[string]bool // by id: told of, and not to be told of again
	now   *approval.Pending
	since time.Time // of the question that stands there
}

// newAsker is an asker of this command.
func (a *app) newAsker(g actors.Gatekeeper, out io.Writer, mine func(approval.Pending) bool) *asker {
	q := &asker{gate: g, out: out, by: loginName(), mine: mine, asked: map[string]bool{}}
	if a.workspace != "" {
		q.workspace = " -w" + a.named("")
	}
	if a.atTerminal() {
		q.lines = linesOf(a.in)
	}
	return q
}

// begin asks in the background until end is called, which waits for it.
func (q *asker) begin(ctx context.Context) (end func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	safe.Go("asker", nil, func() {
		defer close(done)
		q.attend(ctx)
	})
	return func() { cancel(); <-done }
}

func (q *asker) attend(ctx context.Context) {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			q.look(ctx)
		case line, ok := <-q.typed():
			q.hear(ctx, line, ok)
		case <-ctx.Done():
			q.drop("needs no answer any more")
			return
		}
	}
}

// typed says nothing while there is no question.
func (q *asker) typed() <-chan string {
	if q.now == nil || q.lines == nil {
		return nil
	}
	return q.lines()
}

// look compares the question that stands there with those that wait.
func (q *asker) look(ctx context.Context) {
	list, err := q.gate.Approvals(ctx)
	if err != nil {
		return // the call itself will tell
	}
	list = slices.DeleteFunc(list, func(p approval.Pending) bool { return !q.mine(p) })
	if q.now != nil {
		if _, waits := approval.Find(list, q.now.ID); waits {
			return
		}
		q.drop("was answered elsewhere, or its time is over")
	}
	for _, p := range list {
		if q.asked[p.ID] {
			continue
		}
		q.asked[p.ID] = true
		if q.lines != nil {
			q.put(p)
			return
		}
		q.tell(p)
	}
}

// drop takes back the question that stands there.
func (q *asker) drop(why string) {
	if q.now != nil {
		q.say("\napproval %s %s", q.now.ID, why)
		q.now = nil
	}
}

// hear takes a line for the answer to the question that stands there; without more lines, others have to answer.
func (q *asker) hear(ctx context.Context, line string, more bool) {
	p := *q.now
	if !more {
		q.lines, q.now = nil, nil
		q.tell(p)
		return
	}
	verdict := verdictOf(line)
	switch {
	case time.Since(q.since) < hasty:
		q.say("that was typed before the question could be read")
		q.prompt()
	case verdict == "":
		q.prompt()
	default:
		q.now = nil
		if _, err := q.gate.Answer(ctx, actors.ApprovalAnswer{ID: p.ID, Verdict: verdict, By: q.by}); err != nil {
			q.say("approval %s: %s", p.ID, oneLine(err.Error()))
		}
		q.look(ctx)
	}
}

func verdictOf(line string) approval.Verdict {
	switch strings.ToLower(strings.TrimSpace(line)) {
	case "y", "yes":
		return approval.Allow
	case "n", "no":
		return approval.Deny
	}
	return ""
}

// put puts a question.
func (q *asker) put(p approval.Pending) {
	q.now, q.since = &p, time.Now()
	arguments := []rune(printable(pretty(p.Arguments)))
	text := string(arguments)
	if len(arguments) > longArguments {
		text = fmt.Sprintf("%s…\n(cut; show with: supervisor approvals show %s%s)", string(arguments[:longArguments]), p.ID, q.workspace)
	}
	q.say("approval %s: %s\n%s\n%s", p.ID, oneLine(asks(p)), oneLine(p.Reason), text)
	q.prompt()
}

func (q *asker) prompt() { _, _ = fmt.Fprint(q.out, "allow it? [y]es once / [n]o: ") }

// tell tells of a question that has to be answered elsewhere.
func (q *asker) tell(p approval.Pending) {
	q.say("waiting for approval %s: `supervisor approvals allow %s%s` (%s: %s)", p.ID, p.ID, q.workspace, oneLine(asks(p)), oneLine(p.Reason))
}

func (q *asker) say(format string, args ...any) { _, _ = fmt.Fprintf(q.out, format+"\n", args...) }
