package actors

import (
	"github.com/asynkron/protoactor-go/actor"

	"github.com/mcp-supervisor/supervisor/config"
	"github.com/mcp-supervisor/supervisor/governance/policy"
	"github.com/mcp-supervisor/supervisor/governance/remote"
	"github.com/mcp-supervisor/supervisor/supervision"
)

type (
	// reload puts another workspace in force; the sender gets reloaded.
	reload struct {
		Workspace *config.Workspace
		Rules     *policy.Set // its policies, compiled
		Outside   *remote.Provider
		// ServersOnly holds back what could widen the gate.
		ServersOnly bool
	}
	reloaded struct {
		Result ReloadResult
		Error  string
	}
	// redeclared tells the actors of a server that its declaration changed.
	redeclared struct{ Server config.Server }
)

// onReload puts the new workspace in force. The actors of added servers are there before the gate can send them a call.
func (s *servers) onReload(ctx actor.Context, m reload) {
	if s.ending != nil {
		ctx.Respond(reloaded{Error: shuttingDown})
		return
	}
	old, next, rules, outside := s.env.ws(), m.Workspace, m.Rules, m.Outside
	if m.ServersOnly {
		in := s.env.world.Load()
		next, rules, outside = old.WithServersOf(m.Workspace), in.rules, in.outside
	}
	changes := config.Compare(old, next)
	s.env.sites.build(next)
	s.admit(ctx, next, changes.Added)
	s.env.keeper.Declare(references(next))
	before := s.env.world.Load().outside
	s.env.enter(next, rules, outside)
	if before != nil && before != outside {
		before.Close() // what it is asked right now goes on
	}
	s.specs = specs(next)
	s.redeclare(ctx, next)
	s.follow(ctx, next, changes)
	ctx.Respond(reloaded{Result: outcomeOf(changes, config.Compare(next, m.Workspace), next)})
}

// admit spawns the actors of added servers. Those of one that was removed a moment ago may still be there: they go on, or
// are replaced when they have ended.
func (s *servers) admit(ctx actor.Context, ws *config.Workspace, added []string) {
	there := children(ctx)
	for _, id := range added {
		if declared, _ := ws.Server(id); !there[id] {
			s.spawn(ctx, declared)
		}
	}
}

// redeclare tells each server that has actors its declaration of now: what can be changed on a running server is.
func (s *servers) redeclare(ctx actor.Context, next *config.Workspace) {
	there := children(ctx)
	for _, declared := range next.Servers {
		if there[declared.ID] && !declared.Disabled {
			ctx.Send(s.env.serverPID(declared.ID), redeclared{Server: declared})
			ctx.Send(s.env.instance(declared.ID), redeclared{Server: declared})
		}
	}
}

// follow starts, replaces and stops what the changes ask for.
func (s *servers) follow(ctx actor.Context, next *config.Workspace, changes config.Changes) {
	for _, id := range changes.Removed {
		s.env.toGates(catalogueKnown{Server: id})
		s.decide(ctx, supervision.Event{Child: id, Kind: supervision.Removed})
	}
	for _, id := range changes.Changed {
		s.decide(ctx, supervision.Event{Child: id, Kind: supervision.Changed})
	}
	for _, id := range changes.Added {
		s.decide(ctx, supervision.Event{Child: id, Kind: supervision.Changed}) // it may be on its way out still
		declared, _ := next.Server(id)
		s.startIfEager(ctx, declared)
	}
}

func outcomeOf(done, left config.Changes, ws *config.Workspace) ReloadResult {
	r := ReloadResult{
		Digest: ws.Digest, Added: done.Added, Changed: done.Changed, Removed: done.Removed, Unchanged: done.Unchanged,
		Tuned: done.Tuned, Supervision: done.Supervision,
		Gate: len(done.Gate) > 0, Waiting: left.Gate,
	}
	for _, w := range ws.Warnings {
		r.Warnings = append(r.Warnings, w.String())
	}
	return r
}
