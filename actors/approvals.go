package actors

import (
	"context"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/mcp-supervisor/supervisor/governance/approval"
	"github.com/mcp-supervisor/supervisor/governance/audit"
	"github.com/mcp-supervisor/supervisor/internal/safe"
	"github.com/mcp-supervisor/supervisor/messages"
)

// Messages of the approvals actor.
type (
	// seek asks a person about a call; the sender, a gate, gets one sought, unless it withdraws the call first.
	seek struct{ Request approval.Request }
	// sought is the end of a question. Without a ticket it is a no, for the reason given.
	sought struct {
		CallID string
		Ticket *approval.Outcome
		Reason string
	}
	// withdraw takes back the question about a call that ended otherwise.
	withdraw struct{ CallID string }
	// answerAsked is a person's answer; the sender gets answerTaken.
	answerAsked struct {
		ID          string
		Verdict     approval.Verdict
		By, Comment string
	}
	answerTaken struct {
		Outcome approval.Outcome
		Error   string
	}
	// listAsked is answered with the questions that wait, a []approval.Pending.
	listAsked struct{}
	// runOver forgets what was remembered for a run.
	runOver struct{ Run string }
	// askedDue looks for questions whose time is over.
	askedDue struct{}
)

// approvals holds the calls that wait for a person. Nothing waits in it but the calls themselves.
type approvals struct {
	env   *env
	book  approval.Book
	gates map[string]*actor.PID // by call id
	due   *time.Timer
}

func newApprovals(e *env) *approvals { return &approvals{env: e, gates: map[string]*actor.PID{}} }

func (a *approvals) Receive(ctx actor.Context) {
	switch m := ctx.Message().(type) {
	case *actor.Started:
		a.onStarted()
	case seek:
		a.onSeek(ctx, m)
	case withdraw:
		a.onWithdraw(ctx, m)
	case answerAsked:
		a.onAnswer(ctx, m)
	case listAsked:
		ctx.Respond(a.book.List())
	case runOver:
		a.book.Forget(m.Run)
	case askedDue:
		a.onDue(ctx)
	default:
		a.env.unexpected("approvals", m)
	}
}

// onStarted refuses what was still asked when a supervisor was killed: nobody can say any more that the call is the same.
func (a *approvals) onStarted() {
	for _, p := range a.env.asked.take() {
		a.record(audit.ApprovalResolved, p, resolution{Verdict: string(approval.Deny), Comment: "the supervisor ended before it was answered"})
	}
}

func (a *approvals) onSeek(ctx actor.Context, m seek) {
	if ticket, ok := a.book.Recall(m.Request); ok {
		ticket.CallID = m.Request.CallID
		ctx.Respond(sought{CallID: m.Request.CallID, Ticket: &ticket})
		return
	}
	p, err := a.book.Ask(time.Now(), m.Request)
	if err != nil {
		ctx.Respond(sought{CallID: m.Request.CallID, Reason: "it needs an approval, and could not be asked about: " + err.Error()})
		return
	}
	a.gates[p.CallID] = ctx.Sender()
	a.record(audit.ApprovalRequested, p, nil)
	a.env.hub.publish(messages.Event{
		Kind: messages.ApprovalRequested, Server: p.Server, Tool: p.Tool, Agent: p.Agent, Run: p.Run, CallID: p.CallID,
		After: messages.Millis(p.Timeout), Detail: p.ID + ": " + p.Reason,
	})
	a.changed(ctx)
	a.env.askHost(p)
}

func (a *approvals) onWithdraw(ctx actor.Context, m withdraw) {
	delete(a.gates, m.CallID)
	if p, ok := a.book.Withdraw(m.CallID); ok {
		a.resolved(p, resolution{Verdict: string(approval.Deny), Comment: "the call ended before it was answered"})
		a.changed(ctx)
	}
}

func (a *approvals) onAnswer(ctx actor.Context, m answerAsked) {
	o, err := a.book.Answer(time.Now(), m.ID, m.Verdict, m.By, m.Comment)
	if err != nil {
		ctx.Respond(answerTaken{Error: err.Error()})
		return
	}
	a.resolved(o.Pending, resolution{Verdict: string(o.Verdict), By: o.By, Comment: o.Comment})
	a.settle(ctx, o)
	ctx.Respond(answerTaken{Outcome: o})
	a.changed(ctx)
}

// settle tells the gate.
func (a *approvals) settle(ctx actor.Context, o approval.Outcome) {
	reply := sought{CallID: o.CallID, Ticket: &o}
	if !o.Allowed() {
		reply = sought{CallID: o.CallID, Reason: refusedText(o)}
	}
	a.answer(ctx, reply)
}

func refusedText(o approval.Outcome) string {
	text := "an approval was asked for and refused"
	if o.By != "" {
		text += " by " + o.By
	}
	if o.Comment != "" {
		text += ": " + o.Comment
	}
	return text
}

func (a *approvals) answer(ctx actor.Context, m sought) {
	if gate := a.gates[m.CallID]; gate != nil {
		delete(a.gates, m.CallID)
		ctx.Send(gate, m)
	}
}

func (a *approvals) onDue(ctx actor.Context) {
	for _, p := range a.book.Expire(time.Now()) {
		a.resolved(p, resolution{Verdict: string(approval.Deny), Comment: "nobody answered in time"})
		a.answer(ctx, sought{CallID: p.CallID, Reason: "an approval was asked for, and nobody answered within " + p.Timeout.String()})
	}
	a.changed(ctx)
}

// changed keeps the list of questions for the next supervisor, and sets the timer of the one that ends first.
func (a *approvals) changed(ctx actor.Context) {
	if err := a.env.asked.keep(a.book.List()); err != nil {
		a.env.hub.publish(messages.Event{Kind: messages.AuditFailed, Detail: "the list of approvals is not kept: " + err.Error()})
	}
	if a.due != nil {
		a.due.Stop()
	}
	if next := a.book.Next(); !next.IsZero() {
		a.due = a.env.after(time.Until(next), ctx.Self(), askedDue{})
	}
}

// letGo refuses everything: nobody will answer any more.
func (a *approvals) letGo(ctx actor.Context, c *safe.Crash) {
	if a.due != nil {
		a.due.Stop()
	}
	for _, p := range a.book.Refuse() {
		a.resolved(p, resolution{Verdict: string(approval.Deny), Comment: "the supervisor ended before it was answered"})
	}
	for id := range a.gates { // also one whose answer was being taken in when the actor crashed
		a.answer(ctx, sought{CallID: id, Reason: "it needs an approval: " + a.env.unsent(messages.Call{}, c).Error.Message})
	}
	_ = a.env.asked.keep(nil) // what is left there is refused by the next supervisor
}

func (a *approvals) refuse(ctx actor.Context, c *safe.Crash) {
	switch m := ctx.Message().(type) {
	case seek:
		ctx.Respond(sought{CallID: m.Request.CallID, Reason: "it needs an approval: " + a.env.unsent(messages.Call{}, c).Error.Message})
	case answerAsked:
		ctx.Respond(answerTaken{Error: a.env.unsent(messages.Call{}, c).Error.Message})
	case listAsked:
		ctx.Respond([]approval.Pending(nil))
	}
}

// askHost asks the host program, if it wants to be asked, off the mailbox. Its answer is one among others: whoever
// answers first decides.
func (e *env) askHost(p approval.Pending) {
	if e.approver == nil {
		return
	}
	e.open.Add(1)
	safe.Go("approver", e.crashed, func() {
		defer e.open.Done()
		limit, cancel := context.WithDeadline(e.life, p.Expires)
		defer cancel()
		if v, comment := e.approver(limit, p); v != "" && limit.Err() == nil {
			e.send(e.approvals, answerAsked{ID: p.ID, Verdict: v, By: "the host program", Comment: comment})
		}
	})
}
