package governance

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-supervisor/supervisor/governance/spec"
	mcpspec "github.com/mcp-supervisor/supervisor/mcp/spec"
	"github.com/mcp-supervisor/supervisor/messages"
)

// TestOrder walks the checks in their order: each row passes all checks before its own.
func TestOrder(t *testing.T) {
	tools := filesCatalogue()
	for _, tt := range []struct {
		name    string
		action  Action
		outcome messages.Outcome
		rule    string
		reason  string
	}{
		{
			"unknown agent",
			Action{Agent: "wrter", Server: "files", Tool: "read"},
			messages.Invalid, "identity", "unknown agent `wrter`; did you mean `writer`?",
		},
		{
			"no agent",
			Action{Server: "files", Tool: "read"},
			messages.Invalid, "identity", "unknown agent ``",
		},
		{
			"agent of another topology",
			Action{Topology: "night", Agent: "writer", Server: "files", Tool: "read"},
			messages.Invalid, "identity", "unknown agent `writer` in topology `night`",
		},
		{
			"agent of two topologies",
			Action{Agent: "reader", Server: "files", Tool: "read"},
			messages.Invalid, "identity", "agent `reader` is declared in several topologies; say which: `main/reader`, `night/reader`",
		},
		{
			"no grant",
			Action{Agent: "guest", Server: "files", Tool: "read"},
			messages.Denied, "grant", "agent `guest` has no grant for tool `read` of server `files`; give it a skill that uses the tool, or add \"tool:<server>/<tool>\" to its skills",
		},
		{
			"an agent named like the operator is not the operator",
			Action{Topology: "night", Agent: "operator", Server: "files", Tool: "read"},
			messages.Denied, "grant", "agent `operator` has no grant for tool `read` of server `files`; give it a skill that uses the tool, or add \"tool:<server>/<tool>\" to its skills",
		},
		{
			"granted server is gone",
			Action{Topology: "main", Agent: "reader", Server: "gone", Tool: "x"},
			messages.Invalid, "server", "unknown server `gone`",
		},
		{
			"a disabled server that is granted",
			Action{Agent: "operator", Server: "off", Tool: "x"},
			messages.Invalid, "server", "server `off` is disabled in this workspace",
		},
		{
			"a disabled server that is not",
			Action{Agent: "guest", Server: "off", Tool: "x"},
			messages.Denied, "grant", "agent `guest` has no grant for tool `x` of server `off`; give it a skill that uses the tool, or add \"tool:<server>/<tool>\" to its skills",
		},
		{
			"operator mistypes a server",
			Action{Agent: "operator", Server: "file", Tool: "read"},
			messages.Invalid, "server", "unknown server `file`; did you mean `files`?",
		},
		{
			"scope",
			Action{Agent: "writer", Server: "files", Tool: "write"},
			messages.Denied, "scope", "agent `writer` lacks scope `fs:write`, which skill `write-file` needs; add it to its iam.base_scope",
		},
		{
			"elevated scope",
			Action{Agent: "writer", Server: "files", Tool: "list"},
			messages.Denied, "scope", "agent `writer` lacks scope `fs:admin`, which skill `admin-list` needs; add it to its iam.base_scope (elevated_scopes are not granted by themselves)",
		},
		{
			"scopes of the caller",
			Action{Agent: "writer", Server: "files", Tool: "read", ScopesRequired: []string{"net:out", "net:in"}},
			messages.Denied, "scope", "agent `writer` lacks scopes `net:out`, `net:in`, which skill `read-file` needs; add it to its iam.base_scope",
		},
		{
			"unknown tool",
			Action{Topology: "main", Agent: "reader", Server: "files", Tool: "raed", Catalogue: tools},
			messages.Invalid, "tool", "server `files` has no tool `raed`; did you mean `read`?",
		},
		{
			"mistyped tool",
			Action{Topology: "main", Agent: "reader", Server: "files", Tool: "writ", Catalogue: tools},
			messages.Invalid, "tool", "server `files` has no tool `writ`; did you mean `write`?",
		},
		{
			"hidden tool",
			Action{Agent: "operator", Server: "files", Tool: "wipe", Catalogue: tools},
			messages.Invalid, "tool", "server `files` has no tool `wipe`; did you mean `write`?",
		},
		{
			"arguments",
			Action{Agent: "writer", Server: "files", Tool: "read", Catalogue: tools, Arguments: json.RawMessage(`{"path":1,"x":2}`)},
			messages.Invalid, "schema", "arguments of tool `read`: `path` must be a string, not a number; `x` is not in the schema",
		},
		{
			"no arguments",
			Action{Agent: "writer", Server: "files", Tool: "read", Catalogue: tools},
			messages.Invalid, "schema", "arguments of tool `read`: `path` is missing",
		},
		{
			"allowed",
			Action{Agent: "writer", Server: "files", Tool: "read", Catalogue: tools, Arguments: json.RawMessage(`{"path":"a"}`)},
			"", "builtin:permit-all", "",
		},
		{
			"the operator may",
			Action{Agent: "operator", Server: "files", Tool: "list", Catalogue: tools, ScopesRequired: []string{"any:thing"}},
			"", "builtin:permit-all", "",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := decide(t, workspace(), tt.action)
			got := []any{d.Allowed, d.NeedsCatalogue, d.Outcome, d.Rule, d.Reason}
			want := []any{tt.outcome == "", false, tt.outcome, tt.rule, tt.reason}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestDecisionTellsHowItWasMade(t *testing.T) {
	tools := filesCatalogue()
	read, _ := tools.Find("read")
	a := Action{Agent: "writer", Server: "files", Tool: "read", Catalogue: tools, Arguments: json.RawMessage(`{"path":"a"}`)}
	want := Decision{
		Allowed: true, Rule: "builtin:permit-all", Tier: spec.Cautious, Effect: spec.Read,
		Via: "read-file", ScopesGranted: []string{"fs:read"}, ToolHash: read.Hash,
	}
	got := decide(t, workspace(), a)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	message := messages.Decision{Allowed: true, Rule: want.Rule, Via: want.Via, ToolHash: read.Hash}
	if diff := cmp.Diff(message, got.Message()); diff != "" {
		t.Errorf("message: -want +got:\n%s", diff)
	}
	if got := a.Name(); got != "mcp:call:files:read" {
		t.Errorf("Name() = %q", got)
	}
}

// Of several grants for one tool the first whose scopes are held is used; `admin-read` comes first and is out of reach.
func TestSeveralGrants(t *testing.T) {
	a := Action{Topology: "main", Agent: "reader", Server: "files", Tool: "read", Catalogue: filesCatalogue(), Arguments: json.RawMessage(`{"path":"a"}`)}
	if d := decide(t, workspace(), a); !d.Allowed || d.Via != "server:files" {
		t.Errorf("allowed %v via %q, want server:files", d.Allowed, d.Via)
	}
	s := Snapshot{Servers: []spec.Server{files}, Agents: []AgentIn{{Agent: spec.Agent{ID: "a", Scopes: []string{"s:1"}, Grants: []spec.Grant{
		{Via: "far", Server: "files", Tool: "read", Scopes: []string{"s:1", "s:2", "s:3"}},
		{Via: "near", Server: "files", Tool: "read", Scopes: []string{"s:1", "s:2"}},
	}}}}}
	d := decide(t, s, Action{Agent: "a", Server: "files", Tool: "read"})
	want := Decision{
		Outcome: messages.Denied, Rule: "scope", ScopesGranted: []string{"s:1"}, ScopesDenied: []string{"s:2"},
		Reason: "agent `a` lacks scope `s:2`, which skill `near` needs; add it to its iam.base_scope",
	}
	if diff := cmp.Diff(want, d); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// What needs no tools is decided while they are not known, so that no server is started for a call that is refused anyway.
func TestWithoutCatalogue(t *testing.T) {
	d := decide(t, workspace(), Action{Agent: "writer", Server: "files", Tool: "read"})
	if !d.NeedsCatalogue || d.Allowed || d.Outcome != "" {
		t.Errorf("got %+v, want NeedsCatalogue", d)
	}
	if d := decide(t, workspace(), Action{Agent: "writer", Server: "files", Tool: "write"}); d.NeedsCatalogue || d.Rule != "scope" {
		t.Errorf("got %+v, want a refusal by scope", d)
	}
}

func TestTiers(t *testing.T) {
	yes := true
	offer := &mcpspec.Catalogue{Tools: []mcpspec.Tool{
		{Name: "hinted", Annotations: mcpspec.Annotations{ReadOnly: &yes}}, {Name: "declared"}, {Name: "silent"}, {Name: "liar", Annotations: mcpspec.Annotations{ReadOnly: &yes}},
	}}
	effects := map[string]spec.Effect{"declared": spec.Read, "liar": spec.Write}
	for _, tt := range []struct {
		tier       spec.Tier
		tool, rule string
		allowed    bool
	}{
		{spec.Open, "silent", "tier:open", true},
		{spec.Cautious, "silent", "builtin:permit-all", true},
		{"", "silent", "builtin:permit-all", true},
		{spec.Readonly, "hinted", "builtin:permit-all", true},
		{spec.Readonly, "declared", "builtin:permit-all", true},
		{spec.Readonly, "silent", "tier:readonly", false},
		{spec.Readonly, "liar", "tier:readonly", false},
		{spec.Strict, "hinted", "builtin:permit-all", true}, // and asks a person
		{"Open", "hinted", "tier", false},
	} {
		t.Run(string(tt.tier)+" "+tt.tool, func(t *testing.T) {
			server := spec.Server{ID: "s", Tier: tt.tier, Effects: effects}
			a := Action{Agent: "operator", Server: "s", Tool: tt.tool, Catalogue: NewCatalogue(offer, server)}
			d := decide(t, Snapshot{Servers: []spec.Server{server}}, a)
			if d.Allowed != tt.allowed || d.Rule != tt.rule || (d.Reason == "") != tt.allowed {
				t.Errorf("got %+v", d)
			}
			server.Tier, server.Overrides = spec.Cautious, map[string]spec.Tier{tt.tool: tt.tier}
			if tt.tier == "" {
				return // an override is always written out
			}
			if o := decide(t, Snapshot{Servers: []spec.Server{server}}, a); o.Allowed != tt.allowed || o.Rule != tt.rule {
				t.Errorf("as an override: got %+v", o)
			}
		})
	}
}

// A catalogue of before a reload must not carry a name past the new filter, nor an effect past the new rules.
func TestStaleCatalogue(t *testing.T) {
	old := NewCatalogue(filesOffer(), spec.Server{ID: "files", Effects: map[string]spec.Effect{"list": spec.Read}})
	now := spec.Server{ID: "files", Tools: []string{"list"}, Tier: spec.Readonly}
	for tool, rule := range map[string]string{"wipe": "tool", "list": "tier:readonly"} {
		d := decide(t, Snapshot{Servers: []spec.Server{now}}, Action{Agent: "operator", Server: "files", Tool: tool, Catalogue: old})
		if d.Allowed || d.Rule != rule {
			t.Errorf("%s: got %+v, want a refusal by %s", tool, d, rule)
		}
	}
}

func TestFrozen(t *testing.T) {
	writer := Action{Agent: "writer", Server: "files", Tool: "read"}
	guest := Action{Agent: "guest", Server: "files", Tool: "read"}
	for _, tt := range []struct {
		name   string
		frozen Frozen
		action Action
		rule   string
	}{
		{"nothing", Frozen{}, writer, "catalogue"},
		{"all", Frozen{All: true}, writer, "freeze"},
		{"agent", Frozen{Agents: []string{"writer"}}, writer, "freeze"},
		{"agent of a topology", Frozen{Agents: []string{"main/writer"}}, writer, "freeze"},
		{"agent of another topology", Frozen{Agents: []string{"night/writer"}}, writer, "catalogue"},
		{"server", Frozen{Servers: []string{"files"}}, writer, "freeze"},
		{"another server", Frozen{Servers: []string{"vault"}}, writer, "catalogue"},
		{"a server's state is not told without a grant", Frozen{Servers: []string{"files"}}, guest, "grant"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := NewBuiltin(workspace())
			b.SetFrozen(tt.frozen)
			if d := b.EvaluateAction(context.Background(), tt.action); d.Rule != tt.rule || d.Allowed {
				t.Errorf("got %+v, want rule %s", d, tt.rule)
			}
			b.SetFrozen(Frozen{})
			if d := b.EvaluateAction(context.Background(), tt.action); d.Rule == "freeze" {
				t.Errorf("still frozen: %+v", d)
			}
		})
	}
}

func TestIdentityAndTrust(t *testing.T) {
	b, ctx := NewBuiltin(workspace()), context.Background()
	for _, tt := range []struct {
		name string
		want Identity
		tier TrustTier
	}{
		{"writer", Identity{Verified: true, Topology: "main", Agent: "writer", Role: "worker"}, Trusted},
		{"operator", Identity{Verified: true, Agent: "operator", Role: "root"}, Trusted},
		{"night/writer", Identity{Topology: "night", Agent: "writer", Reason: "unknown agent `writer` in topology `night`"}, Untrusted},
	} {
		topology, agent := ParseAgent(tt.name)
		if diff := cmp.Diff(tt.want, b.VerifyIdentity(ctx, Credential{Topology: topology, Agent: agent})); diff != "" {
			t.Errorf("%s: -want +got:\n%s", tt.name, diff)
		}
		if got := b.TrustScore(ctx, tt.name); got.Tier != tt.tier {
			t.Errorf("%s: trust %+v, want %s", tt.name, got, tt.tier)
		}
	}
	if err := b.RecordEvent(ctx, Event{Type: "policy.denied"}); err != nil {
		t.Error(err)
	}
}

func TestReachable(t *testing.T) {
	b, tools := NewBuiltin(workspace()), filesCatalogue()
	for _, tt := range []struct {
		agent, server string
		want          []string
	}{
		{"main/writer", "files", []string{"read", "write", "list"}},
		{"main/reader", "files", []string{"read", "write", "list"}},
		{"night/guest", "files", nil},
		{"nobody", "files", nil},
		{"operator", "files", []string{"read", "write", "list"}},
	} {
		topology, agent := ParseAgent(tt.agent)
		var got []string
		for _, tool := range b.Reachable(topology, agent, tt.server, tools) {
			got = append(got, tool.Name)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s: -want +got:\n%s", tt.agent, diff)
		}
	}
	if got := b.Reachable("", "operator", "files", nil); got != nil {
		t.Errorf("without a catalogue: %v", got)
	}
}
