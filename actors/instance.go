package actors

import (
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

	// The life of the server. Only transition writes state.
	state       messages.ServerState
	since       time.Time
	history     supervision.Record
	incarnation int
	session     *actor.PID
	process     int // pid of the process group's leader, 0 for remote servers
	guarantee   string
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
	again   *time.Timer // of the next start
	stopper *actor.PID  // who waits for the stop
}

func newInstance(e *env, declared config.Server, known *governance.Catalogue) *instance {
	return &instance{
		env: e, declared: declared,
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
	// burial ends the calls that died with session N.
	burial struct{ N int }
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
	case burial:
		i.bury(ctx, m)
	case toolsChanged:
		i.onToolsChanged(ctx, m)
	case startOver:
		i.onStartOver(ctx, m)
	case probe:
		i.onProbe(ctx, m)
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
	default:
		i.env.unexpected("instance", m)
	}
}

// transition is the only writer of state.
func (i *instance) transition(to messages.ServerState) {
	i.state, i.since = to, time.Now()
}

func (i *instance) status() messages.ServerStatus {
	s := messages.ServerStatus{
		ID: i.declared.ID, State: i.state, PID: i.process, Guarantee: i.guarantee, Incarnation: i.incarnation, Since: i.since,
		InFlight: i.inFlight, Queued: len(i.queue), Restarts: i.restarts, Window: i.history.Used(i.declared.Restart, time.Now()),
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
	text = i.env.keeper.Mask(text)
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

// letGo answers all that is held and stops all that would come back.
func (i *instance) letGo(_ actor.Context, c *safe.Crash) {
	for _, h := range i.held {
		r := i.env.unsent(h.call, c)
		if h.sent {
			r.Ran = messages.RanMaybe
		}
		i.finish(h, r)
	}
	failure := i.env.unsent(messages.Call{}, c).Error
	for _, pid := range i.wanting {
		i.env.send(pid, startFailed{Server: i.declared.ID, Error: *failure})
	}
	i.wanting, i.queue = nil, nil
	i.health.reset()
	if i.again != nil {
		i.again.Stop()
	}
}

func (i *instance) refuse(ctx actor.Context, c *safe.Crash) {
	switch m := ctx.Message().(type) {
	case execute:
		if i.held[m.Call.ID] == nil { // else letGo answers it
			r := i.env.unsent(m.Call, c)
			r.Duration = sinceMillis(m.Since)
			i.env.conclude(ended{Call: m.Call, Decision: m.Decision, Result: r}, ctx.Sender())
		}
	case want:
		i.env.send(ctx.Sender(), startFailed{Server: i.declared.ID, Error: *i.env.unsent(messages.Call{}, c).Error})
	case statusQuery:
		ctx.Respond(i.status())
	case stopInstance:
		ctx.Respond(instanceStopped{Server: i.declared.ID})
	}
}
