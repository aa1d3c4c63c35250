package chaos

import (
	"slices"
	"time"

	"github.com/mcp-supervisor/supervisor/messages"
)

// Spread is how a set of times is spread. Its percentiles are times of the set (nearest rank), never between two.
type Spread struct {
	N   int             `json:"n"`
	P50 messages.Millis `json:"p50_ms"`
	P95 messages.Millis `json:"p95_ms"`
	P99 messages.Millis `json:"p99_ms"`
	Max messages.Millis `json:"max_ms"`
}

func spread(times []time.Duration) Spread {
	sorted := slices.Sorted(slices.Values(times))
	at := func(percent int) messages.Millis { return messages.Millis(percentile(sorted, percent)) }
	return Spread{N: len(times), P50: at(50), P95: at(95), P99: at(99), Max: at(100)}
}

// percentile is the smallest time that at least so many percent are not above; 0 of none.
func percentile(sorted []time.Duration, percent int) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	rank := (len(sorted)*percent + 99) / 100
	return sorted[max(rank, 1)-1]
}

func median(times []time.Duration) time.Duration {
	return percentile(slices.Sorted(slices.Values(times)), 50)
}
