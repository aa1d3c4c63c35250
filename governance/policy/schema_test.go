package policy

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/cedar-policy/cedar-go"
	"github.com/cedar-policy/cedar-go/x/exp/schema"
	"github.com/cedar-policy/cedar-go/x/exp/schema/validate"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	mcpspec "github.com/mcp-supervisor/supervisor/mcp/spec"
)

func TestSchema(t *testing.T) {
	w := World{Servers: []ServerTools{
		{ID: "a", Tools: []mcpspec.Tool{
			tool("x", `{"properties":{"path":{"type":"string"},"n":{"type":["integer","null"]},"both":{"type":"string"},"one of":{"enum":["a"]}}}`),
			tool("y", `{"properties":{"path":{"type":"string"},"rows":{"type":"array","items":{"type":"array","items":{"type":"number"}}},"both":{"type":"boolean"}}}`),
			tool("z", `{"properties":{"o":{"type":"object","properties":{"in":{"type":"boolean"},"out":{"type":"string"}},"required":["in"]},"mixed":{"type":["string","integer"]},"list":{"type":"array"}}}`),
			tool("broken", `[]`),
		}},
		{ID: "lazy"},
	}}
	text, err := Schema(w)
	if err != nil {
		t.Fatal(err)
	}
	want := `entity Agent in [Group, Role] {
	id: String,
	operator: Bool,
	role: String,
	topology: String,
	trust: decimal
};

entity Group;

entity Role;

entity Server;

entity Tool in Server {
	destructive?: Bool,
	effect: String,
	idempotent?: Bool,
	name: String,
	open_world?: Bool,
	read_only?: Bool,
	server: String,
	tags: Set<String>
};

action call_tool appliesTo {
	principal: Agent,
	resource: Tool,
	context: {
		arguments: {
			n?: Long,
			o?: {
				"in": Bool,
				out?: String
			},
			path?: String,
			rows?: Set<Set<Long>>
		},
		counts: {
			agent: Long,
			denied: Long,
			run: Long
		},
		hour: Long,
		run: String,
		tier: String,
		time: datetime,
		topology: String,
		traceparent: String,
		weekday: String
	}
};
`
	if diff := cmp.Diff(want, string(text)); diff != "" {
		t.Errorf("Schema (-want +got):\n%s", diff)
	}
}

// typed parses and resolves a schema as others would.
func typed(t testing.TB, w World) *validate.Validator {
	t.Helper()
	text, err := Schema(w)
	if err != nil {
		t.Fatal(err)
	}
	var s schema.Schema
	if err := s.UnmarshalCedar(text); err != nil {
		t.Fatalf("the schema does not parse: %v\n%s", err, text)
	}
	resolved, err := s.Resolve()
	if err != nil {
		t.Fatalf("the schema does not resolve: %v\n%s", err, text)
	}
	return validate.New(resolved, validate.WithPermissive())
}

// Every real request is one that the schema describes: what policies see, and what Check knows, is the same.
func TestRequestsFitTheSchema(t *testing.T) {
	v := typed(t, World{Servers: []ServerTools{{ID: "s", Tools: []mcpspec.Tool{
		tool("x", `{"properties":{"path":{"type":"string"},"rest":{"type":"array","items":{"type":"integer"}}}}`),
	}}}})
	rapid.Check(t, func(rt *rapid.T) {
		r := drawRequest(rt)
		if string(r.Arguments) == `{"path":1}` {
			return
		}
		if rapid.Bool().Draw(rt, "hints") {
			r.Annotations = mcpspec.Annotations{ReadOnly: pointer(true), Destructive: pointer(false), Idempotent: pointer(true), OpenWorld: pointer(true)}
		}
		e := newEntities(r)
		q, err := e.request(read{attributes: ^attributes(0), all: true})
		if err != nil {
			return // arguments that nobody gets to see
		}
		if err := v.Request(q); err != nil {
			rt.Fatalf("request: %v", err)
		}
		for _, uid := range []cedar.EntityUID{e.principal(), e.tool} {
			entity, _ := e.Get(uid)
			if err := v.Entity(entity); err != nil {
				rt.Fatalf("%s: %v", uid, err)
			}
		}
	})
}

func TestSchemaRefusesNoName(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		name := rapid.String().Draw(rt, "argument")
		quoted := must(json.Marshal(name))
		schema := fmt.Sprintf(`{"properties":{%s:{"type":"string"},"nested":{"type":"object","properties":{%s:{"type":"boolean"}}}}}`, quoted, quoted)
		typed(t, World{Servers: []ServerTools{{ID: name, Tools: []mcpspec.Tool{tool(name, schema)}}}})
	})
}
