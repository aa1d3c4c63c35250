package mcp

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/mcp-supervisor/supervisor/mcp/spec"
)

// ErrCancelled is the Err of a call that its caller cancelled.
var ErrCancelled = errors.New("call cancelled")

// ErrClosed is the Err of a call made after Close or Kill. It did not run.
var ErrClosed = errors.New("session closed")

// ErrArguments is the Err of a call whose arguments or _meta are not a JSON object. It was not sent.
var ErrArguments = errors.New("not a JSON object")

// ErrNoAnswer is the Err of a call whose answer came, but is none: neither result nor error, a body that is no
// JSON-RPC, a stream that ended early. The call may have run.
var ErrNoAnswer = errors.New("no usable answer")

// OpenError says why a server could not be started or connected to. Its text is for people: it names the server, the
// reason and the way out, and secret values are masked.
type OpenError struct {
	Server string
	// Exit is the post-mortem; Exit.Hopeless says that a new start cannot go better.
	Exit spec.Exit
	Err  error
}

func (e *OpenError) Error() string {
	text := fmt.Sprintf("server %q: %v", e.Server, e.Err)
	if n := len(e.Exit.StderrTail); n > 0 {
		text += "; stderr: " + strings.Join(e.Exit.StderrTail[max(0, n-5):], " | ")
	}
	return text
}

func (e *OpenError) Unwrap() error { return e.Err }

// ExitError is the Err of a call whose session ended before the answer came. Written in the reply says whether the call
// may have run.
type ExitError struct{ Exit spec.Exit }

func (e *ExitError) Error() string { return "the server's session ended: " + e.Exit.String() }

// StatusError is the Err of a call that an HTTP server refused by its status.
type StatusError struct {
	Status int
	// RetryAfter is what the server asked for; 0 when it did not.
	RetryAfter time.Duration
	// Detail is the start of the body or what WWW-Authenticate asks for, masked; may be empty.
	Detail string

	// rpc is the JSON-RPC error in the body, where it counts as the server's answer.
	rpc *spec.RPCError
	// initialize is true when this was the answer to the very first request.
	initialize bool
}

func (e *StatusError) Error() string {
	text := fmt.Sprintf("HTTP status %d %s", e.Status, http.StatusText(e.Status))
	if e.Denied() {
		text = "needs authorisation: " + text
	}
	if e.Detail != "" {
		text += ": " + e.Detail
	}
	return text
}

// Denied reports whether the server wants authorisation, or other than it got.
func (e *StatusError) Denied() bool {
	return e.Status == http.StatusUnauthorized || e.Status == http.StatusForbidden
}

// Unwrap returns the JSON-RPC error in the body, if it is the server's answer.
func (e *StatusError) Unwrap() error {
	if e.rpc == nil {
		return nil
	}
	return e.rpc
}

// SizeError is the Err of a call whose answer was longer than max_message. The call ran; the session lives.
type SizeError struct{ Max int }

func (e *SizeError) Error() string {
	return fmt.Sprintf("the answer is longer than %d bytes (max_message)", e.Max)
}

// startTimeoutError is a start that took too long. It matches context.DeadlineExceeded, whose own text would add nothing.
type startTimeoutError struct {
	step  string // what was not answered
	limit time.Duration
}

func (e *startTimeoutError) Error() string {
	return fmt.Sprintf("gave no answer to %s within %v (start_timeout)", e.step, e.limit)
}

func (e *startTimeoutError) Is(target error) bool { return target == context.DeadlineExceeded }

// hopeless marks an error that a new start cannot cure.
type hopeless struct{ error }

func (h hopeless) Unwrap() error { return h.error }

func isHopeless(err error) bool {
	var h hopeless
	return errors.As(err, &h)
}

// maskedError shows a masked text and still matches what it stands for. It does not unwrap, so that no printer of
// error chains gets at the unmasked text.
type maskedError struct {
	text  string
	cause error
}

func (m maskedError) Error() string        { return m.text }
func (m maskedError) Is(target error) bool { return errors.Is(m.cause, target) }
func (m maskedError) As(target any) bool   { return errors.As(m.cause, target) }

// verdict is what an HTTP server's refusal says about the next start.
func verdict(err error) (denied bool, retryAfter time.Duration) {
	var status *StatusError
	if !errors.As(err, &status) {
		return false, 0
	}
	return status.Denied(), status.RetryAfter
}
