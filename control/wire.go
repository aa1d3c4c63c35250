package control

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/mcp-supervisor/supervisor/actors"
	"github.com/mcp-supervisor/supervisor/config"
	"github.com/mcp-supervisor/supervisor/governance"
	"github.com/mcp-supervisor/supervisor/governance/policy"
	"github.com/mcp-supervisor/supervisor/messages"
)

const (
	pathHello   = "/v1/hello"
	pathCall    = "/v1/call"
	pathTools   = "/v1/tools"
	pathServers = "/v1/servers"
	pathStart   = "/v1/servers/start"
	pathStop    = "/v1/servers/stop"
	pathRestart = "/v1/servers/restart"
	pathReload  = "/v1/reload"
	pathRun     = "/v1/run"
	pathList    = "/v1/audit/list"
	pathVerify  = "/v1/audit/verify"
	pathCancel  = "/v1/cancel"

	pathApprovals = "/v1/approvals"
	pathAnswer    = "/v1/approvals/answer"
	pathFrozen    = "/v1/frozen"
	pathFreeze    = "/v1/freeze"
	pathThaw      = "/v1/thaw"
	pathChanges   = "/v1/tools/changes"
	pathApprove   = "/v1/tools/approve"
	pathExplain   = "/v1/explain"
)

const (
	headerProtocol = "Supervisor-Protocol"
	headerVersion  = "Supervisor-Version"
	// headerDeadline is absolute (RFC 3339): both ends share one clock.
	headerDeadline = "Supervisor-Deadline"
	// headerRequest names a request so that a cancel can name it too.
	headerRequest = "Supervisor-Request"
)

// MaxBody is the longest request body and the longest line of a response, in bytes: one message of a server
// (mcp/spec.DefaultMaxMessage) fits in it.
const MaxBody = 64 << 20

// envelope is the room around a tool's result in a response.
const envelope = 1 << 20

// hello is who the owner is.
type hello struct {
	PID int `json:"pid"`
}

// serverRequest names the server that is to be started, stopped or restarted.
type serverRequest struct {
	Server string `json:"server"`
}

// frozenNow is the answer to a turn of the kill switch.
type frozenNow struct {
	Frozen governance.Frozen `json:"frozen"`
	// Error is why the turn, or the keeping of it, failed.
	Error *failure `json:"error,omitempty"`
}

// failure is the body of every response that is not 200, and the last line of a run that failed.
type failure struct {
	// Outcome is set for what was an [actors.RunError], and for the faults of a workspace.
	Outcome messages.Outcome `json:"outcome,omitempty"`
	Message string           `json:"message"`
	Exit    *messages.Exit   `json:"exit,omitempty"`
}

func failureOf(err error) *failure {
	var run *actors.RunError
	var faults config.Faults
	var rules policy.Faults
	switch {
	case errors.As(err, &run):
		return &failure{Outcome: run.Outcome, Message: err.Error(), Exit: run.Exit}
	case errors.As(err, &faults):
		return &failure{Outcome: messages.Invalid, Message: faults.Error()}
	case errors.As(err, &rules):
		return &failure{Outcome: messages.Invalid, Message: rules.Error()}
	}
	return &failure{Message: err.Error()}
}

func (f *failure) err() error {
	if f.Outcome != "" {
		return &actors.RunError{Outcome: f.Outcome, Message: f.Message, Exit: f.Exit}
	}
	return errors.New(f.Message)
}

// line is one line of a run's stream. The last one has the Result, and the Error of a run that did not end well.
type line struct {
	Event *messages.Event `json:"event,omitempty"`
	// Dropped counts events that a slow reader missed.
	Dropped int               `json:"dropped,omitempty"`
	Result  *actors.RunResult `json:"result,omitempty"`
	Error   *failure          `json:"error,omitempty"`
}

// cancelRequest names a request by its headerRequest.
type cancelRequest struct {
	Request string `json:"request"`
}

// encode writes v as one line of JSON. Raw messages inside it keep their characters.
func encode(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

func stamp(h http.Header) {
	h.Set(headerProtocol, strconv.Itoa(Protocol))
	h.Set(headerVersion, Version())
}

// checkProtocol says in words when the peer speaks another control API than we do. who is the peer.
func checkProtocol(h http.Header, who string) error {
	theirs := h.Get(headerProtocol)
	if theirs == strconv.Itoa(Protocol) {
		return nil
	}
	return fmt.Errorf("%s is supervisor %q with control protocol %q; this is %q with protocol %d: use the same version of both",
		who, h.Get(headerVersion), theirs, Version(), Protocol)
}

func deadlineOf(h http.Header) (time.Time, error) {
	text := h.Get(headerDeadline)
	if text == "" {
		return time.Time{}, nil
	}
	return time.Parse(time.RFC3339Nano, text)
}
