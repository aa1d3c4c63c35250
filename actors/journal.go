package actors

import (
	"context"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/mcp-supervisor/supervisor/governance"
	"github.com/mcp-supervisor/supervisor/governance/audit"
	"github.com/mcp-supervisor/supervisor/internal/safe"
	"github.com/mcp-supervisor/supervisor/messages"
)

// Messages of the journal.
type (
	// dispatch is an allowed call on its way to an instance: its intent is written first. The sender is the caller.
	dispatch struct {
		Call     messages.Call
		Decision messages.Decision
		Redact   []string // paths of arguments that the audit must not have
		Since    time.Time
		Written  bool // the intent is in the audit already
		To       *actor.PID
	}
	// refusal is a call that reaches no instance: intent and outcome are written, and the sender gets the result.
	refusal struct {
		Call     messages.Call
		Decision messages.Decision
		Redact   []string // paths of arguments that the audit must not have
		Written  bool     // the intent is in the audit already
		Result   messages.CallResult
	}
	// ended is the outcome of a call that was dispatched. The caller gets its result from the instance.
	ended struct {
		Call     messages.Call
		Decision messages.Decision
		Redacted bool // parts of its arguments are hidden, and the server's words may repeat them
		Result   messages.CallResult
	}
	// noted is any other event for the audit.
	noted struct{ Record audit.Record }
	// forwarded is a cancellation that must not overtake its call.
	forwarded struct {
		Cancel messages.CancelCall
		To     *actor.PID
	}
	// barrier is answered when everything before it is written.
	barrier struct{}
	// closeJournal ends the log.
	closeJournal struct{}
)

// journalLog is the log the journal writes. *audit.Log is one.
type journalLog interface {
	Append(audit.Record) (audit.Record, error)
	Close() error
}

// journal is the only writer of the audit log. An intent is on disk (in the page cache, which survives our SIGKILL)
// before the call goes on; when it cannot be written, the call is refused.
type journal struct {
	env    *env
	log    journalLog
	events chan<- governance.Event // nil while the built-in provider decides alone, which learns nothing
	closed bool                    // calls that come later are refused, and nobody can write that down
}

func newJournal(e *env, log journalLog) *journal { return &journal{env: e, log: log} }

func (j *journal) Receive(ctx actor.Context) {
	switch m := ctx.Message().(type) {
	case *actor.Started:
		j.onStarted()
	case dispatch:
		j.onDispatch(ctx, m)
	case refusal:
		j.onRefusal(ctx, m)
	case ended, noted:
		j.writeAll(m)
	case forwarded:
		j.env.send(m.To, m.Cancel)
	case barrier:
		ctx.Request(ctx.Sender(), m)
	case closeJournal:
		j.onClose(ctx)
	default:
		j.env.unexpected("journal", m)
	}
}

func (j *journal) onStarted() {
	for _, m := range j.env.late.take() { // from before a crash
		j.writeAll(m)
	}
}

func (j *journal) onDispatch(ctx actor.Context, m dispatch) {
	if err := j.intent(m); err != nil {
		result := refused(m.Call, messages.Denied, "the audit log cannot be written, so no call is let through: "+err.Error())
		j.env.publishEnd(result)
		j.env.send(ctx.Sender(), result)
		return
	}
	j.env.publishStart(m.Call)
	ctx.RequestWithCustomSender(m.To, execute{Call: m.Call, Decision: m.Decision, Redacted: len(m.Redact) > 0, Since: m.Since}, ctx.Sender())
}

func (j *journal) intent(m dispatch) error {
	if m.Written {
		return nil
	}
	return j.write(j.env.intentRecord(m.Call, m.Decision, m.Redact))
}

// writeAll writes the records of a message, up to the first that cannot be written.
func (j *journal) writeAll(m any) {
	for _, r := range j.env.records(m) {
		if j.write(r) != nil {
			return
		}
	}
}

func (j *journal) onRefusal(ctx actor.Context, m refusal) {
	j.writeAll(m)
	j.env.publishEnd(m.Result)
	j.env.send(ctx.Sender(), m.Result)
}

func (j *journal) onClose(ctx actor.Context) {
	_ = j.write(audit.Record{EventType: audit.SupervisorStopped})
	j.closed = true
	if err := j.log.Close(); err != nil {
		j.complain(err)
	}
	ctx.Request(ctx.Sender(), journalClosed{})
}

// write appends one record, and hands it to the provider too.
func (j *journal) write(r audit.Record) error {
	if j.closed {
		return errGone
	}
	written, err := j.log.Append(r)
	if err != nil {
		j.complain(err)
		return err
	}
	if j.events == nil && !j.env.world.Load().pure() {
		j.record()
	}
	if j.events != nil {
		select {
		case j.events <- providerEvent(written):
		default: // the provider is slower than the calls; the log has it all
		}
	}
	return nil
}

func (j *journal) complain(err error) {
	j.env.hub.publish(messages.Event{Kind: messages.AuditFailed, Detail: j.env.keeper.Mask(err.Error())})
}

// record feeds the provider's RecordEvent, in order and off the call path, until the journal ends.
func (j *journal) record() {
	events := make(chan governance.Event, 4096)
	j.events = events
	e := j.env
	e.open.Add(1)
	safe.Go("provider's events", e.crashed, func() {
		defer e.open.Done()
		for event := range events {
			limit, cancel := context.WithTimeout(context.Background(), e.world.Load().patience())
			err := safe.Do("provider's RecordEvent", func() error { return e.world.Load().provider.RecordEvent(limit, event) })
			cancel()
			if err != nil {
				j.complain(err)
			}
		}
	})
}

func (j *journal) letGo(actor.Context, *safe.Crash) {
	if j.events != nil {
		close(j.events)
		j.events = nil
	}
}

// refuse still writes: the log outlives the actor.
func (j *journal) refuse(ctx actor.Context, c *safe.Crash) {
	switch m := ctx.Message().(type) {
	case dispatch:
		j.onRefusal(ctx, refusal{Call: m.Call, Decision: m.Decision, Written: m.Written, Result: j.env.unsent(m.Call, c)})
	case refusal:
		j.onRefusal(ctx, m)
	case ended, noted:
		j.writeAll(m)
	case forwarded:
		j.env.send(m.To, m.Cancel)
	case barrier:
		ctx.Request(ctx.Sender(), m)
	case closeJournal:
		j.onClose(ctx)
	}
}
