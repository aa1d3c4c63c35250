package config

import (
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

// kind is what a YAML value is; the zero kind is a field that is not there.
type kind string

const (
	absent  kind = ""
	null    kind = "null"
	boolean kind = "boolean"
	number  kind = "number"
	text    kind = "string"
	list    kind = "list"
	mapping kind = "mapping"
)

// document is one file while it is read.
type document struct {
	file string // relative to the workspace's folder
	// strict is true for supervisor/v1, where an unknown field is a fault.
	strict bool
}

// value is one YAML value with its place: aliases and merge keys are resolved, placeholders substituted.
type value struct {
	doc  *document
	line int
	path string
	kind kind
	// raw is a scalar as it was written, text the same after substitution. Messages quote raw only: text may hold a
	// secret out of the environment.
	raw, text string
	plain     bool // not quoted
	scalar    any  // of a boolean or number: bool, int, int64, uint64 or float64
	problems  []string
	items     []value
	fields    []field
}

type field struct {
	key string
	value
}

// get returns a field; one that is not there is an absent value that still knows its place.
func (v value) get(key string) value {
	for _, f := range v.fields {
		if f.key == key {
			return f.value
		}
	}
	return value{doc: v.doc, line: v.line, path: join(v.path, key)}
}

// given reports whether there is something: a null counts as left out.
func (v value) given() bool { return v.kind != absent && v.kind != null }

// unset reports whether there is nothing to read: not given, or a placeholder without a value, which is reported once
// and elsewhere.
func (v value) unset() bool { return !v.given() || len(v.problems) > 0 }

func (v value) isScalar() bool { return v.kind == text || v.kind == number || v.kind == boolean }

// typed lets what a placeholder stands for be a number or boolean, as it would be had it been written in its place,
// without the quotes that YAML wants around braces.
func (v value) typed() value {
	if v.kind == text && v.raw != v.text {
		v.kind, v.scalar = resolve(&yaml.Node{Kind: yaml.ScalarNode, Value: v.text})
	}
	return v
}

// describe says what was found, for a message.
func (v value) describe() string {
	switch v.kind {
	case absent, null:
		return "nothing"
	case list, mapping:
		return "a " + string(v.kind)
	case text:
		return "the string " + v.quote()
	default:
		return "the " + string(v.kind) + " " + strings.Trim(v.quote(), `"`)
	}
}

func (v value) quote() string {
	const most = 60 // enough to recognise it
	if runes := []rune(v.raw[:min(len(v.raw), 4*most)]); len(runes) > most {
		return strconv.Quote(string(runes[:most]) + "...")
	}
	return strconv.Quote(v.raw)
}

// merge lays the fields of over on those of base: one level deep, over wins.
func merge(base, over value) value {
	if base.kind != mapping || over.kind != mapping {
		if over.given() {
			return over
		}
		return base
	}
	merged := over
	merged.fields = append([]field(nil), over.fields...)
	for _, f := range base.fields {
		if over.get(f.key).kind == absent {
			merged.fields = append(merged.fields, f)
		}
	}
	return merged
}

// decoded returns plain Go: map[string]any, []any, string, bool, numbers and nil.
func (v value) decoded() any {
	switch v.kind {
	case mapping:
		m := make(map[string]any, len(v.fields))
		for _, f := range v.fields {
			m[f.key] = f.decoded()
		}
		return m
	case list:
		l := make([]any, len(v.items))
		for i, item := range v.items {
			l[i] = item.decoded()
		}
		return l
	case text:
		return v.text
	case number, boolean:
		return v.scalar
	default:
		return nil
	}
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}
