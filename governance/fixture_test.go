package governance

import (
	"context"
	"encoding/json"
	"testing"

	"go.uber.org/goleak"

	"github.com/mcp-supervisor/supervisor/governance/spec"
	mcpspec "github.com/mcp-supervisor/supervisor/mcp/spec"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// files is a server with one tool of each kind. Its filter hides `wipe`.
var files = spec.Server{
	ID:    "files",
	Tools: []string{"read", "write", "list", "ghost"},
}

func filesOffer() *mcpspec.Catalogue {
	yes, no := true, false
	return &mcpspec.Catalogue{Tools: []mcpspec.Tool{
		{Name: "read", Annotations: mcpspec.Annotations{ReadOnly: &yes}, InputSchema: json.RawMessage(
			`{"type":"object","properties":{"path":{"type":"string"},"limit":{"type":"integer"}},"required":["path"],"additionalProperties":false}`)},
		{Name: "write", Annotations: mcpspec.Annotations{ReadOnly: &no}},
		{Name: "list"},
		{Name: "wipe"},
	}}
}

// workspace is the snapshot most tests decide by: a writer with two ways to tools of `files`, a reader in two
// topologies, and a guest without anything.
func workspace() Snapshot {
	return Snapshot{
		Disabled: []string{"off"},
		Agents: []AgentIn{
			{Topology: "main", Agent: spec.Agent{ID: "writer", Role: "worker", Scopes: []string{"fs:read"}, Elevated: []string{"fs:admin"}, Grants: []spec.Grant{
				{Via: "write-file", Server: "files", Tool: "write", Scopes: []string{"fs:write"}},
				{Via: "admin-list", Server: "files", Tool: "list", Scopes: []string{"fs:admin"}},
				{Via: "read-file", Server: "files", Tool: "read", Scopes: []string{"fs:read"}},
			}}},
			{Topology: "main", Agent: spec.Agent{ID: "reader", Scopes: []string{"fs:*"}, Grants: []spec.Grant{
				{Via: "admin-read", Server: "files", Tool: "read", Scopes: []string{"root:all"}},
				{Via: "server:files", Server: "files", Tool: "*"},
				{Via: "tool:gone/x", Server: "gone", Tool: "x"},
			}}},
			{Topology: "night", Agent: spec.Agent{ID: "reader"}},
			{Topology: "night", Agent: spec.Agent{ID: "guest"}},
			{Topology: "night", Agent: spec.Agent{ID: spec.Operator}},
		},
		Servers: []spec.Server{files, {ID: "vault", Tier: spec.Strict}},
	}
}

func filesCatalogue() *Catalogue { return NewCatalogue(filesOffer(), files) }

func decide(t testing.TB, s Snapshot, a Action) Decision {
	t.Helper()
	return NewBuiltin(s).EvaluateAction(context.Background(), a)
}
