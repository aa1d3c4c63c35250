package governance

import (
	"fmt"
	"maps"
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mcp-supervisor/supervisor/governance/spec"
	mcpspec "github.com/mcp-supervisor/supervisor/mcp/spec"
)

// Tool is one exposed tool, ready to be decided about.
type Tool struct {
	mcpspec.Tool
	// Hash is the hex SHA-256 over name, description, input schema and annotations; the order of keys does not matter.
	Hash string
	// Effect is what the workspace declares, else what the server claims, else write.
	Effect spec.Effect
	// EffectKnown is false when nobody said anything about the effect.
	EffectKnown bool

	schema *jsonschema.Schema // nil: any object fits
}

// Catalogue is what one incarnation of a server exposes to the gate. A tool that the filter hides is not in it, so that
// nothing behind it can tell hidden from unknown. It is immutable.
type Catalogue struct {
	// Warnings name tools whose arguments are not checked, and names in the server's rules that no tool has.
	Warnings []string

	tools  []Tool
	byName map[string]int
}

// NewCatalogue prepares the tools of a server for decisions: it filters, hashes and compiles schemas, which takes about
// a tenth of a millisecond a tool, once per incarnation. c may be nil.
func NewCatalogue(c *mcpspec.Catalogue, rules spec.Server) *Catalogue {
	out := &Catalogue{byName: map[string]int{}}
	if c == nil {
		return out
	}
	for _, t := range c.Tools {
		if rules.Exposes(t.Name) {
			out.add(t, rules)
		}
	}
	out.warnUnmatched(c, rules)
	return out
}

func (c *Catalogue) add(t mcpspec.Tool, rules spec.Server) {
	if _, twice := c.byName[t.Name]; twice {
		return
	}
	schema, err := compileSchema(t.InputSchema)
	if err != nil {
		c.warn("tool %s: its arguments are not checked, since its input schema cannot be used: %s", tick(t.Name), inWords(err))
	}
	effect, known := effectOf(t, rules)
	c.byName[t.Name] = len(c.tools)
	c.tools = append(c.tools, Tool{Tool: t, Hash: hashTool(t), Effect: effect, EffectKnown: known, schema: schema})
}

// warnUnmatched names what the rules say about tools that the server does not have: most likely a typing error.
func (c *Catalogue) warnUnmatched(all *mcpspec.Catalogue, rules spec.Server) {
	var names []string
	for _, t := range all.Tools {
		names = append(names, t.Name)
	}
	check := func(field string, named []string) {
		for _, name := range named {
			if !slices.Contains(names, name) {
				c.warn("%s names %s, which the server does not have%s", field, tick(name), didYouMean(name, names))
			}
		}
	}
	check("tools", rules.Tools)
	check("permission_overrides", slices.Sorted(maps.Keys(rules.Overrides)))
	check("effects", slices.Sorted(maps.Keys(rules.Effects)))
}

func (c *Catalogue) warn(format string, args ...any) {
	c.Warnings = append(c.Warnings, fmt.Sprintf(format, args...))
}

// Tools returns the exposed tools in the server's order. The caller must not change them.
func (c *Catalogue) Tools() []Tool { return c.tools }

// Find returns the exposed tool with exactly that name.
func (c *Catalogue) Find(name string) (Tool, bool) {
	i, ok := c.byName[name]
	if !ok {
		return Tool{}, false
	}
	return c.tools[i], true
}

// effectOf says what a tool does, and whether anybody said so: the workspace wins over the server's own annotations.
// An effect that is neither read nor write counts as a write.
func effectOf(t mcpspec.Tool, rules spec.Server) (effect spec.Effect, known bool) {
	if declared, ok := rules.Effects[t.Name]; ok {
		if declared == spec.Read {
			return spec.Read, true
		}
		return spec.Write, true
	}
	switch hint := t.Annotations.ReadOnly; {
	case hint == nil:
		return spec.Write, false
	case *hint:
		return spec.Read, true
	}
	return spec.Write, true
}
