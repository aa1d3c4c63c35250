package audit

import (
	"cmp"
	"maps"
	"slices"

	"github.com/mcp-supervisor/supervisor/messages"
)

// remembered is how many ended calls a ledger knows by name. It only words the report on a second outcome: forgetting is
// what keeps the memory flat.
const remembered = 1 << 16

var outcomeTypes = func() map[EventType]bool {
	types := map[EventType]bool{}
	for _, o := range messages.Outcomes {
		types[OutcomeType(o)] = true
	}
	return types
}()

// ledger pairs intents with outcomes.
type ledger struct {
	open  map[string]int64 // call id -> the intent's number
	ended map[string]bool
	ring  []string // the ids in ended, oldest at ring[at] once it is full
	at    int
}

func newLedger() *ledger {
	return &ledger{open: map[string]int64{}, ended: map[string]bool{}}
}

// enter takes one record and says what is wrong with it, or nothing.
func (l *ledger) enter(h header) (what string) {
	switch {
	case h.callID == "":
		return ""
	case h.eventType == ToolIntent:
		return l.intent(h)
	case outcomeTypes[h.eventType]:
		return l.outcome(h.callID)
	}
	return ""
}

func (l *ledger) intent(h header) string {
	if _, ok := l.open[h.callID]; ok || l.ended[h.callID] {
		return "second intent"
	}
	l.open[h.callID] = h.seq
	return ""
}

func (l *ledger) outcome(id string) string {
	if _, ok := l.open[id]; ok {
		delete(l.open, id)
		l.remember(id)
		return ""
	}
	if l.ended[id] {
		return "second outcome"
	}
	return "outcome without an intent before it"
}

func (l *ledger) remember(id string) {
	if len(l.ring) < remembered {
		l.ring = append(l.ring, id)
	} else {
		delete(l.ended, l.ring[l.at])
		l.ring[l.at] = id
		l.at = (l.at + 1) % remembered
	}
	l.ended[id] = true
}

func (l *ledger) unfinished() []string {
	ids := slices.AppendSeq(make([]string, 0, len(l.open)), maps.Keys(l.open))
	slices.SortFunc(ids, func(a, b string) int { return cmp.Compare(l.open[a], l.open[b]) })
	return ids
}
