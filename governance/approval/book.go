package approval

import (
	"cmp"
	"maps"
	"slices"
	"time"
)

// MaxPending is how many requests may wait in one book: far more than a person can answer before they expire.
const MaxPending = 1000

// Book holds the requests that wait, and the answers that are remembered. The zero value is empty and ready.
type Book struct {
	pending    map[string]Pending // by id
	ended      endings
	remembered map[string]map[Binding]Outcome // by run
}

// Ask puts a request into the book. Each request is a question of its own, also when an identical one waits.
// Errors: ErrAsked, ErrFull; the call is not in the book anew then, and must not go on.
func (b *Book) Ask(now time.Time, r Request) (Pending, error) {
	if len(b.pending) >= MaxPending {
		return Pending{}, ErrFull
	}
	if _, asked := b.find(r.CallID); asked {
		return Pending{}, ErrAsked
	}
	p := Pending{Request: r, ID: b.freshID(r.CallID), Asked: now, Expires: now.Add(max(r.Timeout, 0))}
	if b.pending == nil {
		b.pending = map[string]Pending{}
	}
	b.pending[p.ID] = p
	return p, nil
}

// Answer ends a request. The id may be typed in capitals, and with o, i and l for the digits they look like.
//
// Errors: ErrVerdict, ErrUnknown, ErrAnswered, ErrExpired, ErrWithdrawn; nothing changed then. A request whose time is
// over is expired even when [Book.Expire] has not returned it yet.
func (b *Book) Answer(now time.Time, id string, v Verdict, by, comment string) (Outcome, error) {
	if v != Allow && v != Deny {
		return Outcome{}, ErrVerdict
	}
	id = typed(id)
	p, ok := b.pending[id]
	switch {
	case !ok:
		return Outcome{}, b.ended.why(id)
	case !now.Before(p.Expires):
		return Outcome{}, ErrExpired
	}
	b.end(p, ErrAnswered)
	o := Outcome{Pending: p, Verdict: v, By: by, Comment: comment, Answered: now}
	if o.Allowed() && p.memorable() {
		b.remember(o)
	}
	return o, nil
}

// Expire takes out the requests whose time is over, the oldest first. Each is a no.
func (b *Book) Expire(now time.Time) []Pending {
	return b.take(ErrExpired, func(p Pending) bool { return !now.Before(p.Expires) })
}

// Next is when the next request expires; zero when none waits.
func (b *Book) Next() time.Time {
	var next time.Time
	for _, p := range b.pending {
		if next.IsZero() || p.Expires.Before(next) {
			next = p.Expires
		}
	}
	return next
}

// List returns the requests that wait, the oldest first.
func (b *Book) List() []Pending {
	return slices.SortedFunc(maps.Values(b.pending), func(x, y Pending) int {
		return cmp.Or(x.Asked.Compare(y.Asked), cmp.Compare(x.ID, y.ID))
	})
}

// Withdraw takes out the request of a call that its caller gave up; false when it does not wait.
func (b *Book) Withdraw(callID string) (Pending, bool) {
	p, ok := b.find(callID)
	if ok {
		b.end(p, ErrWithdrawn)
	}
	return p, ok
}

// Refuse takes out all requests, the oldest first, because nobody will answer any more. Each is a no.
func (b *Book) Refuse() []Pending {
	return b.take(ErrWithdrawn, func(Pending) bool { return true })
}

func (b *Book) take(why error, which func(Pending) bool) []Pending {
	var out []Pending
	for _, p := range b.List() {
		if which(p) {
			b.end(p, why)
			out = append(out, p)
		}
	}
	return out
}

func (b *Book) find(callID string) (Pending, bool) {
	for _, p := range b.pending {
		if p.CallID == callID {
			return p, true
		}
	}
	return Pending{}, false
}

// end is the only way out of the book.
func (b *Book) end(p Pending, why error) {
	delete(b.pending, p.ID)
	b.ended.add(p.ID, why)
}
