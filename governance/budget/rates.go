package budget

import (
	"slices"
	"time"
)

// sweepAt is how many buckets there are at least before the full ones are looked for.
const sweepAt = 64

// Rates is the state of a list of rates.
//
// Memory: a bucket per rate, and per agent, server and tool that it tells apart. Those that are full again are dropped
// now and then, so that there are at most twice as many as were lately in use, or 64.
type Rates struct {
	rates []Rate
	// full is when each bucket will be full again. One that is not there is full.
	full  map[bucket]time.Time
	sweep int // the number of buckets at which they are looked through
}

// bucket is one rate and whom it is for; what the rate does not tell apart is empty.
type bucket struct {
	rate Rate
	who  Call
}

// NewRates starts with all buckets full.
func NewRates(rates []Rate) *Rates {
	r := &Rates{full: map[bucket]time.Time{}, sweep: sweepAt}
	r.Change(rates)
	return r
}

// Change puts other rates in force. What was counted under a rate that stays as it is still counts, so that a change of
// one rate is no fresh start for the others. A rate that is there twice counts once.
func (r *Rates) Change(rates []Rate) {
	r.rates = nil
	for _, rate := range rates {
		if !slices.Contains(r.rates, rate) {
			r.rates = append(r.rates, rate)
		}
	}
}

// Take counts a call if all rates that match it allow it, and none of them otherwise. ok is true when it was counted.
//
// For a call that was refused, rule is the name of the rate that makes it wait longest, and wait is how long until that
// one allows it, if nobody else takes the call meanwhile. 0 means never: the rate has no calls at all.
// When now goes backwards, less comes back, never more.
func (r *Rates) Take(now time.Time, c Call) (ok bool, wait time.Duration, rule string) {
	taken := make([]bucket, 0, len(r.rates))
	for _, rate := range r.rates {
		if !rate.covers(c) {
			continue
		}
		if rate.never() {
			return false, 0, rate.String()
		}
		b := bucket{rate, rate.who(c)}
		if w := r.wait(now, b); w > wait {
			wait, rule = w, rate.String()
		}
		taken = append(taken, b)
	}
	if wait > 0 {
		return false, wait, rule
	}
	for _, b := range taken {
		r.full[b] = r.fullAt(now, b).Add(b.rate.interval())
	}
	r.drop(now)
	return true, 0, ""
}

// who is the part of a call that a rate counts by itself.
func (r Rate) who(c Call) Call {
	var who Call
	if r.Agent == Each {
		who.Topology, who.Agent = c.Topology, c.Agent
	}
	if r.Server == Each {
		who.Server = c.Server
	}
	if r.Tool == Each {
		who.Tool = c.Tool
	}
	return who
}

// fullAt is when a bucket is full, which is now if it was full before.
func (r *Rates) fullAt(now time.Time, b bucket) time.Time {
	if at := r.full[b]; at.After(now) {
		return at
	}
	return now
}

// wait is how long a bucket has no call: until it lacks no more than what it can hold, but one.
func (r *Rates) wait(now time.Time, b bucket) time.Duration {
	lacking := r.fullAt(now, b).Sub(now)
	return max(lacking+b.rate.interval()-b.rate.burst(), 0)
}

// drop forgets the buckets that are full, when there are many. Each call pays for one at most, on average.
func (r *Rates) drop(now time.Time) {
	if len(r.full) < r.sweep {
		return
	}
	for b, at := range r.full {
		if !at.After(now) {
			delete(r.full, b)
		}
	}
	r.sweep = max(2*len(r.full), sweepAt)
}
