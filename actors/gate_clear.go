package actors

import (
	"cmp"
	"fmt"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/mcp-supervisor/supervisor/config"
	"github.com/mcp-supervisor/supervisor/governance"
	"github.com/mcp-supervisor/supervisor/governance/approval"
	"github.com/mcp-supervisor/supervisor/governance/redact"
	"github.com/mcp-supervisor/supervisor/messages"
)

// clear takes an allowed call through what stands between the rules and its server: budgets and rates, and then, where
// one is asked for, a person. Nothing waits meanwhile but this call.
func (g *gate) clear(ctx actor.Context, w *waiting, d governance.Decision, version int) {
	switch {
	case !w.metered && g.env.meters():
		ctx.Request(g.env.budget, reserve{Call: w.call})
	case d.Approve != nil && !w.approved(g.binding(w, d)):
		g.seek(ctx, w, d)
	default:
		g.let(ctx, w, d, version)
	}
}

// let sends a call on to its server, by way of the journal.
func (g *gate) let(ctx actor.Context, w *waiting, d governance.Decision, version int) {
	g.drop(ctx, w)
	decision := d.Message()
	decision.Version, decision.Metered = version, w.metered
	if w.ticket != nil {
		decision.Approval, decision.Approver = w.ticket.ID, w.ticket.By
	}
	g.env.root.RequestWithCustomSender(g.env.journal,
		dispatch{Call: w.call, Decision: decision, Redact: d.Redact, Since: w.since, Written: w.written, To: g.env.instance(w.call.Server)}, w.sender)
}

func (g *gate) onReserved(ctx actor.Context, m reserved) {
	w, ok := g.waiting[m.CallID]
	switch {
	case !ok: // it ended meanwhile; what it took is not given back, since it asked for it
	case m.Reason != "":
		g.refuseFor(ctx, w, m.Rule, m.Reason, m.RetryAfter)
	case w.version != g.env.world.Load().version: // the rules changed meanwhile: a person must not be asked in vain
		w.metered = true
		g.consider(ctx, w)
	default:
		w.metered = true
		g.clear(ctx, w, w.decision, w.version)
	}
}

// binding is what an approval of a call is for.
func (g *gate) binding(w *waiting, d governance.Decision) approval.Binding {
	digest, err := approval.Digest(w.call.Arguments)
	if err != nil {
		digest = "" // asked about by itself, and never remembered
	}
	return approval.Binding{
		Topology: w.call.Topology, Agent: w.call.Agent, Server: w.call.Server, Tool: w.call.Tool,
		Digest: digest, ToolHash: d.ToolHash, PolicyVersion: d.PolicyVersion,
	}
}

// approved reports whether a person said yes to exactly this call.
func (w *waiting) approved(b approval.Binding) bool {
	return w.ticket != nil && w.ticket.Covers(w.call.ID, b)
}

// seek has a person asked.
func (g *gate) seek(ctx actor.Context, w *waiting, d governance.Decision) {
	gov := g.env.ws().Governance
	w.sought = true
	ctx.Request(g.env.approvals, seek{Request: approval.Request{
		Binding: g.binding(w, d), CallID: w.call.ID, Run: w.call.Run,
		Arguments: g.env.keeper.MaskJSON(redact.Apply(w.call.Arguments, d.Redact)),
		Reason:    d.Approve.Reason, Rule: d.Approve.Rule,
		Timeout: cmp.Or(gov.ApprovalTimeout, config.DefaultApprovalTimeout), Remember: gov.ApprovalRemember && w.call.Run != "",
	}})
}

// onSought goes on with a call that was asked about. It is decided anew: the tool, or the rules, may have changed while
// the person thought, and then the answer was to another question.
func (g *gate) onSought(ctx actor.Context, m sought) {
	w, ok := g.waiting[m.CallID]
	if !ok || !w.sought {
		return
	}
	w.sought = false
	if m.Ticket == nil {
		g.refuseFor(ctx, w, "approval", m.Reason, 0)
		return
	}
	w.ticket = m.Ticket
	g.consider(ctx, w)
}

// refuseFor refuses an allowed call for a reason that is not a rule's.
func (g *gate) refuseFor(ctx actor.Context, w *waiting, rule, reason string, retry messages.Millis) {
	d := w.decision.Message()
	d.Allowed, d.Outcome, d.Rule, d.Reason = false, messages.Denied, rule, reason
	r := refused(w.call, messages.Denied, fmt.Sprintf("DENIED: %s", reason))
	r.Error.RetryAfter = retry
	g.answer(ctx, w, d, r)
}
