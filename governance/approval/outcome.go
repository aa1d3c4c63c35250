package approval

import "time"

// Verdict is what a person says.
type Verdict string

const (
	Allow Verdict = "allow"
	Deny  Verdict = "deny"
)

// Outcome is an answered request.
type Outcome struct {
	Pending
	Verdict Verdict `json:"verdict"`
	// By is who answered, Comment what they said to it; both are for the audit.
	By       string    `json:"by,omitempty"`
	Comment  string    `json:"comment,omitempty"`
	Answered time.Time `json:"answered"`
}

// Allowed reports a yes.
func (o Outcome) Allowed() bool { return o.Verdict == Allow }

// Covers reports whether the outcome is a yes to the call as it is now. The tool or the policies may have changed while
// the person thought; the call has to be decided, and asked about, again then.
func (o Outcome) Covers(callID string, b Binding) bool {
	return o.Allowed() && o.CallID == callID && o.Binding == b
}
