package messages

// Outcome is how a call ended. Every call ends in exactly one.
type Outcome string

const (
	// OK: the tool answered.
	OK Outcome = "ok"
	// ToolError: the tool ran and said no, or the server answered with a JSON-RPC error.
	ToolError Outcome = "tool_error"
	// Invalid: unknown server, tool or agent, or arguments that break the tool's schema. It did not run.
	Invalid Outcome = "invalid"
	// Denied: the gate said no. It did not run.
	Denied Outcome = "denied"
	// Unavailable: the server is down, failed or could not start. It did not run.
	Unavailable Outcome = "unavailable"
	// Lost: the server died, or the connection broke, after the call was written. It may have run.
	Lost Outcome = "lost"
	// Timeout: the deadline passed and the server was told to cancel. It may have run.
	Timeout Outcome = "timeout"
	// Cancelled: the caller gave up and the server was told to cancel. It may have run.
	Cancelled Outcome = "cancelled"
	// Overloaded: the queue is full, or the wait in it ran out. It did not run.
	Overloaded Outcome = "overloaded"
	// Stopped: the supervisor is shutting down.
	Stopped Outcome = "stopped"
	// Internal: a bug of ours.
	Internal Outcome = "internal"
)

// Outcomes lists every outcome in the order of the exit codes.
var Outcomes = []Outcome{OK, ToolError, Invalid, Denied, Unavailable, Lost, Timeout, Cancelled, Overloaded, Stopped, Internal}

// ExitCode is the exit code of a command whose call ended so: 0 for ok to 10 for internal.
func (o Outcome) ExitCode() int {
	for code, known := range Outcomes {
		if o == known {
			return code
		}
	}
	return Internal.ExitCode()
}

// Ran says whether the tool ran.
type Ran string

const (
	RanYes   Ran = "yes"
	RanNo    Ran = "no"
	RanMaybe Ran = "maybe"
)
