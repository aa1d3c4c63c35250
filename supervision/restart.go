package supervision

import "time"

// Mode says after which ends a child is started again. The words and meanings are OTP's restart types.
type Mode string

const (
	// Permanent children are always started again.
	Permanent Mode = "permanent"
	// Transient children are started again after an abnormal end only: a signal, an exit code other than 0, a
	// protocol breakdown, or any end while calls were in flight. After a clean, idle exit they rest until asked for.
	Transient Mode = "transient"
	// Temporary children are never started again by rule.
	Temporary Mode = "temporary"
)

// Restart is one child's restart rule. Its zero value is not useful; see [DefaultRestart].
type Restart struct {
	Mode Mode
	// MaxRestarts (OTP: intensity) restarts within Within (OTP: period, a sliding window) are allowed; one more and the
	// child is failed.
	MaxRestarts int
	Within      time.Duration
	Backoff     Backoff
	// ResetAfter is how long a child must have been up for its streak to start anew.
	ResetAfter time.Duration
	// Cooldown is how long a failed child rests before one probe start; 0 means until asked by hand.
	Cooldown time.Duration
}

// DefaultRestart returns the documented defaults: five restarts a minute (systemd's burst), the first at once because
// MCP servers start in a fraction of a second and agents wait interactively, later ones from 250 ms up to 30 s.
func DefaultRestart() Restart {
	return Restart{
		Mode:        Permanent,
		MaxRestarts: 5,
		Within:      time.Minute,
		Backoff:     Backoff{Min: 250 * time.Millisecond, Max: 30 * time.Second, Factor: 2, Jitter: 0.2},
		ResetAfter:  30 * time.Second,
		Cooldown:    5 * time.Minute,
	}
}
