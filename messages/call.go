package messages

import (
	"encoding/json"
	"math"
	"time"
)

// Call is one tool call on its way from an agent to a server.
type Call struct {
	ID  string // unique; names the call in the audit
	Run string // the run it belongs to; empty outside a run
	// Agent is the caller's id. Topology is where that id is declared: two topologies may use one id for two agents.
	// It is empty for the operator, and where the id is declared once.
	Agent    string
	Topology string
	// Server and Tool are the server's id and the tool's original name.
	Server string
	Tool   string
	// Arguments is a JSON object, or nil for none.
	Arguments json.RawMessage
	// Deadline bounds the whole call, waiting included. Zero means none: then waiting and running have the server's
	// own limits.
	Deadline time.Time
	// Timeout bounds the running of the call once it is sent; 0 means the server's own time-out.
	Timeout time.Duration
	// TraceParent is the W3C trace context; empty when there is none.
	TraceParent string
	// Session is the client session's key; empty for agents of our own.
	Session string
	// Meta is the caller's _meta object, passed on unchanged; nil for none.
	Meta json.RawMessage
}

// CallTool asks the gate for a call. The sender gets exactly one CallResult.
type CallTool struct{ Call Call }

// CancelCall says that the caller gave up. The call's one CallResult then says cancelled, unless it had ended already.
type CancelCall struct {
	ID     string
	Agent  string
	Server string
	Reason string
}

// Decision is the gate's word on a call.
type Decision struct {
	Allowed bool `json:"allowed"`
	// Outcome is what a refused call ends in: denied or invalid.
	Outcome Outcome `json:"outcome,omitempty"`
	// Rule names what decided; it goes into the audit, never to the caller.
	Rule string `json:"rule"`
	// Reason is what the caller may read.
	Reason string `json:"reason,omitempty"`
	// Via names the skill or grant that was used.
	Via string `json:"via,omitempty"`
	// ToolHash is the hash of the tool as it was when decided.
	ToolHash string `json:"tool_hash,omitempty"`
	// Approval is the ticket of the person's yes that the call was let through by, and Approver who gave it.
	Approval string `json:"approval,omitempty"`
	Approver string `json:"approver,omitempty"`
	// Version counts the reloads before the decision: rules that are not in force any more decide nothing.
	Version int `json:"-"`
	// Metered is true when the call was counted against its budgets and rates: once is enough.
	Metered bool `json:"-"`
}

// CallResult is the one reply to a CallTool. Its JSON form is what `supervisor call --json` prints.
type CallResult struct {
	CallID  string  `json:"call_id"`
	Run     string  `json:"run,omitempty"`
	Agent   string  `json:"agent"`
	Server  string  `json:"server"`
	Tool    string  `json:"tool"`
	Outcome Outcome `json:"outcome"`
	Ran     Ran     `json:"ran"`
	// Result is the tool's result as the server sent it; null when there is none.
	Result json.RawMessage `json:"result"`
	Error  *CallError      `json:"error,omitempty"`
	// Attempts counts how often the call was sent to a server: 0 or 1 unless the workspace allows a retry.
	Attempts int `json:"attempts"`
	// Incarnation is the number of the server's session the call was sent to; 0 when it was not sent.
	Incarnation int    `json:"incarnation"`
	Duration    Millis `json:"duration_ms"`
}

// CallError says why there is no good result.
type CallError struct {
	// Kind is `result` (the tool reported an error), `rpc` (a JSON-RPC error), or the outcome's name.
	Kind string `json:"kind"`
	// Code is the JSON-RPC error code or HTTP status, when there was one.
	Code int64 `json:"code,omitempty"`
	// Message is a sentence for the caller: what happened and what to do.
	Message string `json:"message"`
	// RetryAfter is when the server is expected back; 0 when nobody knows.
	RetryAfter Millis `json:"retry_after_ms,omitempty"`
	Exit       *Exit  `json:"exit,omitempty"`
}

// Exit is the post-mortem of the server behind an unavailable or lost call.
type Exit struct {
	Code       int      `json:"code"`
	Signal     string   `json:"signal,omitempty"`
	Reason     string   `json:"reason,omitempty"`
	StderrTail []string `json:"stderr_tail,omitempty"`
}

// Millis is a duration that is a number of milliseconds in JSON.
type Millis time.Duration

// MarshalJSON writes milliseconds with microsecond precision.
func (m Millis) MarshalJSON() ([]byte, error) {
	return json.Marshal(float64(time.Duration(m).Microseconds()) / 1000)
}

// UnmarshalJSON reads a number of milliseconds.
func (m *Millis) UnmarshalJSON(data []byte) error {
	var ms float64
	if err := json.Unmarshal(data, &ms); err != nil {
		return err
	}
	*m = Millis(math.Round(ms * float64(time.Millisecond)))
	return nil
}
