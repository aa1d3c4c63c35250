package actors

import (
	"context"
	"fmt"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/mcp-supervisor/supervisor/governance"
	"github.com/mcp-supervisor/supervisor/internal/safe"
	"github.com/mcp-supervisor/supervisor/messages"
)

// Messages of the gate.
type (
	// catalogueKnown tells what a server offers now.
	catalogueKnown struct {
		Server    string
		Catalogue *governance.Catalogue
	}
	// startFailed tells that a server whose tools are not known did not come up.
	startFailed struct {
		Server string
		Error  messages.CallError
	}
	// parkOver ends the wait of a parked call.
	parkOver struct{ ID string }
	// decided is a provider's word on the call that its agent asked first.
	decided struct {
		Agent    string
		ID       string
		Decision governance.Decision
	}
	// refuseAll turns every call away from now on: the supervisor is stopping.
	refuseAll struct{}
)

// providerTimeout bounds one decision of a provider of the caller's own. No answer is a no.
const providerTimeout = 5 * time.Second

// gate decides on each call of the agents of its shard and sends it on. It never waits: a call whose server's tools are
// not known yet is parked, and a provider that may block is asked in a goroutine.
type gate struct {
	env        *env
	catalogues map[string]*governance.Catalogue
	parked     map[string]*waiting   // by call id, until the server's tools are known
	asking     map[string][]*waiting // by agent: the first is being decided, the rest come after it
	refusing   bool
	taken      int // calls so far; numbers them
}

// waiting is a call that the gate owes an answer.
type waiting struct {
	call   messages.Call
	sender *actor.PID
	timer  *time.Timer
	since  time.Time
	number int // in the order the calls came
	// decision is what was decided before the call was parked.
	decision governance.Decision
	cancel   string // the reason, once the caller gave up while a provider was being asked
}

func newGate(e *env) *gate {
	return &gate{
		env: e, catalogues: map[string]*governance.Catalogue{},
		parked: map[string]*waiting{}, asking: map[string][]*waiting{},
	}
}

func (g *gate) Receive(ctx actor.Context) {
	switch m := ctx.Message().(type) {
	case *actor.Started:
		g.env.root.RequestWithCustomSender(g.env.servers, sendCatalogues{}, ctx.Self())
	case messages.CallTool:
		g.taken++
		g.onCall(ctx, &waiting{call: m.Call, sender: ctx.Sender(), since: time.Now(), number: g.taken})
	case messages.CancelCall:
		g.onCancel(ctx, m)
	case decided:
		g.onDecided(ctx, m)
	case catalogueKnown:
		g.onCatalogue(ctx, m)
	case startFailed:
		g.onStartFailed(ctx, m)
	case parkOver:
		g.onParkOver(ctx, m)
	case refuseAll:
		g.onRefuseAll(ctx)
	}
}

func (g *gate) onCall(ctx actor.Context, w *waiting) {
	switch {
	case g.refusing:
		g.turnAway(w, messages.Stopped, "the supervisor is shutting down")
	case g.env.builtin:
		g.settle(ctx, w, g.env.provider.EvaluateAction(context.Background(), g.action(w.call)))
	default:
		queue := append(g.asking[w.call.Agent], w)
		g.asking[w.call.Agent] = queue
		if len(queue) == 1 {
			g.evaluate(ctx, w.call)
		}
	}
}

func (g *gate) action(c messages.Call) governance.Action {
	return governance.Action{
		Topology: c.Topology, Agent: c.Agent, Run: c.Run, Server: c.Server, Tool: c.Tool,
		Arguments: c.Arguments, Catalogue: g.catalogues[c.Server], Now: time.Now(),
	}
}

// evaluate asks the provider off the mailbox.
func (g *gate) evaluate(ctx actor.Context, c messages.Call) {
	self, action, e := ctx.Self(), g.action(c), g.env
	safe.Go("provider", e.crashed, func() {
		d := governance.Evaluate(context.Background(), e.provider, action, providerTimeout)
		e.send(self, decided{Agent: c.Agent, ID: c.ID, Decision: d})
	})
}

func (g *gate) onDecided(ctx actor.Context, m decided) {
	queue := g.asking[m.Agent]
	if len(queue) == 0 || queue[0].call.ID != m.ID {
		return
	}
	w, rest := queue[0], queue[1:]
	if len(rest) == 0 {
		delete(g.asking, m.Agent)
	} else {
		g.asking[m.Agent] = rest
		g.evaluate(ctx, rest[0].call)
	}
	switch {
	case w.cancel != "":
		g.turnAway(w, messages.Cancelled, w.cancel)
	case g.refusing:
		g.turnAway(w, messages.Stopped, "the supervisor is shutting down")
	default:
		g.settle(ctx, w, m.Decision)
	}
}

// settle carries a decision out. Whatever a provider says, a call goes only to a tool that a declared server exposes.
func (g *gate) settle(ctx actor.Context, w *waiting, d governance.Decision) {
	catalogue, c := g.catalogues[w.call.Server], w.call
	switch {
	case !d.Allowed && !d.NeedsCatalogue:
		g.refuseWith(w, d.Message())
	case !g.env.runs(c.Server):
		g.refuseWith(w, unknown(d.Message(), fmt.Sprintf("there is no MCP server %q", c.Server)))
	case catalogue == nil:
		w.decision = d
		g.park(ctx, w)
	case !exposes(catalogue, c.Tool):
		g.refuseWith(w, unknown(d.Message(), fmt.Sprintf("MCP server %q has no tool %q", c.Server, c.Tool)))
	default:
		g.env.root.RequestWithCustomSender(g.env.journal,
			dispatch{Call: c, Decision: d.Message(), To: g.env.instance(c.Server)}, w.sender)
	}
}

func exposes(c *governance.Catalogue, tool string) bool {
	_, ok := c.Find(tool)
	return ok
}

func unknown(d messages.Decision, reason string) messages.Decision {
	d.Allowed, d.Outcome, d.Rule, d.Reason = false, messages.Invalid, "unknown", reason
	return d
}

func (g *gate) onCancel(ctx actor.Context, m messages.CancelCall) {
	if w, ok := g.parked[m.ID]; ok {
		g.unpark(w)
		g.turnAway(w, messages.Cancelled, m.Reason)
		return
	}
	for _, w := range g.asking[m.Agent] {
		if w.call.ID == m.ID {
			w.cancel = m.Reason
			return
		}
	}
	ctx.Send(g.env.journal, forwarded{Cancel: m, To: g.env.instance(m.Server)})
}

func (g *gate) onRefuseAll(ctx actor.Context) {
	g.refusing = true
	defer ctx.Respond(gateClosed{})
	for _, w := range g.parked {
		g.unpark(w)
		g.turnAway(w, messages.Stopped, "the supervisor is shutting down")
	}
}

// refuseWith answers a call that the gate said no to.
func (g *gate) refuseWith(w *waiting, d messages.Decision) {
	reason := d.Reason
	if d.Outcome == messages.Denied {
		reason = "DENIED: " + reason
	}
	g.answer(w, d, refused(w.call, d.Outcome, reason))
}

// turnAway answers a call that was not decided on, or not carried out, for a reason of ours.
func (g *gate) turnAway(w *waiting, o messages.Outcome, reason string) {
	g.answer(w, messages.Decision{Outcome: o, Rule: "none", Reason: reason}, refused(w.call, o, reason))
}

func (g *gate) answer(w *waiting, d messages.Decision, r messages.CallResult) {
	r.Duration = sinceMillis(w.since)
	g.env.root.RequestWithCustomSender(g.env.journal, refusal{Call: w.call, Decision: d, Result: r}, w.sender)
}

func (g *gate) crashed(_ actor.Context, c *safe.Crash) {
	held := make([]*waiting, 0, len(g.parked))
	for _, w := range g.parked {
		g.unpark(w)
		held = append(held, w)
	}
	for _, queue := range g.asking {
		held = append(held, queue...)
	}
	for _, w := range held {
		g.answer(w, internalDecision, internalResult(w.call, c))
	}
}

func (g *gate) refuse(ctx actor.Context, c *safe.Crash) {
	switch m := ctx.Message().(type) {
	case messages.CallTool:
		w := &waiting{call: m.Call, sender: ctx.Sender(), since: time.Now()}
		g.answer(w, internalDecision, internalResult(m.Call, c))
	case refuseAll:
		ctx.Respond(gateClosed{})
	}
}

var internalDecision = messages.Decision{Outcome: messages.Internal, Rule: "internal", Reason: "the gate crashed"}
