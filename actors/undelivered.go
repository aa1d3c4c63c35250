package actors

import (
	"strings"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/mcp-supervisor/supervisor/governance/approval"
	"github.com/mcp-supervisor/supervisor/internal/safe"
	"github.com/mcp-supervisor/supervisor/mcp"
	mcpspec "github.com/mcp-supervisor/supervisor/mcp/spec"
	"github.com/mcp-supervisor/supervisor/messages"
)

// undelivered is the safety net under all messages: it answers what was sent to an actor of ours that is just being
// replaced, or has stopped already. protoactor would tell the sender only that there was a dead letter, and the audit
// nothing. It runs in the sender's goroutine.
func (e *env) undelivered(event any) {
	d, ok := event.(*actor.DeadLetterEvent)
	if !ok || !strings.HasPrefix(d.PID.GetId(), e.prefix) {
		return
	}
	switch m := d.Message.(type) {
	case messages.CallTool:
		e.turnAway(m.Call, false, d.Sender)
	case reconsider:
		e.turnAway(m.Call, true, d.Sender)
	case dispatch:
		e.turnAway(m.Call, m.Written, d.Sender)
	case execute:
		e.conclude(ended{Call: m.Call, Decision: m.Decision, Result: e.unsent(m.Call, nil)}, d.Sender)
	case refusal, ended, noted: // the journal is away
		e.late.add(m)
		e.answerLate(m, d.Sender)
	case perform:
		e.send(m.Instance, replied{N: m.N, ID: m.ID, Reply: mcpspec.Reply{Err: mcp.ErrClosed}})
	case opened:
		if m.session == nil { // else its life says when it is over
			e.send(m.instance, sessionEnded{N: m.n, Exit: m.exit})
		}
	case byHand:
		e.send(d.Sender, handled{})
	case seek:
		e.reply(d, sought{CallID: m.Request.CallID, Reason: "it needs an approval: " + e.unsent(messages.Call{}, nil).Error.Message})
	case reserve:
		e.reply(d, e.uncounted(m.Call, nil))
	case answerAsked:
		e.send(d.Sender, answerTaken{Error: e.unsent(messages.Call{}, nil).Error.Message})
	case listAsked:
		e.send(d.Sender, []approval.Pending(nil))
	case approveTools:
		e.send(d.Sender, toolsApproved{Error: e.unsent(messages.Call{}, nil).Error.Message})
	case listChanges:
		e.send(d.Sender, []ToolChange(nil))
	case refreeze:
		e.send(d.Sender, m)
	case reload:
		e.send(d.Sender, reloaded{Error: e.endedRun(nil).Message})
	case dead:
		e.send(m.instance, sessionDead{N: m.n, Exit: m.Exit})
	case over:
		e.send(m.instance, sessionEnded{N: m.n, Exit: m.Exit})
	case want:
		e.send(d.Sender, startFailed{Server: serverOf(d.PID), Error: *e.unsent(messages.Call{}, nil).Error})
	case refuseAll:
		e.reply(d, gateClosed{})
	case stopAgents:
		e.reply(d, agentsStopped{})
	case stopServers:
		e.stoppedAlready(d)
	case barrier:
		e.reply(d, m)
	case closeJournal:
		e.reply(d, journalClosed{})
	case stopInstance:
		e.send(d.Sender, instanceStopped{Server: serverOf(d.PID)})
	case startRun:
		e.send(d.Sender, runEnded{Error: e.endedRun(nil)})
	}
}

// reply answers in the name of the actor that is not there.
func (e *env) reply(d *actor.DeadLetterEvent, message any) {
	if d.Sender != nil {
		e.root.RequestWithCustomSender(d.Sender, message, d.PID)
	}
}

// stoppedAlready answers a stopServers: of one server, or of all.
func (e *env) stoppedAlready(d *actor.DeadLetterEvent) {
	if d.PID.Equal(e.servers) {
		e.reply(d, serversStopped{})
		return
	}
	e.send(d.Sender, instanceStopped{Server: childName(d.PID)})
}

// turnAway ends a call that reached no instance.
func (e *env) turnAway(c messages.Call, written bool, caller *actor.PID) {
	r := e.unsent(c, nil)
	e.root.RequestWithCustomSender(e.journal, refusal{Call: c, Decision: undecided, Written: written, Result: r}, caller)
}

// unsent is the result of a call that was surely not sent, because a part of the supervisor crashed or has stopped.
func (e *env) unsent(c messages.Call, crash *safe.Crash) messages.CallResult {
	if crash != nil {
		return internalResult(c, crash, messages.RanNo)
	}
	if e.closing.Load() {
		return refused(c, messages.Stopped, shuttingDown)
	}
	if c.Server != "" && !e.runs(c.Server) {
		return refused(c, messages.Unavailable, "server `"+c.Server+"` was removed from the workspace; the call was not sent")
	}
	return refused(c, messages.Internal, "internal error: a part of the supervisor crashed and is being replaced; the call was not sent")
}

// cutShort is the result of a call that was running when a part of the supervisor crashed, or was stopped.
func (e *env) cutShort(c messages.Call, crash *safe.Crash) messages.CallResult {
	if crash != nil {
		return internalResult(c, crash, messages.RanMaybe)
	}
	o, why := messages.Internal, "internal error: a part of the supervisor crashed and is being replaced"
	switch {
	case e.closing.Load():
		o, why = messages.Stopped, shuttingDown
	case !e.runs(c.Server):
		o, why = messages.Lost, "server `"+c.Server+"` was removed from the workspace"
	}
	r := refused(c, o, why+"; the call was running and may have taken effect")
	r.Ran = messages.RanMaybe
	return r
}

// serverOf is the server whose instance a PID names: .../<server>/shared.
func serverOf(pid *actor.PID) string {
	parts := strings.Split(pid.GetId(), "/")
	if len(parts) < 2 {
		return ""
	}
	return parts[len(parts)-2]
}
