package actors

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/mcp-supervisor/supervisor/governance"
	"github.com/mcp-supervisor/supervisor/governance/approval"
	"github.com/mcp-supervisor/supervisor/internal/safe"
	"github.com/mcp-supervisor/supervisor/messages"
)

// Messages of the gate.
type (
	// catalogueKnown tells what a server offers now.
	catalogueKnown struct {
		Server string
		offer
	}
	// startFailed tells that a server whose tools are not known did not come up.
	startFailed struct {
		Server string
		Error  messages.CallError
	}
	// waitOver ends the wait of a call in the gate.
	waitOver struct{ ID string }
	// decided is a provider's word on the call that its agent asked first.
	decided struct {
		Agent    string
		ID       string
		Decision governance.Decision
		Version  int
	}
	// reconsider is a call whose tool changed after it was decided on. The sender is its caller.
	reconsider struct {
		Call    messages.Call
		Since   time.Time
		Metered bool
		offer
	}
	// refuseAll turns every call away from now on; the sender gets a gateClosed.
	refuseAll struct{}
)

// gate decides on each call of the agents of its shard and sends it on. It never waits: a call whose server's tools are
// not known yet is parked, and a provider that may block is asked in a goroutine.
type gate struct {
	env      *env
	offers   map[string]offer      // by server
	ruled    map[string]int        // by server: the version of the world whose rules its offer is known to be under
	waiting  map[string]*waiting   // every call that has no decision yet, by call id
	asking   map[string][]*waiting // by agent: the first is being decided, the rest come after it
	refusing bool
	life     context.Context // of what the provider is asked
	end      context.CancelFunc
	taken    int // calls so far; numbers them
}

// waiting is a call that the gate owes an answer.
type waiting struct {
	call   messages.Call
	sender *actor.PID
	since  time.Time
	number int // in the order the calls came
	// written is true when the call's intent is in the audit already.
	written bool
	timer   *time.Timer
	parked  bool // until the server's tools are known
	// decision is what was decided before the call was parked, and by the rules of which reload.
	decision governance.Decision
	version  int
	counts   governance.Counts // the calls of its run before it
	metered  bool              // it was counted against its budgets and rates
	sought   bool              // a person is asked about it
	ticket   *approval.Outcome // the person's yes
}

func newGate(e *env) *gate {
	life, end := context.WithCancel(context.Background())
	return &gate{
		env: e, life: life, end: end, offers: map[string]offer{}, ruled: map[string]int{},
		waiting: map[string]*waiting{}, asking: map[string][]*waiting{},
	}
}

func (g *gate) Receive(ctx actor.Context) {
	switch m := ctx.Message().(type) {
	case *actor.Started:
		g.env.root.RequestWithCustomSender(g.env.servers, sendCatalogues{}, ctx.Self())
	case messages.CallTool:
		g.onCall(ctx, &waiting{call: m.Call, sender: ctx.Sender(), since: time.Now()})
	case reconsider:
		g.learn(m.Call.Server, m.offer)
		g.onCall(ctx, &waiting{call: m.Call, sender: ctx.Sender(), since: m.Since, written: true, metered: m.Metered})
	case messages.CancelCall:
		g.onCancel(ctx, m)
	case decided:
		g.onDecided(ctx, m)
	case reserved:
		g.onReserved(ctx, m)
	case sought:
		g.onSought(ctx, m)
	case catalogueKnown:
		g.onCatalogue(ctx, m)
	case startFailed:
		g.onStartFailed(ctx, m)
	case waitOver:
		g.onWaitOver(ctx, m)
	case refreeze:
		g.onRefreeze(ctx, m)
	case refuseAll:
		g.onRefuseAll(ctx)
	default:
		g.env.unexpected("gate", m)
	}
}

func (g *gate) onCall(ctx actor.Context, w *waiting) {
	g.taken++
	w.number = g.taken
	if w.written {
		w.counts = g.env.tally.again(w.call)
	} else {
		w.counts = g.env.tally.enter(w.call)
	}
	switch {
	case w.call.ID == "" || g.waiting[w.call.ID] != nil:
		w.call.ID = newID() // so that the refusal has records of its own
		g.turnAway(ctx, w, messages.Invalid, "a call needs an id that no other call has")
	case g.refusing:
		g.turnAway(ctx, w, messages.Stopped, shuttingDown)
	case !w.call.Deadline.IsZero() && !time.Now().Before(w.call.Deadline):
		g.turnAway(ctx, w, messages.Timeout, "the deadline had passed before the call was made; it was not sent")
	default:
		g.hold(ctx, w)
		g.consider(ctx, w)
	}
}

const shuttingDown = "the supervisor is shutting down"

// hold keeps a call until it is decided, at most until its deadline.
func (g *gate) hold(ctx actor.Context, w *waiting) {
	g.waiting[w.call.ID] = w
	if !w.call.Deadline.IsZero() {
		w.timer = g.env.after(time.Until(w.call.Deadline), ctx.Self(), waitOver{ID: w.call.ID})
	}
}

// drop lets go of a call, wherever it waits.
func (g *gate) drop(ctx actor.Context, w *waiting) {
	delete(g.waiting, w.call.ID)
	if w.sought {
		ctx.Send(g.env.approvals, withdraw{CallID: w.call.ID})
		w.sought = false
	}
	w.parked = false
	if w.timer != nil {
		w.timer.Stop()
	}
	g.leaveQueue(ctx, w)
}

// consider has a call decided: at once by the built-in provider, which is pure, and else in turn.
func (g *gate) consider(ctx actor.Context, w *waiting) {
	if in := g.env.world.Load(); in.pure() {
		g.settle(ctx, w, governance.Evaluate(context.Background(), in.provider, g.action(w), 0), in.version)
		return
	}
	g.queue(ctx, w)
}

func (g *gate) action(w *waiting) governance.Action {
	c, counts := w.call, w.counts
	counts.Denied = g.env.tally.denials(c)
	return governance.Action{
		Topology: c.Topology, Agent: c.Agent, Run: c.Run, Server: c.Server, Tool: c.Tool,
		Arguments: c.Arguments, Catalogue: g.catalogue(c.Server), Counts: counts, Now: time.Now(),
	}
}

// settle carries a decision out. Whatever a provider says, a call goes only to a tool that a declared server exposes.
func (g *gate) settle(ctx actor.Context, w *waiting, d governance.Decision, version int) {
	catalogue, c := g.catalogue(w.call.Server), w.call
	w.decision, w.version = d, version
	g.explain(d, c)
	switch {
	case d.NeedsCatalogue && catalogue != nil: // it came while the provider thought
		g.consider(ctx, w)
	case frozenCall(g.env.world.Load().frozen, c) && (d.Allowed || d.NeedsCatalogue):
		g.refuseWith(ctx, w, frozenDecision(d.Message(), frozenText(g.env.world.Load().frozen, c)))
	case !d.Allowed && !d.NeedsCatalogue:
		g.refuseWith(ctx, w, d.Message())
	case !g.env.runs(c.Server):
		g.refuseWith(ctx, w, unknown(d.Message(), g.notRun(c.Server)))
	case catalogue == nil:
		g.park(ctx, w)
	case !exposes(catalogue, c.Tool):
		g.refuseWith(ctx, w, unknown(d.Message(), noTool(c)))
	case d.Allowed:
		g.clear(ctx, w, d, version)
	}
}

// explain logs what went wrong in a decision: the caller must not read it, and the audit has only the rule.
func (g *gate) explain(d governance.Decision, c messages.Call) {
	if d.Diagnostic != "" {
		g.env.log.Warn("a decision could not be made as it should", slog.String("call", c.ID), slog.String("agent", c.Agent),
			slog.String("rule", d.Rule), slog.String("error", g.env.keeper.Mask(d.Diagnostic)))
	}
}

// catalogue is what a server offers under the rules in force, or nil while nobody knows. After a reload the word of the
// new rules is here before the server's.
func (g *gate) catalogue(server string) *governance.Catalogue {
	known, ok := g.offers[server]
	if !ok {
		return nil
	}
	in := g.env.world.Load()
	if version, checked := g.ruled[server]; !checked || version != in.version {
		known = known.under(rulesIn(in.ws, server))
		g.offers[server], g.ruled[server] = known, in.version
	}
	return known.Catalogue
}

// learn takes in what a server offers. Under which rules it was made is looked at when it is needed.
func (g *gate) learn(server string, o offer) {
	g.offers[server] = o
	delete(g.ruled, server)
}

func noTool(c messages.Call) string {
	return fmt.Sprintf("MCP server %q has no tool %q", c.Server, c.Tool)
}

// notRun says why there is nobody to send a call to.
func (g *gate) notRun(server string) string {
	if _, declared := g.env.ws().Server(server); declared {
		return fmt.Sprintf("MCP server %q is disabled in this workspace", server)
	}
	return fmt.Sprintf("there is no MCP server %q", server)
}

func exposes(c *governance.Catalogue, tool string) bool {
	_, ok := c.Find(tool)
	return ok
}

// frozenDecision is the kill switch's word, which stands over any provider's.
func frozenDecision(d messages.Decision, text string) messages.Decision {
	d.Allowed, d.Outcome, d.Rule, d.Reason = false, messages.Denied, "freeze", strings.TrimPrefix(text, "DENIED: ")
	return d
}

func unknown(d messages.Decision, reason string) messages.Decision {
	d.Allowed, d.Outcome, d.Rule, d.Reason = false, messages.Invalid, "unknown", reason
	return d
}

func (g *gate) onCancel(ctx actor.Context, m messages.CancelCall) {
	if w, ok := g.waiting[m.ID]; ok {
		g.turnAway(ctx, w, messages.Cancelled, m.Reason)
		return
	}
	ctx.Send(g.env.journal, forwarded{Cancel: m, To: g.env.instance(m.Server)})
}

func (g *gate) onRefuseAll(ctx actor.Context) {
	g.refusing = true
	g.end()
	for _, w := range g.waiting {
		g.turnAway(ctx, w, messages.Stopped, shuttingDown)
	}
	ctx.Request(ctx.Sender(), gateClosed{})
}

// refuseWith answers a call that the gate said no to.
func (g *gate) refuseWith(ctx actor.Context, w *waiting, d messages.Decision) {
	reason := d.Reason
	if d.Outcome == messages.Denied {
		reason = "DENIED: " + reason
	}
	g.answer(ctx, w, d, refused(w.call, d.Outcome, reason))
}

// turnAway answers a call that was not decided on, or not carried out, for a reason of ours.
func (g *gate) turnAway(ctx actor.Context, w *waiting, o messages.Outcome, reason string) {
	g.answer(ctx, w, messages.Decision{Outcome: o, Rule: "none", Reason: reason}, refused(w.call, o, reason))
}

func (g *gate) answer(ctx actor.Context, w *waiting, d messages.Decision, r messages.CallResult) {
	g.drop(ctx, w)
	if r.Outcome == messages.Denied {
		g.env.tally.deny(w.call)
	}
	r.Duration = sinceMillis(w.since)
	g.env.root.RequestWithCustomSender(g.env.journal, refusal{Call: w.call, Decision: d, Redact: w.decision.Redact, Written: w.written, Result: r}, w.sender)
}

func (g *gate) letGo(ctx actor.Context, c *safe.Crash) {
	g.refusing, g.asking = true, map[string][]*waiting{}
	g.end()
	for _, w := range g.waiting {
		g.answer(ctx, w, undecided, g.env.unsent(w.call, c))
	}
}

func (g *gate) refuse(ctx actor.Context, c *safe.Crash) {
	switch m := ctx.Message().(type) {
	case messages.CallTool:
		if g.waiting[m.Call.ID] == nil { // else letGo answers it
			w := &waiting{call: m.Call, sender: ctx.Sender(), since: time.Now()}
			g.answer(ctx, w, undecided, g.env.unsent(m.Call, c))
		}
	case reconsider:
		w := &waiting{call: m.Call, sender: ctx.Sender(), since: m.Since, written: true}
		g.answer(ctx, w, undecided, g.env.unsent(m.Call, c))
	case messages.CancelCall:
		ctx.Send(g.env.journal, forwarded{Cancel: m, To: g.env.instance(m.Server)})
	case refuseAll:
		ctx.Request(ctx.Sender(), gateClosed{})
	}
}

// undecided stands in for the decision on a call that never got one.
var undecided = messages.Decision{Rule: "none"}
