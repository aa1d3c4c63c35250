package actors

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/asynkron/protoactor-go/eventstream"
	"github.com/google/uuid"

	"github.com/mcp-supervisor/supervisor/config"
	"github.com/mcp-supervisor/supervisor/governance"
	gov "github.com/mcp-supervisor/supervisor/governance/spec"
	"github.com/mcp-supervisor/supervisor/internal/owner"
	"github.com/mcp-supervisor/supervisor/internal/safe"
	"github.com/mcp-supervisor/supervisor/mcp"
	"github.com/mcp-supervisor/supervisor/messages"
	"github.com/mcp-supervisor/supervisor/supervision"
)

// Supervisor is one running workspace. Its methods are safe for concurrent use.
type Supervisor struct {
	env       *env
	pid       *actor.PID
	state     *state
	guardian  *mcp.Guardian                             // nil with a dialer of the caller's
	adjust    func(*config.Workspace) *config.Workspace // what options change about every workspace
	stopped   chan struct{}                             // closed when nothing is left: no actor, no process, no lock
	stopping  sync.Once
	switching sync.Mutex                // one change of what is frozen at a time
	letters   *eventstream.Subscription // dead letters
	logged    chan struct{}             // closed when the last event is in the log
	err       error                     // of the end; valid once stopped is closed
}

var _ API = (*Supervisor)(nil)

// Start runs a workspace: it takes the workspace's lock, opens the audit log and spawns the actors. Servers are started
// when somebody needs them: a call, a run, or [Supervisor.Tools].
//
// When ctx ends the supervisor stops, as if Stop were called with an ended context; otherwise it runs until Stop.
//
// Errors: owner.ErrHeld when another supervisor owns the workspace; a folder that cannot be written; a damaged audit log
// that cannot be continued.
func Start(ctx context.Context, ws *config.Workspace, opts ...Option) (*Supervisor, error) {
	o := options{log: slog.New(slog.DiscardHandler)}
	for _, set := range opts {
		set(&o)
	}
	adjust := o.raise
	ws = adjust(ws)
	rules, err := policiesOf(ws)
	if err != nil {
		return nil, err
	}
	dir, err := o.stateFolder(ws)
	if err != nil {
		return nil, err
	}
	state, err := openState(dir, lockPath(ws))
	if err != nil {
		return nil, err
	}
	guardian, missing := o.guard()
	if o.dial == nil {
		o.dial = dialMCP(guardian, missing)
	}
	if o.wrapDial != nil {
		o.dial = o.wrapDial(o.dial)
	}
	s := &Supervisor{env: newEnv(ws, o, dir), state: state, guardian: guardian, adjust: adjust, stopped: make(chan struct{})}
	outside, err := s.env.outsideProvider(ctx, ws)
	if err != nil {
		guardian.Close()
		return nil, errors.Join(err, state.close(nil))
	}
	s.env.enter(ws, rules, outside)
	s.env.freeze(state.frozen)
	s.env.pin(state.lock)
	if err := s.spawn(); err != nil {
		guardian.Close()
		return nil, errors.Join(err, state.close(s.env))
	}
	s.env.record(started(ws))
	safe.Go("supervisor", s.env.crashed, func() { s.await(ctx) })
	return s, nil
}

func newEnv(ws *config.Workspace, o options, stateDir string) *env {
	e := &env{
		system: o.system, name: "mcp-supervisor-" + uuid.NewString()[:8], world: &atomic.Pointer[world]{}, changing: &sync.Mutex{},
		past: &atomic.Pointer[supervision.History]{}, custom: o.provider,
		keeper: newKeeper(ws, o.secrets), shelf: shelf{dir: owner.CatalogueDir(stateDir)}, lockFile: lockPath(ws), tally: &tally{runs: map[string]*counts{}}, asked: newAsked(stateDir), approver: o.approver, dial: o.dial, hub: newHub(), log: o.log,
		done: make(chan struct{}), open: &sync.WaitGroup{}, late: &late{}, closing: &atomic.Bool{}, wrap: o.wrap,
	}
	e.life, e.end = context.WithCancel(context.Background())
	if e.system == nil {
		e.system = newSystem(o.log)
	}
	e.root = actor.NewRootContext(e.system, nil)
	e.addresses = newAddresses(e.system, e.name, shardCount())
	e.sites = newSites(e.addresses, stateDir)
	return e
}

// newSystem makes an actor system that logs where we log: its own default would write coloured text to stderr.
func newSystem(log *slog.Logger) *actor.ActorSystem {
	return actor.NewActorSystem(
		actor.WithLoggerFactory(func(*actor.ActorSystem) *slog.Logger { return log }),
		actor.WithDeadLetterRequestLogging(false),
		actor.WithDeadLetterThrottleInterval(time.Millisecond), // its timer is a goroutine that outlives a short run
	)
}

func (s *Supervisor) spawn() error {
	e := s.env
	s.logged = e.logEvents(e.hub.subscribe(4096, e.worthLogging))
	props := e.propsWith("root", func() behaviour { return newRoot(e, s.state.log) }, func() { close(e.done) })
	pid, err := e.root.SpawnNamed(props, e.name)
	if err != nil {
		e.hub.close()
		<-s.logged
		return fmt.Errorf("spawn the root actor: %w", err)
	}
	s.pid = pid
	s.letters = e.system.EventStream.Subscribe(e.undelivered)
	e.awaitTree(pid)
	return nil
}

// awaitTree waits until every actor of the tree is there: a parent spawns its children only after it was spawned itself.
func (e *env) awaitTree(root *actor.PID) {
	_, _ = e.ask(context.Background(), root, ready{}) // one that crashes as it starts is there as soon as it is replaced
	for _, declared := range e.ws().Servers {
		if !declared.Disabled {
			_, _ = e.ask(context.Background(), e.serverPID(declared.ID), ready{})
		}
	}
}

// await is the supervisor's own goroutine: it sees the end and cleans up behind it.
func (s *Supervisor) await(ctx context.Context) {
	select {
	case <-ctx.Done():
		s.shutDown(ctx)
		s.env.send(s.pid, skipDrain{})
	case <-s.env.done:
	}
	<-s.env.done
	s.env.end()
	if outside := s.env.world.Load().outside; outside != nil {
		defer outside.Close()
	}
	s.env.open.Wait() // every session has a bounded end
	s.guardian.Close()
	s.env.system.EventStream.Unsubscribe(s.letters)
	s.env.closeLogs()
	s.err = s.state.close(s.env)
	s.env.hub.close()
	<-s.logged
	close(s.stopped)
}

// defaultDrain is how long running calls may go on after Stop when its context has no deadline.
const defaultDrain = 5 * time.Second

// Stop ends the supervisor: new calls are refused, running ones may go on until ctx's deadline (5 s without one), and
// then all servers are stopped at the same time, each inside its own grace. When ctx ends, the draining ends with it;
// the stop itself always goes on to the end, and Stop returns when nothing is left. It is safe to call twice. An error
// says that the audit log or the lock could not be closed properly; everything has stopped all the same.
func (s *Supervisor) Stop(ctx context.Context) error {
	s.shutDown(ctx)
	select {
	case <-s.stopped:
		return s.err
	case <-ctx.Done():
		s.env.send(s.pid, skipDrain{})
	}
	<-s.stopped
	return s.err
}

func (s *Supervisor) shutDown(ctx context.Context) {
	s.stopping.Do(func() {
		s.env.closing.Store(true)
		drain, ok := ctx.Deadline()
		switch {
		case ctx.Err() != nil:
			drain = time.Now()
		case !ok:
			drain = time.Now().Add(defaultDrain)
		}
		s.env.send(s.pid, shutDown{Drain: drain})
	})
}

// Done is closed when the supervisor has stopped and nothing of it is left.
func (s *Supervisor) Done() <-chan struct{} { return s.stopped }

// PID is the supervisor's address for actors on the same system: send it a messages.CallTool with a sender, and the
// sender gets one messages.CallResult.
func (s *Supervisor) PID() *actor.PID { return s.pid }

// Subscribe streams what happens from now on. buffer is how many events may wait to be read; see [Subscription].
func (s *Supervisor) Subscribe(buffer int) *Subscription {
	return s.env.hub.subscribe(buffer, everything)
}

// StateDir is the folder of the lock and the audit log.
func (s *Supervisor) StateDir() string { return s.state.dir }

// Publish tells other processes where the owner's control socket is.
func (s *Supervisor) Publish(socket string) error { return s.state.owner.Publish(socket) }

func (o options) stateFolder(ws *config.Workspace) (string, error) {
	switch {
	case o.stateDir != "":
		return filepath.Abs(o.stateDir)
	case ws.Root != "":
		return owner.StateDir(ws.Root), nil
	}
	return "", errors.New("the workspace has no folder to keep its lock and audit log in: use WithStateDir")
}

// raise applies WithRestartBudget to a copy of the workspace.
func (o options) raise(ws *config.Workspace) *config.Workspace {
	if o.budget <= 0 {
		return ws
	}
	raised := *ws
	raised.Servers = append([]config.Server(nil), ws.Servers...)
	for i := range raised.Servers {
		raised.Servers[i].Restart.MaxRestarts, raised.Servers[i].Restart.Within = o.budget, o.within
	}
	return &raised
}

// caller splits an agent's name as a user writes it.
func caller(name string) (topology, agent string) {
	if name == "" {
		return "", gov.Operator
	}
	return governance.ParseAgent(name)
}

func newID() string { return uuid.Must(uuid.NewV7()).String() }

// CallTool implements [API].
func (s *Supervisor) CallTool(ctx context.Context, r CallRequest) messages.CallResult {
	topology, agent := caller(r.Agent)
	c := messages.Call{
		ID: newID(), Agent: agent, Topology: topology, Server: r.Server, Tool: r.Tool, Arguments: r.Arguments,
		Timeout: r.Timeout, Meta: r.Meta, TraceParent: r.TraceParent,
	}
	c.Deadline, _ = ctx.Deadline()
	return s.env.call(ctx, c)
}
