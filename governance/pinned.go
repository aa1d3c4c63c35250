package governance

import (
	"github.com/mcp-supervisor/supervisor/governance/pins"
	"github.com/mcp-supervisor/supervisor/governance/spec"
	"github.com/mcp-supervisor/supervisor/messages"
)

// SetPins puts approved tools in force for all decisions from now on; nil is a lock of nothing.
func (b *Builtin) SetPins(lock *pins.Lock) { b.lock.Store(lock) }

// pinned refuses a tool that is not as it was approved, where the workspace enforces that. The tools of a server that
// was never seen are taken as they are: whoever keeps the lock pins them now.
func (c *check) pinned() bool {
	lock := c.b.lock.Load()
	if c.b.pinning != spec.PinningEnforce || lock == nil || !lock.Has(c.a.Server) {
		return true
	}
	pin, known := lock.Find(c.a.Server, c.a.Tool)
	switch {
	case !known:
		return c.refuse(messages.Denied, "pin", "tool %s of server %s is not among the tools that were approved; an operator has to approve it",
			tick(c.a.Tool), tick(c.a.Server))
	case pin.Hash != c.tool.Hash:
		return c.refuse(messages.Denied, "pin", "tool %s of server %s is not as it was approved; an operator has to approve it",
			tick(c.a.Tool), tick(c.a.Server))
	}
	return true
}
