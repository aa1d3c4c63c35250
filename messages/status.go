package messages

import "time"

// ServerState is the state of one server.
type ServerState string

const (
	StateDisabled ServerState = "disabled"
	StateStopped  ServerState = "stopped"
	StateStarting ServerState = "starting"
	StateUp       ServerState = "up"
	StateBackoff  ServerState = "backoff"
	StateFailed   ServerState = "failed"
	StateStopping ServerState = "stopping"
)

// ServerStatus is a snapshot of one server.
type ServerStatus struct {
	ID    string      `json:"id"`
	State ServerState `json:"state"`
	PID   int         `json:"pid,omitempty"` // of the process group's leader; 0 for remote servers
	// Guarantee says which of its processes are surely gone when it ends: cgroup, cookie, group or job; see mcp.Guarantee.
	Guarantee   string    `json:"guarantee,omitempty"`
	Incarnation int       `json:"incarnation"`
	Since       time.Time `json:"since,omitzero"` // when it came into this state; zero when nobody runs it
	// Detail is what the state alone does not say: that it was stopped by hand, what it waits for, or what comes next.
	Detail   string `json:"detail,omitempty"`
	Tools    int    `json:"tools"`
	InFlight int    `json:"in_flight"`
	Queued   int    `json:"queued"`
	// Restarts is the number of restarts since the supervisor started; Window counts those inside the budget's window.
	Restarts int `json:"restarts"`
	Window   int `json:"window"`
	Budget   int `json:"budget"`
	// Group is the server's group, if it has one; GroupWindow restarts of its members count against its budget now.
	Group       string `json:"group,omitempty"`
	GroupWindow int    `json:"group_window,omitempty"`
	GroupBudget int    `json:"group_budget,omitempty"`
	// LastExit is the post-mortem of the incarnation before, in words; Exit has it in parts, with the last lines of stderr.
	LastExit   string   `json:"last_exit,omitempty"`
	Exit       *Exit    `json:"exit,omitempty"`
	RetryAfter Millis   `json:"retry_after_ms,omitempty"`
	Warnings   []string `json:"warnings,omitempty"`
	// Stale counts messages of older incarnations that were dropped.
	Stale int `json:"stale,omitempty"`
}
