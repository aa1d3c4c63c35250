package actors

import (
	"strings"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/mcp-supervisor/supervisor/messages"
)

// undelivered answers what was sent to an actor of ours that is just being replaced, or stopped already: protoactor
// would tell the sender only that there was a dead letter, and the audit nothing. It runs in the sender's goroutine.
func (e *env) undelivered(event any) {
	d, ok := event.(*actor.DeadLetterEvent)
	if !ok || !strings.HasPrefix(d.PID.GetId(), e.prefix) {
		return
	}
	switch m := d.Message.(type) {
	case messages.CallTool:
		r := e.nobody(m.Call)
		e.root.RequestWithCustomSender(e.journal, refusal{Call: m.Call, Decision: messages.Decision{Outcome: r.Outcome, Rule: "none"}, Result: r}, d.Sender)
	case refusal:
		e.send(d.Sender, m.Result)
	case dispatch:
		e.send(d.Sender, e.nobody(m.Call))
	case execute:
		e.conclude(ended{Call: m.Call, Decision: m.Decision, Result: e.nobody(m.Call)}, d.Sender)
	case want:
		e.send(d.Sender, startFailed{Server: serverOf(d.PID), Error: *e.nobody(messages.Call{}).Error})
	}
}

// nobody is the result of a call that found nobody to take it.
func (e *env) nobody(c messages.Call) messages.CallResult {
	if e.closing.Load() {
		return refused(c, messages.Stopped, "the supervisor is shutting down")
	}
	return refused(c, messages.Internal, "internal error: a part of the supervisor crashed and is being replaced; the call was not sent")
}

// serverOf is the server whose instance a PID names: .../<server>/shared.
func serverOf(pid *actor.PID) string {
	parts := strings.Split(pid.GetId(), "/")
	if len(parts) < 2 {
		return ""
	}
	return parts[len(parts)-2]
}
