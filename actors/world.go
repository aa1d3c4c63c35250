package actors

import (
	"github.com/mcp-supervisor/supervisor/config"
	"github.com/mcp-supervisor/supervisor/governance"
	"github.com/mcp-supervisor/supervisor/governance/pins"
	"github.com/mcp-supervisor/supervisor/governance/policy"
	"github.com/mcp-supervisor/supervisor/governance/remote"
)

// world is what a reload replaces as a whole: the workspace, and the provider that decides by it. It is immutable.
type world struct {
	ws       *config.Workspace
	rules    *policy.Set         // its policies, compiled; nil for none
	builtin  *governance.Builtin // nil with a provider of the host program's
	outside  *remote.Provider    // nil for none
	frozen   governance.Frozen
	lock     *pins.Lock // the approved tools
	provider governance.Provider
	version  int // counts the changes of rules: a decision of an older world is not carried out
}

// ws is the workspace in force. What belongs together is read from one call: the next one may return another.
func (e *env) ws() *config.Workspace { return e.world.Load().ws }

// enter puts a workspace in force, for every decision from now on. It has one caller at a time.
func (e *env) enter(ws *config.Workspace, rules *policy.Set, outside *remote.Provider) {
	e.sites.build(ws)
	provider, builtin := e.custom, (*governance.Builtin)(nil)
	if provider == nil {
		builtin = governance.NewBuiltin(snapshot(ws, rules))
		provider = builtin
		if outside != nil {
			provider = second{Builtin: builtin, outside: outside}
		}
	}
	e.change(func(w *world) {
		w.version++
		w.ws, w.rules, w.outside, w.builtin, w.provider = ws, rules, outside, builtin, provider
	})
}

// freeze puts the kill switch in force, whoever decides.
func (e *env) freeze(f governance.Frozen) {
	e.change(func(w *world) { w.version++; w.frozen = f })
}

// pin puts approved tools in force. What was decided before stays: a call goes only to the tool it was decided about.
func (e *env) pin(lock *pins.Lock) { e.change(func(w *world) { w.lock = lock }) }

// change has one caller at a time, because the built-in provider is told too: what an overtaken change told it would
// stand for a moment, and thaw.
func (e *env) change(edit func(*world)) {
	e.changing.Lock()
	defer e.changing.Unlock()
	var next world
	if now := e.world.Load(); now != nil {
		next = *now
	}
	edit(&next)
	if next.builtin != nil {
		next.builtin.SetFrozen(next.frozen)
		next.builtin.SetPins(next.lock)
	}
	e.world.Store(&next)
}

// pure reports whether the built-in provider decides alone: then it may be asked in Receive.
func (w *world) pure() bool { return w.builtin != nil && w.outside == nil }
