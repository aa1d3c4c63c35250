package config

import (
	"fmt"

	"gopkg.in/yaml.v3"
)

// builder turns YAML nodes into values: it follows aliases, applies merge keys, substitutes placeholders, and refuses
// keys that are given twice.
type builder struct {
	doc    *document
	env    *expander
	report *report
	left   int                 // values that may still be built
	open   map[*yaml.Node]bool // anchors that are being expanded
	failed bool
}

func (b *builder) build(n *yaml.Node, path string, depth int) value {
	v := value{doc: b.doc, line: n.Line, path: path[:min(len(path), maxPath)]}
	if b.left--; b.failed || !b.within(v, depth) {
		return v
	}
	switch n.Kind {
	case yaml.AliasNode:
		return b.alias(n, v, depth)
	case yaml.SequenceNode:
		v.kind = list
		for i, item := range n.Content {
			v.items = append(v.items, b.build(item, fmt.Sprintf("%s[%d]", v.path, i), depth+1))
		}
	case yaml.MappingNode:
		v.kind = mapping
		v.fields = b.mapping(n, v, depth)
	default:
		b.scalar(n, &v)
	}
	return v
}

func (b *builder) within(v value, depth int) bool {
	switch {
	case b.left < 0:
		b.stop(v, "more than %d values, with aliases expanded", maxValues)
	case depth > maxDepth:
		b.stop(v, "nested more than %d levels deep", maxDepth)
	}
	return !b.failed
}

// stop ends the file: what was built so far is not used.
func (b *builder) stop(v value, format string, args ...any) {
	b.failed = true
	b.report.fault(value{doc: v.doc, line: v.line}, "", format, args...)
}

func (b *builder) alias(n *yaml.Node, v value, depth int) value {
	if b.open[n.Alias] {
		b.stop(v, "the anchor %q contains itself", n.Value)
		return v
	}
	b.open[n.Alias] = true
	defer delete(b.open, n.Alias)
	return b.build(n.Alias, v.path, depth+1)
}

func (b *builder) scalar(n *yaml.Node, v *value) {
	v.raw, v.text = n.Value, n.Value
	v.plain = n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) == 0
	v.kind, v.scalar = resolve(n)
	if v.kind == text && b.env != nil {
		v.text, v.problems = b.env.expand(n.Value)
	}
}

// mapping builds the fields of one mapping: its own first, then those of its merge keys that it does not have.
func (b *builder) mapping(n *yaml.Node, v value, depth int) []field {
	var fields []field
	var merged []value
	lines := map[string]int{}
	for i := 0; i+1 < len(n.Content) && !b.failed; i += 2 {
		key, content := n.Content[i], n.Content[i+1]
		name, ok := b.key(key, v)
		switch first, twice := lines[name]; {
		case !ok:
			continue
		case twice:
			b.report.fault(value{doc: b.doc, line: key.Line, path: join(v.path, name)}, "",
				"given twice, first on line %d", first)
			continue
		}
		lines[name] = key.Line
		if key.ShortTag() == "!!merge" {
			merged = b.merged(content, v, depth)
			continue
		}
		built := b.build(content, join(v.path, name), depth+1)
		built.line = key.Line
		fields = append(fields, field{name, built})
	}
	return addMerged(fields, merged)
}

// key returns the name of a field; what is not a scalar cannot be one.
func (b *builder) key(n *yaml.Node, v value) (string, bool) {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if n.Kind != yaml.ScalarNode {
		b.report.fault(value{doc: b.doc, line: n.Line, path: v.path}, "", "expected a string as key, found %s", nodeKind(n))
	}
	return n.Value, n.Kind == yaml.ScalarNode
}

// merged builds what a merge key points at, under the path of the mapping that holds it.
func (b *builder) merged(n *yaml.Node, v value, depth int) []value {
	content := b.build(n, v.path, depth+1)
	if content.kind != list {
		content.items = []value{content}
	}
	for _, item := range content.items {
		if item.kind != mapping && !b.failed {
			b.report.fault(value{doc: b.doc, line: n.Line, path: join(v.path, "<<")}, "",
				"expected a mapping to merge, found %s", item.describe())
		}
	}
	return content.items
}

func addMerged(fields []field, merged []value) []field {
	have := map[string]bool{}
	for _, f := range fields {
		have[f.key] = true
	}
	for _, m := range merged {
		for _, f := range m.fields {
			if !have[f.key] {
				have[f.key] = true
				fields = append(fields, f)
			}
		}
	}
	return fields
}
