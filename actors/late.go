package actors

import (
	"errors"
	"os"
	"sync"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/mcp-supervisor/supervisor/governance/audit"
)

// late keeps what found no journal to write it: the next one does, or whoever closes the log.
type late struct {
	mu   sync.Mutex
	list []any // refusal, ended, noted
}

func (l *late) add(m any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.list = append(l.list, m)
}

func (l *late) take() []any {
	l.mu.Lock()
	defer l.mu.Unlock()
	list := l.list
	l.list = nil
	return list
}

// writeLate writes what found no journal, when there will be none any more. A log that the journal has closed takes
// nothing: what comes after the end is not the audit's.
func (e *env) writeLate(log journalLog) error {
	for _, m := range e.late.take() {
		for _, r := range e.records(m) {
			if _, err := log.Append(r); err != nil && !errors.Is(err, os.ErrClosed) {
				return err
			}
		}
	}
	return nil
}

// answerLate gives a caller its result although the record of it has to wait.
func (e *env) answerLate(m any, caller *actor.PID) {
	if r, ok := m.(refusal); ok {
		e.publishEnd(r.Result)
		e.send(caller, r.Result)
	}
}

// records are the audit records that a message to the journal stands for.
func (e *env) records(m any) []audit.Record {
	switch m := m.(type) {
	case refusal:
		outcome := e.outcomeRecord(m.Call, m.Result, m.Decision)
		if m.Written {
			return []audit.Record{outcome}
		}
		return []audit.Record{e.intentRecord(m.Call, m.Decision, m.Redact), outcome}
	case ended:
		return []audit.Record{e.outcomeRecord(m.Call, m.Result, m.Decision)}
	case noted:
		return []audit.Record{m.Record}
	}
	return nil
}
