package actors

import (
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/mcp-supervisor/supervisor/config"
	"github.com/mcp-supervisor/supervisor/governance/audit"
	"github.com/mcp-supervisor/supervisor/internal/safe"
	mcpspec "github.com/mcp-supervisor/supervisor/mcp/spec"
	"github.com/mcp-supervisor/supervisor/messages"
)

// instance is one copy of a server: it stays up while its process is down, so that every caller gets an answer. It owes
// each call in held exactly one result. Its sessions are replaced, never restarted, and when is decided by servers.
type instance struct {
	env      *env
	declared config.Server
	birth    int // numbers the instances of a server

	// The life of the server. Only transition writes state.
	state       messages.ServerState
	since       time.Time
	order       order // what it was told last
	incarnation int
	session     *actor.PID // until nothing of it is left
	dead        death      // how far the end of the session is
	process     int        // pid of the process group's leader, 0 for remote servers
	guarantee   string
	offer       offer
	lastExit    *mcpspec.Exit
	startTook   time.Duration // the last start that went well: what a restart is expected to take
	restarts    int
	stale       int
	warnings    []string
	wanting     []*actor.PID // who waits to know the tools

	// The calls.
	held     map[string]*heldCall
	queue    *queue
	inFlight int
	taken    int    // calls so far; numbers them
	last     string // the id of the last call taken on

	health  health
	rest    idle
	leaving *order     // why the session is being closed although the supervisor goes on
	stopper *actor.PID // who waits for the stop
}

// death is how far the end of a session is. Its calls are answered before what it owned is gone, and the next one is
// opened after.
type death struct {
	asked    bool // we asked for it
	over     bool // it can do no more
	told     bool // servers was told that it ended by itself
	known    bool // what follows was decided, so that its callers can be told
	silent   bool // it has nothing more to say about its calls
	openNext bool // a new one is to be opened
}

func newInstance(e *env, declared config.Server, known offer, birth int) *instance {
	return &instance{
		env: e, declared: declared, birth: birth, state: messages.StateStopped, since: time.Now(),
		offer: known,
		held:  map[string]*heldCall{}, queue: newQueue(),
	}
}

// Messages of an instance.
type (
	// execute is a call that the gate allowed and the journal wrote down. The sender gets the result.
	execute struct {
		Call     messages.Call
		Decision messages.Decision
		Redacted bool // see ended
		Since    time.Time
	}
	// callDue ends a wait or a run of a call; seq tells which.
	callDue struct {
		ID  string
		Seq int
	}
	// want asks for the tools; the sender gets catalogueKnown or startFailed. For their names alone it is enough to know
	// what a lazy server offered last time.
	want struct{ Names bool }
	// wakeUp starts a server that rests.
	wakeUp struct{}
	// stopInstance stops the server; the sender gets instanceStopped.
	stopInstance struct{ Drain time.Time }
	// drainOver ends the draining of session N.
	drainOver struct{ N int }
	// burial ends the calls of session N that nobody will speak for any more.
	burial struct{ N int }
	// warned is a warning of the session.
	warned struct{ Text string }
)

func (i *instance) Receive(ctx actor.Context) {
	switch m := ctx.Message().(type) {
	case *actor.Started:
		i.onStarted()
	case execute:
		i.onExecute(ctx, m)
	case replied:
		i.onReplied(ctx, m)
	case messages.CancelCall:
		i.onCancel(ctx, m)
	case callDue:
		i.onDue(ctx, m)
	case want:
		i.onWant(ctx, m)
	case wakeUp:
		i.wake(ctx)
	case order:
		if m.Birth == i.birth { // else it was for the one before: ours follows, now that we are known
			i.onOrder(ctx, m)
		}
	case outlook:
		i.onOutlook(ctx, m)
	case sessionUp:
		i.onUp(ctx, m)
	case sessionDead:
		i.onDead(ctx, m)
	case sessionEnded:
		i.onEnded(ctx, m)
	case burial:
		i.onBurial(ctx, m)
	case toolsChanged:
		i.onToolsChanged(ctx, m)
	case redeclared:
		i.onRedeclared(ctx, m)
	case refreeze:
		i.onRefreeze(ctx, m)
	case probe:
		i.onProbe(ctx, m)
	case pinged:
		i.onPinged(ctx, m)
	case idleDue:
		i.onIdle(ctx, m)
	case warned:
		i.onWarned(m.Text)
	case statusQuery:
		ctx.Respond(i.status())
	case stopInstance:
		i.onStop(ctx, m)
	case drainOver:
		i.onDrainOver(ctx, m)
	case skipDrain:
		i.onDrainOver(ctx, drainOver{N: i.incarnation})
	default:
		i.env.unexpected("instance", m)
	}
}

// transition is the only writer of state.
func (i *instance) transition(to messages.ServerState) {
	i.state, i.since = to, time.Now()
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
		if h.sent {
			i.finish(h, i.env.cutShort(h.call, c))
		} else {
			i.finish(h, i.env.unsent(h.call, c))
		}
	}
	failure := i.env.unsent(messages.Call{Server: i.declared.ID}, c).Error
	for _, pid := range i.wanting {
		i.env.send(pid, startFailed{Server: i.declared.ID, Error: *failure})
	}
	i.wanting, i.queue = nil, newQueue()
	i.health.reset()
	i.rest.stop()
}

func (i *instance) refuse(ctx actor.Context, c *safe.Crash) {
	switch m := ctx.Message().(type) {
	case execute:
		if i.last != m.Call.ID { // else it was taken on: it has its answer, or letGo gave it one
			r := i.env.unsent(m.Call, c)
			r.Duration = sinceMillis(m.Since)
			i.env.conclude(ended{Call: m.Call, Decision: m.Decision, Result: r}, ctx.Sender())
		}
	case want:
		i.env.send(ctx.Sender(), startFailed{Server: i.declared.ID, Error: *i.env.unsent(messages.Call{Server: i.declared.ID}, c).Error})
	case statusQuery:
		ctx.Respond(i.status())
	case stopInstance:
		ctx.Respond(instanceStopped{Server: i.declared.ID})
	}
}
