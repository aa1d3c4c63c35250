package governance

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-supervisor/supervisor/governance/spec"
	mcpspec "github.com/mcp-supervisor/supervisor/mcp/spec"
)

func TestCatalogueFilters(t *testing.T) {
	c := filesCatalogue()
	var names []string
	for _, tool := range c.Tools() {
		names = append(names, tool.Name)
	}
	if diff := cmp.Diff([]string{"read", "write", "list"}, names); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	for name, want := range map[string]bool{"read": true, "wipe": false, "Read": false, "ghost": false} {
		if _, got := c.Find(name); got != want {
			t.Errorf("Find(%q) = %v, want %v", name, got, want)
		}
	}
	if diff := cmp.Diff([]string{"tools names `ghost`, which the server does not have"}, c.Warnings); diff != "" {
		t.Errorf("warnings: -want +got:\n%s", diff)
	}
	if got := NewCatalogue(nil, files); len(got.Tools()) != 0 || got.Warnings != nil {
		t.Errorf("of nothing: %+v", got)
	}
}

func TestCatalogueWarnsOfNamesInRules(t *testing.T) {
	c := NewCatalogue(filesOffer(), spec.Server{
		Overrides: map[string]spec.Tier{"raed_": spec.Open, "wrte": spec.Strict},
		Effects:   map[string]spec.Effect{"lst": spec.Read},
	})
	want := []string{
		"permission_overrides names `raed_`, which the server does not have",
		"permission_overrides names `wrte`, which the server does not have; did you mean `write`?",
		"effects names `lst`, which the server does not have; did you mean `list`?",
	}
	if diff := cmp.Diff(want, c.Warnings); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestCatalogueKeepsTheFirstOfTwo(t *testing.T) {
	c := NewCatalogue(&mcpspec.Catalogue{Tools: []mcpspec.Tool{{Name: "a", Description: "1"}, {Name: "a", Description: "2"}}}, spec.Server{})
	if got := c.Tools(); len(got) != 1 || got[0].Description != "1" {
		t.Errorf("got %+v", got)
	}
}

func TestEffects(t *testing.T) {
	yes, no := true, false
	for _, tt := range []struct {
		name     string
		hint     *bool
		declared spec.Effect
		effect   spec.Effect
		known    bool
	}{
		{"silent", nil, "", spec.Write, false},
		{"hinted read", &yes, "", spec.Read, true},
		{"hinted write", &no, "", spec.Write, true},
		{"declared read", &no, spec.Read, spec.Read, true},
		{"declared write", &yes, spec.Write, spec.Write, true},
		{"declared nonsense", &yes, "reads", spec.Write, true},
	} {
		rules := spec.Server{}
		if tt.declared != "" {
			rules.Effects = map[string]spec.Effect{"t": tt.declared}
		}
		c := NewCatalogue(&mcpspec.Catalogue{Tools: []mcpspec.Tool{{Name: "t", Annotations: mcpspec.Annotations{ReadOnly: tt.hint}}}}, rules)
		if got := c.Tools()[0]; got.Effect != tt.effect || got.EffectKnown != tt.known {
			t.Errorf("%s: %s known %v", tt.name, got.Effect, got.EffectKnown)
		}
	}
}

func TestHash(t *testing.T) {
	yes := true
	base := mcpspec.Tool{Name: "n", Description: "d", InputSchema: json.RawMessage(`{"type":"object","properties":{"a":{"minimum":1}}}`)}
	change := func(f func(*mcpspec.Tool)) mcpspec.Tool { c := base; f(&c); return c }
	for _, tt := range []struct {
		name string
		tool mcpspec.Tool
		same bool
	}{
		{"again", base, true},
		{"order of keys and white space", change(func(t *mcpspec.Tool) {
			t.InputSchema = json.RawMessage("{ \"properties\": {\"a\":{\"minimum\":1}},\n \"type\":\"object\"}")
		}), true},
		{"escapes", change(func(t *mcpspec.Tool) {
			t.InputSchema = json.RawMessage(`{"type":"\u006fbject","properties":{"a":{"minimum":1}}}`)
		}), true},
		{"unhashed fields", change(func(t *mcpspec.Tool) { t.Raw = json.RawMessage(`{"icons":[]}`) }), true},
		{"name", change(func(t *mcpspec.Tool) { t.Name = "m" }), false},
		{"description", change(func(t *mcpspec.Tool) { t.Description = "d\u200b" }), false},
		{"annotations", change(func(t *mcpspec.Tool) { t.Annotations.ReadOnly = &yes }), false},
		{"no schema", change(func(t *mcpspec.Tool) { t.InputSchema = nil }), false},
		{"digits of a number", change(func(t *mcpspec.Tool) {
			t.InputSchema = json.RawMessage(`{"type":"object","properties":{"a":{"minimum":1.0}}}`)
		}), false},
		{"a key twice", change(func(t *mcpspec.Tool) {
			t.InputSchema = json.RawMessage(`{"type":"evil","type":"object","properties":{"a":{"minimum":1}}}`)
		}), false},
	} {
		if same := hashTool(tt.tool) == hashTool(base); same != tt.same {
			t.Errorf("%s: same hash = %v, want %v", tt.name, same, tt.same)
		}
	}
	// The hash is written into a file that is committed, so it must never change for the same tool. This is sha256 of
	// {"name":"n","description":"d","inputSchema":{"properties":{"a":{"minimum":1}},"type":"object"},"annotations":{}}
	const pinned = "0eaf3968c2172f2d12b8d0bdc0f30953c8bedb26b5c6924b13a0d4bab3912068"
	if got := hashTool(base); got != pinned {
		t.Errorf("hash %s, want %s", got, pinned)
	}
}

func TestTickIsOneBoundedLine(t *testing.T) {
	for name, want := range map[string]string{
		"read":                   "`read`",
		"größe 1":                "`größe 1`",
		"a`b":                    "\"a`b\"",
		"a\nb\x1b[0m":            `"a\nb\x1b[0m"`,
		"a\u202eb":               `"a\u202eb"`,
		strings.Repeat("x", 200): "`" + strings.Repeat("x", 100) + "…`",
	} {
		if got := tick(name); got != want {
			t.Errorf("tick(%q) = %s, want %s", name, got, want)
		}
	}
}
