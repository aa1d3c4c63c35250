package main

import (
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/mcp-supervisor/supervisor/config"
	gov "github.com/mcp-supervisor/supervisor/governance/spec"
	"github.com/mcp-supervisor/supervisor/messages"
)

// hints is what advice on a command line depends on.
type hints struct {
	// workspace is how the workspace was named, ready to follow a command with a blank before it; "" when it was not.
	workspace string
	// unknownAgent: the workspace has no agent like the one that was named, and the tools are not to blame.
	unknownAgent bool
}

// named is how a hint names the workspace of this command line again.
func (a *app) named(arg string) string {
	if arg = orElse(arg, a.workspace); arg == "" {
		return ""
	}
	if strings.ContainsFunc(arg, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("/._-", r)
	}) {
		arg = "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
	}
	return " " + arg
}

// knows reports whether a caller's name stands for one agent of the workspace, or for the operator.
func knows(ws *config.Workspace, name string) bool {
	found := 0
	for _, a := range ws.Agents() {
		if name == a.ID || name == a.Topology+"/"+a.ID {
			found++
		}
	}
	return found == 1 || found == 0 && (name == "" || name == gov.Operator)
}

// explain says in one line why a call has no good result and what to do about it.
func explain(r messages.CallResult, h hints) string {
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
	return join("; ", text, advice(r, h))
}

// advice is what the person at the terminal can do, where the message of an agent's size does not say it.
func advice(r messages.CallResult, h hints) string {
	switch r.Outcome {
	case messages.Invalid:
		if h.unknownAgent {
			return ""
		}
		return "`supervisor tools" + h.workspace + "` lists what there is, with --json the schemas of the arguments"
	case messages.Denied:
		return "`supervisor audit list" + h.workspace + " --outcome denied` names the rule"
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
