package actors

import (
	"context"
	"encoding/json"
	"time"

	mcpspec "github.com/mcp-supervisor/supervisor/mcp/spec"
	"github.com/mcp-supervisor/supervisor/messages"
)

// API is what a running supervisor offers. [Supervisor] implements it; the control socket's client does too, so that a
// command works the same way whether it owns the workspace or asks the owner.
type API interface {
	// CallTool makes one governed call and returns its one outcome. It never returns early: when ctx ends, the call is
	// cancelled and the result says cancelled (or timeout, when ctx had a deadline). Safe for concurrent use.
	CallTool(ctx context.Context, r CallRequest) messages.CallResult
	// Tools lists the tools of servers, starting those whose tools are not known and waiting for them inside their start
	// time-out. Of a lazy server it is enough to know what it offered last time. A server that cannot start is in Down, with the reason, and does not fail the rest; its tools are those
	// it had last, if that is known.
	// Errors: a [RunError] that says invalid for an unknown server or agent.
	Tools(ctx context.Context, q ToolsQuery) (ToolsResult, error)
	// Servers is a snapshot of every declared server, in the order of the workspace.
	Servers(ctx context.Context) ([]messages.ServerStatus, error)
	// Run starts what the topology needs, runs its root agent on the input and returns its answer.
	// progress, if not nil, is called with the run's events, in order, and must not block for long.
	// Errors: [RunError] when the run could not start or did not end well.
	Run(ctx context.Context, r RunRequest, progress func(messages.Event)) (RunResult, error)
	// StartServer starts a server by hand and returns when it is up. A server that failed, or that was stopped by hand, gets
	// a fresh restart budget; one that is up is left alone.
	// Errors: a [RunError] that says invalid for a server that is not declared or disabled, unavailable with the
	// post-mortem when it did not come up, cancelled when ctx ended first; then it goes on starting.
	StartServer(ctx context.Context, id string) (messages.ServerStatus, error)
	// StopServer drains a server, stops it, and returns when nothing of it is left. It stays stopped, whatever calls it,
	// until StartServer or RestartServer, or until it is taken out of the workspace. Calls that run may go on for its
	// stop_grace; those that wait, and new ones, are refused at once. Errors: as for StartServer.
	StopServer(ctx context.Context, id string) (messages.ServerStatus, error)
	// RestartServer drains a server, stops it, starts it with a fresh restart budget and returns when it is up.
	// Errors: as for StartServer.
	RestartServer(ctx context.Context, id string) (messages.ServerStatus, error)
	// Reload reads the workspace's files again and applies what changed: unchanged servers keep running with their
	// sessions, changed ones drain and are replaced, removed ones drain and stop. It returns once all changes are under
	// way. A file with a fault changes nothing.
	// Errors: config.Faults (as text over the control socket), or a [RunError].
	Reload(ctx context.Context) (ReloadResult, error)
}

// ReloadResult is what a reload changed. The lists hold server ids.
type ReloadResult struct {
	// Digest is the SHA-256 of the files that are in force now, as hex.
	Digest    string   `json:"digest"`
	Added     []string `json:"added,omitempty"`
	Changed   []string `json:"changed,omitempty"`
	Removed   []string `json:"removed,omitempty"`
	Unchanged []string `json:"unchanged,omitempty"`
	// Tuned servers go on with their process; how they are supervised changed.
	Tuned []string `json:"tuned,omitempty"`
	// Supervision names what changed of how servers are supervised together: "max_starts", "group `data`".
	Supervision []string `json:"supervision,omitempty"`
	// Gate is true when what the gate decides by changed too: agents, skills, topologies, credentials, a server's tools,
	// permissions or effects.
	Gate bool `json:"gate,omitempty"`
	// Waiting names what changed in the files and waits for a reload by hand, because it could widen the gate.
	Waiting  []string `json:"waiting,omitempty"`
	Warnings []string `json:"warnings,omitempty"`
}

// CallRequest is one call. Zero values mean the documented default.
type CallRequest struct {
	// Agent is the caller: an agent's id, "topology/agent" where the id is declared in several, or empty for the operator.
	Agent string `json:"agent,omitempty"`
	// Server is the server's id and Tool the tool's original name.
	Server string `json:"server"`
	Tool   string `json:"tool"`
	// Arguments is a JSON object; nil is {}.
	Arguments json.RawMessage `json:"arguments,omitempty"`
	// Timeout bounds the running of the call once it was sent; 0 means the server's own. The wait before that is bounded by
	// the server's start_timeout until it was up for the first time, and by its queue.wait later. To bound all together,
	// give ctx a deadline.
	Timeout time.Duration `json:"timeout,omitempty"`
	// Meta is passed on to the server as _meta.
	Meta json.RawMessage `json:"meta,omitempty"`
	// TraceParent is the W3C trace context of the caller.
	TraceParent string `json:"traceparent,omitempty"`
}

// ToolsQuery selects tools.
type ToolsQuery struct {
	Server string `json:"server,omitempty"` // only of this server
	Agent  string `json:"agent,omitempty"`  // only what this agent is granted
}

// ToolsResult is what a ToolsQuery found.
type ToolsResult struct {
	Tools []ToolInfo `json:"tools"`
	// Down are the servers that could not be asked, with the reason.
	Down []DownServer `json:"down,omitempty"`
	// Warnings name tools that were left out, and why.
	Warnings []string `json:"warnings,omitempty"`
}

// ToolInfo is one tool that is exposed.
type ToolInfo struct {
	Server string `json:"server"`
	Name   string `json:"name"` // the original name
	// Exported is the name models see.
	Exported    string              `json:"exported"`
	Description string              `json:"description,omitempty"`
	Effect      string              `json:"effect"`
	Tier        string              `json:"tier"`
	InputSchema json.RawMessage     `json:"input_schema,omitempty"`
	Annotations mcpspec.Annotations `json:"annotations"`
	Hash        string              `json:"hash"`
	// Stale is true when the server is down, and this is what it offered when it was up last.
	Stale bool `json:"stale,omitempty"`
}

// DownServer is a server that is not up, and why.
type DownServer struct {
	Server string              `json:"server"`
	Error  *messages.CallError `json:"error"`
}

// RunRequest is one run of a topology.
type RunRequest struct {
	Topology string `json:"topology,omitempty"` // empty: the only one
	Input    string `json:"input,omitempty"`
}

// RunResult is how a run ended.
type RunResult struct {
	Run      string `json:"run"`
	Topology string `json:"topology"`
	// Answer is the root agent's answer.
	Answer string `json:"answer"`
	// Outcome is ok when the root agent answered, whatever its tools did.
	Outcome messages.Outcome `json:"outcome"`
	// Calls counts the run's calls by outcome.
	Calls    map[messages.Outcome]int `json:"calls"`
	Duration messages.Millis          `json:"duration_ms"`
}

// RunError says why a run did not end with an answer.
type RunError struct {
	Outcome messages.Outcome `json:"outcome"`
	Message string           `json:"message"`
	// Exit is the post-mortem of a server that did not come up; nil when there is none.
	Exit *messages.Exit `json:"exit,omitempty"`
}

func (e *RunError) Error() string { return e.Message }
