package spec

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// CallRequest is one tools/call on an open session.
type CallRequest struct {
	Tool string
	// Arguments is a JSON object; nil is sent as {}.
	Arguments json.RawMessage
	// Meta is the request's _meta object; nil is sent as none.
	Meta json.RawMessage
}

// Reply is the end of one CallRequest. Exactly one of Result, RPC and Err is set.
type Reply struct {
	// Result is the result object as the server sent it, undecoded.
	Result json.RawMessage
	// RPC is the server's JSON-RPC error.
	RPC *RPCError
	// Err says why there is no answer.
	Err error
	// Written is true when the request, or a part of it, may have reached the server. It is true with Result and RPC.
	Written bool
	// RetryAfter is what an HTTP server asked for; 0 when it did not.
	RetryAfter time.Duration
}

// RPCError is a JSON-RPC error as the server sent it.
type RPCError struct {
	Code    int64           `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`
}

func (e *RPCError) Error() string { return fmt.Sprintf("JSON-RPC error %d: %s", e.Code, e.Message) }

// Exit is the post-mortem of one incarnation of a server.
type Exit struct {
	// Code is the exit code, or -1 when there is none (killed by a signal, not a process, or not known).
	Code int
	// Signal is the name of the signal that ended the process ("SIGKILL"), or empty.
	Signal string
	// Reason says in words why the session ended, when it was not only the process's exit.
	Reason string
	// StderrTail holds the last lines the process wrote to stderr, oldest first, control characters escaped and secret
	// values masked.
	StderrTail []string
	// Hopeless is true when a new start cannot go better: command not found, not executable, protocol mismatch.
	Hopeless bool
	// Denied is true when a remote server refused the start for want of authorisation (HTTP status 401 or 403): a new
	// start helps only after somebody did something about it.
	Denied bool
	// RetryAfter is how long a remote server that refused the start wants to be left alone; 0 when it did not say.
	RetryAfter time.Duration
}

// Clean reports whether the process ended by itself with exit code 0 and nothing else was wrong.
func (e Exit) Clean() bool { return e.Code == 0 && e.Signal == "" && e.Reason == "" }

// String says how the incarnation ended in a few words, for example "killed by SIGKILL" or "exited with code 3; stderr: boom".
func (e Exit) String() string {
	how := e.status()
	switch {
	case e.Reason != "" && e.Signal == "SIGKILL": // which follows from the reason: nobody else knew of it
		how = e.Reason + "; the supervisor killed it (SIGKILL)"
	case e.Reason != "" && how != "":
		how = e.Reason + " (" + how + ")"
	case e.Reason != "":
		how = e.Reason
	case how == "":
		how = "ended"
	}
	if line := e.lastWords(); line != "" {
		how += "; stderr: " + line
	}
	return how
}

// lastWords is the line of stderr that says most: the message of a Go panic, which its stack follows, or else the last.
func (e Exit) lastWords() string {
	last := ""
	for _, line := range e.StderrTail {
		if strings.HasPrefix(line, "panic: ") || strings.HasPrefix(line, "fatal error: ") {
			return line
		}
		if strings.TrimSpace(line) != "" {
			last = line
		}
	}
	return last
}

func (e Exit) status() string {
	switch {
	case e.Signal != "":
		return "killed by " + e.Signal
	case e.Code >= 0:
		return fmt.Sprintf("exited with code %d", e.Code)
	}
	return ""
}
