package main

import (
	"time"

	"github.com/mcp-supervisor/supervisor/actors"
	"github.com/mcp-supervisor/supervisor/governance"
	"github.com/mcp-supervisor/supervisor/governance/approval"
	gov "github.com/mcp-supervisor/supervisor/governance/spec"
	"github.com/mcp-supervisor/supervisor/messages"
)

// ofCall picks the question about one call, which is made after began. Its id is not known until it ends: an identical
// call that somebody else makes at the same time cannot be told from it.
func ofCall(r actors.CallRequest, began time.Time) func(approval.Pending) bool {
	topology, agent := governance.ParseAgent(orElse(r.Agent, gov.Operator))
	digest, _ := approval.Digest(r.Arguments) // "" where the gate has none either
	return func(p approval.Pending) bool {
		return p.Run == "" && p.Agent == agent && (topology == "" || p.Topology == "" || p.Topology == topology) &&
			p.Server == r.Server && p.Tool == r.Tool && p.Digest == digest && !p.Asked.Before(began)
	}
}

// runAsker begins to ask when the first call of a run waits.
type runAsker struct {
	begin func(run string) (end func())
	end   func() // nil: nobody was asked yet
}

// show takes the run's events, one after the other, and returns whether the event is the asker's to tell.
func (r *runAsker) show(e messages.Event) bool {
	switch e.Kind {
	case messages.ApprovalRequested:
		if r.end == nil {
			r.end = r.begin(e.Run)
		}
		return true
	case messages.ApprovalResolved:
		return true
	default:
		return false
	}
}

// close ends the asking, once there are no more events.
func (r *runAsker) close() {
	if r.end != nil {
		r.end()
	}
}
