package actors

import (
	"math/rand/v2"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/mcp-supervisor/supervisor/config"
	"github.com/mcp-supervisor/supervisor/governance"
	"github.com/mcp-supervisor/supervisor/governance/audit"
	"github.com/mcp-supervisor/supervisor/internal/safe"
	mcpspec "github.com/mcp-supervisor/supervisor/mcp/spec"
	"github.com/mcp-supervisor/supervisor/messages"
	"github.com/mcp-supervisor/supervisor/supervision"
)

// instance is one copy of a server: it stays up while its process is down, so that every caller gets an answer. It owes
// each call in held exactly one result. Its sessions are replaced, never restarted.
type instance struct {
	env      *env
	declared config.Server
	random   *rand.Rand

	// The life of the server. Only transition writes state.
	state       messages.ServerState
	since       time.Time
	history     supervision.History
	incarnation int
	session     *actor.PID
	process     int // pid of the process group's leader, 0 for remote servers
	catalogue   *governance.Catalogue
	lastExit    *mcpspec.Exit
	retryAt     time.Time     // when the next start comes, in backoff and failed
	startTook   time.Duration // the last start that went well: what a restart is expected to take
	restarts    int
	stale       int
	warnings    []string
	wanting     []*actor.PID // who waits to know the tools

	// The calls.
	held     map[string]*heldCall
	queue    []*heldCall
	inFlight int
	taken    int // calls so far; numbers them

	health  health
	stopper *actor.PID // who waits for the stop
}

func newInstance(e *env, declared config.Server, known *governance.Catalogue) *instance {
	return &instance{
		env: e, declared: declared, random: rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64())),
		state: messages.StateStopped, since: time.Now(), catalogue: known, held: map[string]*heldCall{},
	}
}

// Messages of an instance.
type (
	// execute is a call that the gate allowed and the journal wrote down. The sender gets the result.
	execute struct {
		Call     messages.Call
		Decision messages.Decision
		Since    time.Time
	}
	// callDue ends a wait or a run of a call; seq tells which.
	callDue struct {
		ID  string
		Seq int
	}
	// want asks for the tools; the sender gets catalogueKnown or startFailed.
	want struct{}
	// startOver starts the next incarnation, if n is still the last one.
	startOver struct{ N int }
	// stopInstance stops the server; the sender gets instanceStopped.
	stopInstance struct{ Drain time.Time }
	// drainOver ends the draining.
	drainOver struct{}
	// warned is a warning of the session.
	warned struct{ Text string }
)

func (i *instance) Receive(ctx actor.Context) {
	switch m := ctx.Message().(type) {
	case execute:
		i.onExecute(ctx, m)
	case replied:
		i.onReplied(ctx, m)
	case messages.CancelCall:
		i.onCancel(ctx, m)
	case callDue:
		i.onDue(ctx, m)
	case want:
		i.onWant(ctx)
	case sessionUp:
		i.onUp(ctx, m)
	case sessionEnded:
		i.onEnded(ctx, m)
	case toolsChanged:
		i.onToolsChanged(ctx, m)
	case startOver:
		i.onStartOver(ctx, m)
	case probe:
		i.onProbe(ctx)
	case pinged:
		i.onPinged(ctx, m)
	case warned:
		i.onWarned(m.Text)
	case statusQuery:
		ctx.Respond(i.status())
	case stopInstance:
		i.onStop(ctx, m)
	case drainOver:
		i.onDrainOver(ctx)
	}
}

// transition is the only writer of state.
func (i *instance) transition(to messages.ServerState) {
	i.state, i.since = to, time.Now()
}

func (i *instance) status() messages.ServerStatus {
	s := messages.ServerStatus{
		ID: i.declared.ID, State: i.state, PID: i.process, Incarnation: i.incarnation, Since: i.since,
		InFlight: i.inFlight, Queued: len(i.queue), Restarts: i.restarts, Window: len(i.history.Restarts),
		Budget: i.declared.Restart.MaxRestarts, Warnings: i.warnings, Stale: i.stale,
		RetryAfter: messages.Millis(i.retryIn()),
	}
	if i.catalogue != nil {
		s.Tools = len(i.catalogue.Tools())
	}
	if i.lastExit != nil {
		s.LastExit = i.lastExit.String()
	}
	return s
}

// maxWarnings bounds what status keeps; each kind is told once anyway.
const maxWarnings = 16

func (i *instance) onWarned(text string) {
	if len(i.warnings) < maxWarnings {
		i.warnings = append(i.warnings[:len(i.warnings):len(i.warnings)], text)
	}
	i.publish(messages.Event{Kind: messages.ServerWarning, Detail: text})
}

// publish tells subscribers, and the audit too where the life of the server turns.
func (i *instance) publish(e messages.Event) {
	e.Server, e.Incarnation = i.declared.ID, i.incarnation
	i.env.hub.publish(e)
	switch e.Kind {
	case messages.ServerUp, messages.ServerExited, messages.ServerFailed:
		i.env.record(audit.FromEvent(e))
	default:
	}
}

func (i *instance) crashed(_ actor.Context, c *safe.Crash) {
	for _, h := range i.held {
		i.finish(h, internalResult(h.call, c))
	}
	for _, pid := range i.wanting {
		i.env.send(pid, startFailed{Server: i.declared.ID, Error: *internalResult(messages.Call{}, c).Error})
	}
}

func (i *instance) refuse(ctx actor.Context, c *safe.Crash) {
	switch m := ctx.Message().(type) {
	case execute:
		i.finish(&heldCall{call: m.Call, decision: m.Decision, since: m.Since, caller: ctx.Sender()}, internalResult(m.Call, c))
	case want:
		ctx.Respond(startFailed{Server: i.declared.ID, Error: *internalResult(messages.Call{}, c).Error})
	case statusQuery:
		ctx.Respond(i.status())
	case stopInstance:
		ctx.Respond(instanceStopped{Server: i.declared.ID})
	}
}
