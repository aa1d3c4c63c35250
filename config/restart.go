package config

import (
	"time"

	"github.com/mcp-supervisor/supervisor/supervision"
)

// Defaults of what the other packages have no word for.
const (
	DefaultMaxInFlight = 16  // calls at the same time
	DefaultQueueMax    = 256 // calls that wait
	DefaultQueueWait   = 10 * time.Second
)

// DefaultHealth returns how an idle server is probed when the workspace does not say.
func DefaultHealth() Health {
	return Health{Every: 30 * time.Second, Timeout: 5 * time.Second, Misses: 2}
}

var (
	restartShape = shape{known: "mode max_restarts within backoff reset_after cooldown"}
	backoffShape = shape{known: "first min max factor jitter"}
	healthShape  = shape{known: "every timeout misses"}
	queueShape   = shape{known: "max wait"}
)

func (l *loader) restart(v value) supervision.Restart {
	l.check(v, restartShape)
	d := supervision.DefaultRestart()
	return supervision.Restart{
		Mode:        oneOf(&l.report, v.get("mode"), d.Mode, supervision.Permanent, supervision.Transient, supervision.Temporary),
		MaxRestarts: l.int(v.get("max_restarts"), d.MaxRestarts, 0),
		Within:      l.duration(v.get("within"), d.Within, 1),
		Backoff:     l.backoff(v.get("backoff"), d.Backoff),
		ResetAfter:  l.duration(v.get("reset_after"), d.ResetAfter, 0),
		Cooldown:    l.duration(v.get("cooldown"), d.Cooldown, 0),
	}
}

func (l *loader) backoff(v value, d supervision.Backoff) supervision.Backoff {
	l.check(v, backoffShape)
	b := supervision.Backoff{
		First:  l.duration(v.get("first"), d.First, 0),
		Min:    l.duration(v.get("min"), d.Min, 0),
		Max:    l.duration(v.get("max"), d.Max, 0),
		Factor: l.float(v.get("factor"), d.Factor, 1, 1000),
		Jitter: l.float(v.get("jitter"), d.Jitter, 0, 1),
	}
	if b.Min > b.Max || b.First > b.Max {
		l.fault(v, "", "min (%v) and first (%v) may not be longer than max (%v)", b.Min, b.First, b.Max)
	}
	return b
}

func (l *loader) health(v value) Health {
	l.check(v, healthShape)
	d := DefaultHealth()
	return Health{
		Every:   l.duration(v.get("every"), d.Every, 0),
		Timeout: l.duration(v.get("timeout"), d.Timeout, 1),
		Misses:  l.int(v.get("misses"), d.Misses, 1),
	}
}

func (l *loader) queue(v value) Queue {
	l.check(v, queueShape)
	return Queue{
		Max:  l.int(v.get("max"), DefaultQueueMax, 0),
		Wait: l.duration(v.get("wait"), DefaultQueueWait, 0),
	}
}
