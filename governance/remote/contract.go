package remote

import (
	"encoding/json"
	"time"

	"github.com/mcp-supervisor/supervisor/governance"
)

// version is the contract's. It changes when an old provider would misread a request, or we an old answer.
const version = 1

const (
	evaluateAction = "evaluate_action"
	verifyIdentity = "verify_identity"
	recordEvent    = "record_event"
	trustScore     = "trust_score"
)

// request is what a provider reads. Only the method's own field is there.
type request struct {
	Version    int         `json:"version"`
	Method     string      `json:"method"`
	Action     *action     `json:"action,omitempty"`
	Credential *credential `json:"credential,omitempty"`
	Event      *event      `json:"event,omitempty"`
	Agent      string      `json:"agent,omitempty"`
}

type action struct {
	Name           string          `json:"name"`
	Topology       string          `json:"topology"`
	Agent          string          `json:"agent"`
	Run            string          `json:"run"`
	Server         string          `json:"server"`
	Tool           string          `json:"tool"`
	ScopesRequired []string        `json:"scopes_required"`
	Arguments      json.RawMessage `json:"arguments"`
	// Effect and ToolHash are left out while the server's tools are not known.
	Effect   string         `json:"effect,omitempty"`
	ToolHash string         `json:"tool_hash,omitempty"`
	Context  map[string]any `json:"context"`
	Time     time.Time      `json:"time"`
}

type credential struct {
	Topology string `json:"topology"`
	Agent    string `json:"agent"`
	Type     string `json:"type"`
	Value    string `json:"value"`
}

type event struct {
	Type     string    `json:"type"`
	Time     time.Time `json:"time"`
	Topology string    `json:"topology"`
	Agent    string    `json:"agent"`
	Run      string    `json:"run"`
	Server   string    `json:"server"`
	Tool     string    `json:"tool"`
	CallID   string    `json:"call_id"`
	Outcome  string    `json:"outcome"`
	Rule     string    `json:"rule"`
	Reason   string    `json:"reason"`
}

// actionOf is an action in the contract's words. tool is nil while the server's tools are not known.
func actionOf(a governance.Action, tool *governance.Tool) *action {
	out := &action{
		Name: a.Name(), Topology: a.Topology, Agent: a.Agent, Run: a.Run, Server: a.Server, Tool: a.Tool,
		ScopesRequired: a.ScopesRequired, Arguments: a.Arguments, Context: a.Context, Time: a.Now,
	}
	if out.ScopesRequired == nil {
		out.ScopesRequired = []string{}
	}
	if len(out.Arguments) == 0 {
		out.Arguments = json.RawMessage("{}")
	}
	if out.Context == nil {
		out.Context = map[string]any{}
	}
	if tool != nil {
		out.Effect, out.ToolHash = string(tool.Effect), tool.Hash
	}
	return out
}

func eventOf(e governance.Event) *event {
	return &event{
		Type: e.Type, Time: e.Time, Topology: e.Topology, Agent: e.Agent, Run: e.Run, Server: e.Server, Tool: e.Tool,
		CallID: e.CallID, Outcome: string(e.Outcome), Rule: e.Rule, Reason: e.Reason,
	}
}
