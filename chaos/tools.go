package chaos

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/mcp-supervisor/supervisor/actors"
	gov "github.com/mcp-supervisor/supervisor/governance/spec"
	"github.com/mcp-supervisor/supervisor/messages"
)

const (
	// perServer is how many tools of one server are called, and tried how many are looked at to find them.
	perServer = 2
	tried     = 8
	// tryFor bounds a trial call: a tool that takes longer is no tool for a load.
	tryFor = 2 * time.Second
)

// candidates are the tools of a server that may be called unasked, with arguments, in the server's order: those that read,
// need no approval, and have arguments that can be made.
func candidates(server string, tools []actors.ToolInfo) []Target {
	var found []Target
	for _, t := range tools {
		if t.Server != server || t.Stale || t.Effect != string(gov.Read) || t.Tier == string(gov.Strict) {
			continue
		}
		if arguments, marker, ok := makeArguments(t.InputSchema); ok {
			found = append(found, Target{Server: server, Tool: t.Name, Arguments: arguments, Marker: marker})
		}
	}
	return found
}

// choose finds the tools that are called: what the caller named for a server, or else the first candidates that answer well.
// why says for each server without a tool why it is not called.
func choose(ctx context.Context, c *caller, servers []string, tools []actors.ToolInfo, named []Target) (chosen []Target, why map[string]string) {
	why = map[string]string{}
	for _, server := range servers {
		found := ofServer(server, named)
		if server == Ledger {
			found = []Target{{Server: Ledger, Tool: "record", Arguments: json.RawMessage("{}"), Marker: "key"}}
		}
		if len(found) == 0 {
			found, why[server] = try(ctx, c, candidates(server, tools))
		}
		if len(found) > 0 {
			delete(why, server)
		}
		chosen = append(chosen, found...)
	}
	return chosen, why
}

func ofServer(server string, targets []Target) []Target {
	var found []Target
	for _, t := range targets {
		if t.Server == server {
			found = append(found, t)
		}
	}
	return found
}

// try calls each candidate once, as the operator. One whose answer does not repeat the marker is no echo.
func try(ctx context.Context, c *caller, targets []Target) (good []Target, why string) {
	why = "none of its tools says that it reads and has arguments that can be made"
	for i, t := range targets {
		if i == tried || len(good) == perServer || ctx.Err() != nil {
			break
		}
		r, text := c.call(ctx, "", t, fmt.Sprintf("chaos-trial-%d", i), tryFor)
		if r.Outcome != messages.OK {
			why = fmt.Sprintf("tool %s ended as %s when it was tried", t.Tool, r.Outcome)
			continue
		}
		if !strings.Contains(string(r.Result), text) {
			t.Marker = ""
		}
		good = append(good, t)
	}
	return good, why
}

// arguments are the target's, with text in the marker's place.
func (t Target) arguments(text string) json.RawMessage {
	if t.Marker == "" {
		return t.Arguments
	}
	arguments, err := json.Marshal(map[string]string{t.Marker: text})
	if err != nil { // strings always marshal
		return t.Arguments
	}
	return arguments
}

// checkNamed reports tools that the caller named and that are not there. servers are those that came up.
func checkNamed(named []Target, servers []string, tools []actors.ToolInfo) error {
	known := map[string]bool{}
	for _, t := range tools {
		known[t.Server+"/"+t.Name] = true
	}
	for _, t := range named {
		if name := t.Server + "/" + t.Tool; !known[name] {
			return unusable("there is no tool %s to call; servers that are up: %s", name, strings.Join(servers, ", "))
		}
	}
	return nil
}
