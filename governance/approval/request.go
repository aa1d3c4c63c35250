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
	Topology, Agent string
	// Server and Tool are the server's id and the tool's original name.
	Server, Tool string
	// Digest is the [Digest] of the arguments as they will be sent; empty when they have none. Such a call is asked
	// about by itself, and its answer is never remembered.
	Digest string
	// ToolHash is the gate's hash of the tool as it was when the call was decided.
	ToolHash string
	// PolicyVersion names the policies that the call was decided by.
	PolicyVersion string
}

// Request is one call that needs an approval.
type Request struct {
	Binding
	// CallID is the call's id, unique among all calls. Run is its run; empty outside a run.
	CallID, Run string
	// Arguments are shown to the person: secrets are masked in them already. They are nil for none.
	Arguments json.RawMessage
	// Reason is the sentence that the person reads, Rule what asks; Rule is for the audit.
	Reason, Rule string
	// Timeout is how long the person has. What is not positive is over at once.
	Timeout time.Duration
	// Remember says that a yes also holds for identical calls of the same run.
	Remember bool
}

// memorable reports whether an answer may be used for another call.
func (r Request) memorable() bool { return r.Remember && r.Run != "" && r.Digest != "" }

// Pending is a request that waits for an answer. Asked is when the question was put, Expires when it becomes a no.
type Pending struct {
	Request
	// ID is short and easy to type; see [Book.Answer].
	ID             string
	Asked, Expires time.Time
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
