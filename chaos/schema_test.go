package chaos

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-supervisor/supervisor/actors"
)

func TestMakeArguments(t *testing.T) {
	one := func(property string) string {
		return `{"type":"object","properties":{"a":` + property + `},"required":["a"]}`
	}
	for _, tt := range []struct {
		name, schema string
		want, marker string // want "" where none can be made
	}{
		{"no schema", "", "{}", ""},
		{"nothing required", `{"type":"object","properties":{"a":{"type":"string"}}}`, "{}", ""},
		{"any text is a marker", one(`{"type":"string"}`), `{"a":"chaos"}`, "a"},
		{"a text of some length", one(`{"type":"string","minLength":8}`), `{"a":"chaos---"}`, ""},
		{"a short text", one(`{"type":"string","maxLength":3}`), `{"a":"cha"}`, ""},
		{"a text of no length", one(`{"type":"string","minLength":4,"maxLength":3}`), "", ""},
		{"a text with a form", one(`{"type":"string","pattern":"^x"}`), "", ""},
		{"a date", one(`{"type":"string","format":"date"}`), "", ""},
		{"a choice", one(`{"type":"string","enum":["x","y"]}`), `{"a":"x"}`, ""},
		{"a constant", one(`{"const":7}`), `{"a":7}`, ""},
		{"a default", one(`{"type":"array","default":[1]}`), `{"a":[1]}`, ""},
		{"a number", one(`{"type":"number"}`), `{"a":1}`, ""},
		{"a number from 5", one(`{"type":"integer","minimum":5}`), `{"a":5}`, ""},
		{"a number above 5", one(`{"type":"integer","exclusiveMinimum":5}`), `{"a":6}`, ""},
		{"a number up to 0", one(`{"type":"integer","maximum":0}`), `{"a":0}`, ""},
		{"no number at all", one(`{"type":"integer","minimum":5,"maximum":4}`), "", ""},
		{"a whole number between two", one(`{"type":"integer","minimum":0.5,"maximum":0.7}`), "", ""},
		{"yes or no", one(`{"type":"boolean"}`), `{"a":false}`, ""},
		{"a list of types", one(`{"type":["string","null"]}`), `{"a":"chaos"}`, "a"},
		{"a list", one(`{"type":"array"}`), "", ""},
		{"no type", one(`{}`), "", ""},
		{"one of several", one(`{"anyOf":[{"type":"string"}]}`), "", ""},
		{"a property that is not described", `{"type":"object","required":["a"]}`, "", ""},
		{"a schema by reference", `{"$ref":"#/x"}`, "", ""},
		{"two texts", `{"properties":{"a":{"type":"string"},"b":{"type":"string"}},"required":["a","b"]}`, `{"a":"chaos","b":"chaos"}`, ""},
		{"no JSON", `{`, "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, marker, ok := makeArguments(json.RawMessage(tt.schema))
			if string(got) != tt.want || marker != tt.marker || ok != (tt.want != "") {
				t.Errorf("makeArguments = %s, %q, %v; want %s, %q", got, marker, ok, tt.want, tt.marker)
			}
		})
	}
}

func FuzzMakeArguments(f *testing.F) {
	f.Add([]byte(`{"properties":{"a":{"type":"string","minLength":2}},"required":["a"]}`))
	f.Add([]byte(`{"properties":{"a":{"type":"integer","minimum":1e300}},"required":["a"]}`))
	f.Fuzz(func(t *testing.T, schema []byte) {
		arguments, marker, ok := makeArguments(schema)
		var values map[string]json.RawMessage
		if ok && json.Unmarshal(arguments, &values) != nil {
			t.Fatalf("made %s, which is no JSON object", arguments)
		}
		if _, there := values[marker]; marker != "" && !there {
			t.Fatalf("marker %q is no argument of %s", marker, arguments)
		}
	})
}

func TestCandidates(t *testing.T) {
	tool := func(name, effect, tier, schema string) actors.ToolInfo {
		return actors.ToolInfo{Server: "s", Name: name, Effect: effect, Tier: tier, InputSchema: json.RawMessage(schema)}
	}
	stale := tool("old", "read", "cautious", "")
	stale.Stale = true
	elsewhere := tool("elsewhere", "read", "cautious", "")
	elsewhere.Server = "other"
	got := candidates("s", []actors.ToolInfo{
		tool("write", "write", "open", ""),
		tool("asks", "read", "strict", ""),
		tool("hard", "read", "cautious", `{"properties":{"a":{"type":"array"}},"required":["a"]}`),
		stale, elsewhere,
		tool("now", "read", "readonly", ""),
		tool("echo", "read", "cautious", `{"properties":{"text":{"type":"string"}},"required":["text"]}`),
	})
	want := []Target{
		{Server: "s", Tool: "now", Arguments: json.RawMessage("{}")},
		{Server: "s", Tool: "echo", Arguments: json.RawMessage(`{"text":"chaos"}`), Marker: "text"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("candidates (-want +got):\n%s", diff)
	}
}
