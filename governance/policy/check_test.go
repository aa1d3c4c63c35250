package policy

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	mcpspec "github.com/mcp-supervisor/supervisor/mcp/spec"
)

func tool(name, schema string) mcpspec.Tool {
	return mcpspec.Tool{Name: name, InputSchema: json.RawMessage(schema)}
}

// world has a server whose tools are known, and one that never ran.
func world() World {
	return World{
		Agents: []Agent{
			{Topology: "swarm", ID: "reader", Role: "worker", Groups: []string{"staff"}},
			{Topology: "swarm", ID: "writer", Role: "leader", Groups: []string{"staff", "writers"}},
		},
		Servers: []ServerTools{
			{ID: "files", Tools: []mcpspec.Tool{
				tool("read", `{"type":"object","properties":{"path":{"type":"string"},"limit":{"type":"integer"}},"required":["path"]}`),
				tool("write", `{"type":"object","properties":{"path":{"type":"string"},"content":{"type":"string"}},"additionalProperties":false}`),
			}},
			{ID: "open", Tools: []mcpspec.Tool{
				tool("query", `{"type":"object","properties":{"sql":{"type":"string"}},"additionalProperties":{}}`),
				tool("any", `{"type":"object"}`),
				tool("matching", `{"properties":{"sql":{}},"patternProperties":{"^x":{}}}`),
				tool("none", ``),
			}},
			{ID: "lazy"},
			{ID: "empty", Tools: []mcpspec.Tool{}},
		},
	}
}

func TestCheck(t *testing.T) {
	tests := []struct {
		name, policy string
		want         []string // each begins with the text at its place
	}{
		{"all is known", `permit (principal == Agent::"swarm/reader", action == Action::"call_tool", resource == Tool::"files/read") when { principal in Group::"staff" && principal in Role::"root" && context.arguments.path like "/srv/*" && context.counts.run < 3 && principal.trust.lessThan(decimal("0.5")) };`, nil},
		{"the operator is known", `permit (principal == Agent::"operator", action, resource);`, nil},
		{
			"an unknown agent", `permit (principal == Agent::"swarm/raeder", action, resource);`,
			[]string{"swarm/raeder\": unknown agent Agent::\"swarm/raeder\" (did you mean `swarm/reader`?)"},
		},
		{
			"an unknown agent, group, role and server in conditions", `permit (principal, action, resource) when { principal == Agent::"x" || principal in [Group::"stuff", Role::"boss"] || resource in Server::"fils" };`,
			[]string{
				`x": unknown agent Agent::"x"`,
				"stuff\": unknown group Group::\"stuff\" (did you mean `staff`?)",
				`boss"]: unknown role Role::"boss"`,
				"fils\": unknown server Server::\"fils\" (did you mean `files`?)",
			},
		},
		{
			"an unknown tool", `permit (principal, action, resource == Tool::"files/reed");`,
			[]string{"files/reed\": unknown tool Tool::\"files/reed\" (did you mean `files/read`?)"},
		},
		{
			"a tool of an unknown server", `permit (principal, action, resource == Tool::"fils/read");`,
			[]string{"fils/read\": unknown server `fils` of Tool::\"fils/read\" (did you mean `files`?)"},
		},
		{
			"a tool without a server", `permit (principal, action, resource == Tool::"read");`,
			[]string{`read": Tool::"read" names no server (write Tool::"server/tool")`},
		},
		{"a tool of a server that never ran", `permit (principal, action, resource == Tool::"lazy/x") when { context.arguments.y == 1 };`, nil},
		{
			"another action", `permit (principal, action == Action::"read", resource);`,
			[]string{`read": unknown action Action::"read"`},
		},
		{
			"unknown types", `permit (principal is Agnet, action, resource is Document) when { principal is User || principal is Agent in Team::"x" };`,
			[]string{
				"Agnet: unknown type of entity `Agnet` (did you mean `Agent`?)",
				"Document: unknown type of entity `Document` (there are Action, Agent, Group, Role, Server, Tool)",
				"User: unknown type of entity `User` (there are Action, Agent, Group, Role, Server, Tool)",
				"Team::\"x\": unknown type of entity `Team` (there are Action, Agent, Group, Role, Server, Tool)",
			},
		},
		{
			"attributes that nothing has", `permit (principal, action, resource) when { principal.name == "x" || resource.efect == "read" || context.counts.calls > 1 || context has caller || action.name == "x" || resource has "read only" };`,
			[]string{
				"principal.name: principal has no attribute `name` (there are id, operator, role, topology, trust)",
				"resource.efect: resource has no attribute `efect` (did you mean `effect`?)",
				"context.counts.calls: context.counts has no attribute `calls` (there are agent, denied, run)",
				"caller: context has no attribute `caller` (there are arguments, counts, hour, run, tier, time, topology, traceparent, weekday)",
				"action.name: action has no attribute `name`",
				"read: resource has no attribute `read only` (did you mean `read_only`?)",
			},
		},
		{
			"an argument that was looked for in the context", `permit (principal, action, resource == Tool::"files/write") when { context.content == "x" };`,
			[]string{"context.content: context has no attribute `content` (did you mean `context.arguments.content`?)"},
		},
		{
			"an argument that the tool does not take", `permit (principal, action, resource == Tool::"files/read") when { context.arguments has pth && context.arguments.path == "x" };`,
			[]string{"pth: no tool of the scope `resource == Tool::\"files/read\"` takes an argument `pth` (did you mean `path`?)"},
		},
		{
			"an argument that no tool of the server takes", `permit (principal, action, resource in Server::"files") when { context.arguments.content == "x" && context.arguments["limitt"] == 1 };`,
			[]string{"limitt\"]: no tool of the scope `resource in Server::\"files\"` takes an argument `limitt` (did you mean `limit`?)"},
		},
		{"arguments where any may be", `permit (principal, action, resource in Server::"open") when { context.arguments.anything == "x" };`, nil},
		{"arguments where tools are not known", `permit (principal, action, resource) when { context.arguments.anything == "x" };`, nil},
		{
			"the wrong kind of literal", `permit (principal, action, resource) when { context.hour == "12" || context.time > 5 || 7 != principal.id };`,
			[]string{
				`context.hour: context.hour is a long and never equals the string "12"`,
				`context.time: context.time is a datetime and cannot be compared with the long 5 (calls it applies to would be refused)`,
				`principal.id: principal.id is a string and never equals the long 7`,
			},
		},
		{
			"a value that is none of its kind", `permit (principal, action, resource) when { resource.effect == "wirte" || context.weekday == "Monday" || "night" != context.tier || principal.role == "x" };`,
			[]string{
				"wirte\": resource.effect is never \"wirte\" (did you mean `write`?)",
				"Monday\": context.weekday is never \"Monday\" (did you mean `monday`?)",
				`night": context.tier is never "night" (it is one of open, cautious, readonly, strict)`,
				`x": principal.role is never "x" (it is one of root, leader, worker)`,
			},
		},
		{"records and sets are not compared", `permit (principal, action, resource) when { context.counts == {agent: 1} || resource.tags == ["a"] || context.arguments has "a" };`, nil},
		{
			"never: a tool as principal", `permit (principal is Tool, action, resource);`,
			[]string{"principal: the policy can never match: no agent meets `principal is Tool`"},
		},
		{
			"never: a group of nobody", `permit (principal in Role::"root", action, resource);`,
			[]string{"principal: the policy can never match: no agent meets `principal in Role::\"root\"`"},
		},
		{
			"never: a server without tools", `permit (principal, action, resource in Server::"empty");`,
			[]string{"resource: the policy can never match: no tool meets `resource in Server::\"empty\"`"},
		},
		{
			"never: a server that is not a tool", `permit (principal, action, resource == Server::"files");`,
			[]string{"resource: the policy can never match: no tool meets `resource == Server::\"files\"`"},
		},
		{
			"never: no action", `permit (principal, action in [], resource);`,
			[]string{`action: the policy can never match: the only action is Action::"call_tool"`},
		},
		{
			"never: a condition that is false", `permit (principal, action, resource) when { false };`,
			[]string{`permit: the policy can never match: a condition is always false`},
		},
		{
			"never: unless true", `permit (principal, action, resource) unless { true };`,
			[]string{`permit: the policy can never match: a condition is always false`},
		},
		{
			"each problem once", `permit (principal, action, resource) when { principal.name == "x" && principal.name like "y" };`,
			[]string{"principal.name: principal has no attribute `name` (there are id, operator, role, topology, trust)"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, p := range load(t, tt.policy).Check(world()) {
				stands, _, _ := strings.Cut(tt.policy[p.Column-1:], " ")
				p.File, p.Line, p.Column = strings.TrimRight(stands, ",;)"), 0, 0
				got = append(got, p.String())
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("Check (-want +got):\n%s", diff)
			}
		})
	}
}
