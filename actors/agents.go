package actors

import (
	"slices"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/mcp-supervisor/supervisor/config"
	"github.com/mcp-supervisor/supervisor/internal/safe"
	"github.com/mcp-supervisor/supervisor/messages"
	"github.com/mcp-supervisor/supervisor/models"
)

// Messages of the agents actor.
type (
	// startRun starts a run; the sender gets a runEnded.
	startRun struct {
		ID       string
		Topology config.Topology
		Input    string
		Models   map[string]models.Model // by agent id
	}
	// cancelRun ends a run; its starter still gets its runEnded.
	cancelRun struct {
		ID     string
		Reason string
	}
	// runEnded is the one reply to a startRun.
	runEnded struct {
		Result RunResult
		Error  *RunError
	}
	// stopAgents ends all runs; the sender gets agentsStopped when the last has ended.
	stopAgents struct{}
	// significantFailed tells that a server was given up without which no run can go on.
	significantFailed struct{ Server, Text string }
	// significantUp tells that it is back.
	significantUp struct{ Server string }
)

// agents is the parent of all runs.
type agents struct {
	env     *env
	runs    map[string]begun  // by run id
	failed  map[string]string // significant servers that are given up, with the reason
	stopper *actor.PID
}

// begun is a run that has not ended.
type begun struct {
	run, starter *actor.PID
	needs        []string // servers
}

func newAgents(e *env) *agents {
	return &agents{env: e, runs: map[string]begun{}, failed: map[string]string{}}
}

func (a *agents) Receive(ctx actor.Context) {
	switch m := ctx.Message().(type) {
	case startRun:
		a.onStart(ctx, m)
	case cancelRun:
		a.toRun(ctx, m.ID, endRun{Outcome: messages.Cancelled, Reason: m.Reason})
	case significantFailed:
		a.failed[m.Server] = m.Text
		a.endWithout(ctx, m.Server)
	case significantUp:
		delete(a.failed, m.Server)
	case stopAgents:
		a.onStop(ctx)
	case *actor.Terminated:
		a.onTerminated(ctx, childName(m.Who))
	default:
		a.env.unexpected("agents", m)
	}
}

func (a *agents) onStart(ctx actor.Context, m startRun) {
	if a.stopper != nil {
		ctx.Respond(runEnded{Error: &RunError{Outcome: messages.Stopped, Message: shuttingDown}})
		return
	}
	starter, began := ctx.Sender(), time.Now()
	needs := a.env.ws().Needs(m.Topology)
	doom := a.doom(needs)
	props := a.env.props("run "+m.ID, func() behaviour { return newRun(a.env, m, starter, began, doom) })
	pid, err := ctx.SpawnNamed(props, m.ID)
	if err != nil {
		ctx.Respond(runEnded{Error: &RunError{Outcome: messages.Internal, Message: err.Error()}})
		return
	}
	a.runs[m.ID] = begun{run: pid, starter: starter, needs: needs}
}

// doom is why a run ends before it begins: a significant server that it needs is given up. Nil is a run that may begin.
func (a *agents) doom(needs []string) *endRun {
	for server, text := range a.failed {
		if slices.Contains(needs, server) {
			return without(text)
		}
	}
	return nil
}

func without(text string) *endRun {
	return &endRun{Outcome: messages.Unavailable, Reason: "a significant server failed for good: " + text}
}

func (a *agents) toRun(ctx actor.Context, id string, message any) {
	if b, ok := a.runs[id]; ok {
		ctx.Send(b.run, message)
	}
}

// endWithout ends the runs that need a significant server which is given up.
func (a *agents) endWithout(ctx actor.Context, server string) {
	for _, b := range a.runs {
		if slices.Contains(b.needs, server) {
			ctx.Send(b.run, *without(a.failed[server]))
		}
	}
}

func (a *agents) toAll(ctx actor.Context, message any) {
	for id := range a.runs {
		a.toRun(ctx, id, message)
	}
}

func (a *agents) onStop(ctx actor.Context) {
	a.stopper = ctx.Sender()
	a.toAll(ctx, endRun{Outcome: messages.Stopped, Reason: shuttingDown})
	a.stopped(ctx)
}

func (a *agents) onTerminated(ctx actor.Context, id string) {
	delete(a.runs, id)
	a.stopped(ctx)
}

func (a *agents) stopped(ctx actor.Context) {
	if a.stopper != nil && len(a.runs) == 0 {
		ctx.Request(a.stopper, agentsStopped{})
		a.stopper = nil
	}
}

// letGo leaves the answers to the runs, which end with this actor.
func (a *agents) letGo(actor.Context, *safe.Crash) {}

func (a *agents) refuse(ctx actor.Context, c *safe.Crash) {
	switch ctx.Message().(type) {
	case startRun:
		ctx.Respond(runEnded{Error: a.env.endedRun(c)})
	case stopAgents:
		ctx.Request(ctx.Sender(), agentsStopped{})
	}
}

// endedRun is why a run ends that a part of the supervisor took with it.
func (e *env) endedRun(c *safe.Crash) *RunError {
	r := e.unsent(messages.Call{}, c)
	return &RunError{Outcome: r.Outcome, Message: r.Error.Message}
}
