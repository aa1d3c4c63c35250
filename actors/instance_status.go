package actors

import (
	"time"

	"github.com/mcp-supervisor/supervisor/messages"
)

func (i *instance) status() messages.ServerStatus {
	s := messages.ServerStatus{
		ID: i.declared.ID, State: i.state, PID: i.process, Guarantee: i.guarantee, Incarnation: i.incarnation, Since: i.since,
		InFlight: i.inFlight, Queued: i.queue.size, Restarts: i.restarts, Window: i.used(),
		Budget: i.declared.Restart.MaxRestarts, Warnings: i.warnings, Stale: i.stale, Detail: i.detail(),
		RetryAfter: messages.Millis(i.retryIn()),
	}
	if g, used, ok := i.group(); ok {
		s.Group, s.GroupWindow, s.GroupBudget = g.Name, used, g.MaxRestarts
	}
	if i.offer.Catalogue != nil {
		s.Tools = len(i.offer.Catalogue.Tools())
	}
	if i.lastExit != nil {
		s.LastExit, s.Exit = i.lastExit.String(), postMortem(i.lastExit)
	}
	return s
}

// used is how many restarts count against the budget now.
func (i *instance) used() int { return i.order.Record.Used(i.declared.Restart, time.Now()) }

// maxWarnings bounds what status keeps; each kind is told once anyway.
const maxWarnings = 16

func (i *instance) onWarned(text string) {
	text = i.env.keeper.Mask(text)
	if len(i.warnings) < maxWarnings {
		i.warnings = append(i.warnings[:len(i.warnings):len(i.warnings)], text)
	}
	i.publish(messages.Event{Kind: messages.ServerWarning, Detail: text})
}
