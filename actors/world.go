package actors

import (
	"github.com/mcp-supervisor/supervisor/config"
	"github.com/mcp-supervisor/supervisor/governance"
)

// world is what a reload replaces as a whole: the workspace, and the provider that decides by it. It is immutable.
type world struct {
	ws       *config.Workspace
	frozen   governance.Frozen
	provider governance.Provider
	version  int // counts the changes: a decision of an older world is not carried out
}

// ws is the workspace in force. What belongs together is read from one call: the next one may return another.
func (e *env) ws() *config.Workspace { return e.world.Load().ws }

// enter puts a workspace in force, for every decision from now on. It has one caller at a time.
func (e *env) enter(ws *config.Workspace) {
	e.sites.build(ws)
	e.change(func(w *world) {
		w.ws, w.provider = ws, e.custom
		if w.provider == nil {
			w.provider = governance.NewBuiltin(snapshot(ws))
		}
	})
}

// freeze puts the kill switch in force, whoever decides.
func (e *env) freeze(f governance.Frozen) { e.change(func(w *world) { w.frozen = f }) }

func (e *env) change(edit func(*world)) {
	for done := false; !done; {
		next, now := world{}, e.world.Load()
		if now != nil {
			next = *now
			next.version++
		}
		edit(&next)
		if b, ok := next.provider.(*governance.Builtin); ok {
			b.SetFrozen(next.frozen)
		}
		done = e.world.CompareAndSwap(now, &next)
	}
}

// builtin reports whether the built-in provider decides: it is pure, so that it may be asked in Receive.
func (e *env) builtin() bool { return e.custom == nil }

// snapshot is what the built-in gate decides by. Disabled servers are not in it: nobody can call them.
func snapshot(ws *config.Workspace) governance.Snapshot {
	var snap governance.Snapshot
	for _, a := range ws.Agents() {
		snap.Agents = append(snap.Agents, governance.AgentIn{Topology: a.Topology, Agent: a.Agent.Agent})
	}
	for _, s := range ws.Servers {
		if !s.Disabled {
			snap.Servers = append(snap.Servers, s.Rules)
		}
	}
	return snap
}
