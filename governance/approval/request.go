package approval

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"github.com/mcp-supervisor/supervisor/governance/exact"
)

// Binding is what an approval is for. Two calls are identical when their bindings are equal.
type Binding struct {
	Topology string `json:"topology,omitempty"`
	Agent    string `json:"agent"`
	// Server and Tool are the server's id and the tool's original name.
	Server string `json:"server"`
	Tool   string `json:"tool"`
	// Digest is the [Digest] of the arguments as they will be sent; empty when they have none. Such a call is asked
	// about by itself, and its answer is never remembered.
	Digest string `json:"digest,omitempty"`
	// ToolHash is the gate's hash of the tool as it was when the call was decided.
	ToolHash string `json:"tool_hash,omitempty"`
	// PolicyVersion names the policies that the call was decided by.
	PolicyVersion string `json:"policy_version,omitempty"`
}

// Request is one call that needs an approval.
type Request struct {
	Binding
	// CallID is the call's id, unique among all calls. Run is its run; empty outside a run.
	CallID string `json:"call_id"`
	Run    string `json:"run,omitempty"`
	// Arguments are shown to the person: secrets are masked in them already. They are nil for none.
	Arguments json.RawMessage `json:"arguments,omitempty"`
	// Reason is the sentence that the person reads, Rule what asks; Rule is for the audit.
	Reason string `json:"reason"`
	Rule   string `json:"rule"`
	// Timeout is how long the person has, in JSON as nanoseconds. What is not positive is over at once.
	Timeout time.Duration `json:"timeout"`
	// Remember says that a yes also holds for identical calls of the same run.
	Remember bool `json:"remember,omitempty"`
}

// memorable reports whether an answer may be used for another call.
func (r Request) memorable() bool { return r.Remember && r.Run != "" && r.Digest != "" }

// Pending is a request that waits for an answer. Asked is when the question was put, Expires when it becomes a no.
type Pending struct {
	Request
	// ID is short and easy to type; see [Book.Answer].
	ID      string    `json:"id"`
	Asked   time.Time `json:"asked"`
	Expires time.Time `json:"expires"`
}

// Digest is the hex SHA-256 over the arguments of a call: a JSON object, or nil for none, which is {}.
//
// The order of keys, white space and the way characters are escaped do not change it. A number is its digits: 1 and 1.0
// differ, and so do big integers that a float64 could not tell apart. Errors are those of [exact.Canonical], such as a
// key that is there twice: the approver and the server might not read the same, so there is nothing to bind to.
func Digest(arguments json.RawMessage) (string, error) {
	if len(arguments) == 0 {
		arguments = json.RawMessage("{}")
	}
	canonical, err := exact.Canonical(arguments)
	if err != nil {
		return "", fmt.Errorf("arguments: %w", err)
	}
	sum := sha256.Sum256(canonical)
	return hex.EncodeToString(sum[:]), nil
}
