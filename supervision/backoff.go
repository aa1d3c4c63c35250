package supervision

import (
	"math"
	"time"
)

// Backoff is the delay before a restart, growing with each failure in a row.
type Backoff struct {
	// First is the delay before the first restart of a streak; 0 means at once.
	First time.Duration
	// Min is the delay before the second restart; each later one is Factor times longer, up to Max.
	Min, Max time.Duration
	// Factor is at least 1.
	Factor float64
	// Jitter lengthens a delay by a random share of 0 to Jitter of it, so that servers which died together do not
	// come back together. 0 to 1.
	Jitter float64
}

// Delay returns how long to wait before restart number n of a streak (n ≥ 1).
//
// It is First for the first, then min(Min·Factor^(n-2), Max), lengthened by random·Jitter of itself. Before jitter it
// never decreases with n as long as First ≤ Min.
func (b Backoff) Delay(n int, random float64) time.Duration {
	delay := b.First
	if n > 1 {
		grown := float64(b.Min) * math.Pow(b.Factor, float64(n-2))
		delay = time.Duration(min(grown, float64(b.Max)))
	}
	return delay + time.Duration(float64(delay)*b.Jitter*random)
}
