package main

import (
	"fmt"
	"time"

	"github.com/mcp-supervisor/supervisor/messages"
)

// explain says in one line why a call has no good result and what to do about it.
func explain(r messages.CallResult) string {
	text := fmt.Sprintf("%s/%s: %s", r.Server, r.Tool, r.Outcome)
	if r.Error == nil {
		return text
	}
	text = join(": ", text, r.Error.Message)
	if r.Error.Kind == "rpc" {
		text += fmt.Sprintf(" (JSON-RPC error %d)", r.Error.Code)
	}
	if retry := time.Duration(r.Error.RetryAfter); retry > 0 {
		text += fmt.Sprintf(" (expected back in %s)", short(retry))
	}
	return join("; ", text, advice(r))
}

// advice is what the person at the terminal can do, where the message of an agent's size does not say it.
func advice(r messages.CallResult) string {
	switch r.Outcome {
	case messages.Invalid:
		return "`supervisor tools` lists what there is, with --json the schemas of the arguments"
	case messages.Denied:
		return "`supervisor audit list --outcome denied` names the rule"
	case messages.Timeout:
		return "--timeout, or the server's `timeout` in the workspace, gives it longer"
	case messages.Lost:
		return "check what it did before calling again"
	case messages.Overloaded:
		return "try again, or raise the server's `max_in_flight` or `queue` in the workspace"
	case messages.Internal:
		return "this is a bug of supervisor; --log-level debug shows more"
	case messages.OK, messages.ToolError, messages.Unavailable, messages.Cancelled, messages.Stopped:
	}
	return ""
}
