package script

import (
	"fmt"
	"maps"
	"math"
	"slices"
)

// turn is one parsed turn: text, or at least one call.
type turn struct {
	text  *text
	calls []call
	cost  int64 // in millionths of a US dollar
}

type call struct {
	tool *text
	// arguments is nil, a *text that gives a JSON object, or a map with *text in the place of its strings.
	arguments any
}

// parser collects the faults of one script.
type parser struct{ faults Faults }

func (p *parser) script(options map[string]any) []turn {
	p.keys("", options, "turns")
	list, given := options["turns"]
	if !given {
		p.faults.add("turns", "give a list of turns, each with calls or text", "missing")
		return nil
	}
	items := p.list("turns", list)
	turns := make([]turn, len(items))
	for i, item := range items {
		turns[i] = p.turn(fmt.Sprintf("turns[%d]", i), item, len(items)-1-i)
	}
	return turns
}

// turn parses one turn that is followed by so many others.
func (p *parser) turn(at string, item any, following int) (t turn) {
	fields, ok := p.mapping(at, item)
	if !ok {
		return t
	}
	p.keys(at, fields, "calls", "text", "cost_usd")
	t.cost = p.cost(at+".cost_usd", fields["cost_usd"])
	words, hasText := fields["text"]
	calls, hasCalls := fields["calls"]
	switch {
	case hasText && hasCalls:
		p.faults.add(at, "make two turns of it", "has both calls and text")
	case hasText:
		t.text = p.text(at+".text", words)
		if following > 0 {
			p.faults.add(at+".text", "only the last turn may be text", "ends the script, and %d more %s", following, follow(following))
		}
	case hasCalls:
		for i, c := range p.list(at+".calls", calls) {
			t.calls = append(t.calls, p.call(fmt.Sprintf("%s.calls[%d]", at, i), c))
		}
	default:
		p.faults.add(at, "give calls or text", "has neither calls nor text")
	}
	return t
}

// cost parses what a turn is to cost, so that limits can be tried without a model that costs anything.
func (p *parser) cost(at string, v any) int64 {
	var usd float64
	switch v := v.(type) {
	case nil:
	case int:
		usd = float64(v)
	case float64:
		usd = v
	default:
		p.faults.add(at, "write US dollars as a number, like 0.02", "is %s", kindOf(v))
	}
	if usd < 0 || usd > 1e6 || math.IsNaN(usd) {
		p.faults.add(at, "write US dollars as a number, like 0.02", "is out of range: expected 0 to 1000000")
		return 0
	}
	return int64(math.Ceil(usd * 1e6))
}

func follow(n int) string {
	if n == 1 {
		return "turn follows"
	}
	return "turns follow"
}

func (p *parser) call(at string, item any) (c call) {
	fields, ok := p.mapping(at, item)
	if !ok {
		return c
	}
	p.keys(at, fields, "tool", "arguments")
	tool, given := fields["tool"]
	if !given || tool == "" {
		p.faults.add(at+".tool", "name the tool as the agent sees it", "missing")
	} else {
		c.tool = p.text(at+".tool", tool)
	}
	switch arguments := fields["arguments"].(type) {
	case nil:
	case string, map[string]any:
		c.arguments = p.value(at+".arguments", arguments)
	default:
		p.faults.add(at+".arguments", "give a mapping, or a template that gives a JSON object", "is %s", kindOf(arguments))
	}
	return c
}

// value parses decoded YAML: strings become templates, what JSON cannot hold is a fault.
func (p *parser) value(at string, v any) any {
	switch v := v.(type) {
	case string:
		return p.text(at, v)
	case map[string]any:
		out := make(map[string]any, len(v))
		for _, key := range slices.Sorted(maps.Keys(v)) {
			out[key] = p.value(at+"."+key, v[key])
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, item := range v {
			out[i] = p.value(fmt.Sprintf("%s[%d]", at, i), item)
		}
		return out
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			p.faults.add(at, "", "JSON has no such number as %v", v)
		}
	case nil, bool, int, int64, uint64:
	default:
		p.faults.add(at, "quote it to make it a string", "is %s, which JSON does not have", kindOf(v))
	}
	return v
}

func (p *parser) text(at string, v any) *text {
	source, ok := v.(string)
	if !ok {
		p.faults.add(at, "quote it", "must be a string, and is %s", kindOf(v))
		return nil
	}
	t, err := parseText(at, source)
	if err != nil {
		p.faults.add(at, "", "%v", err)
	}
	return t
}

func (p *parser) list(at string, v any) []any {
	items, ok := v.([]any)
	switch {
	case !ok:
		p.faults.add(at, "", "must be a list, and is %s", kindOf(v))
	case len(items) == 0:
		p.faults.add(at, "", "is empty")
	}
	return items
}

func (p *parser) mapping(at string, v any) (map[string]any, bool) {
	fields, ok := v.(map[string]any)
	if !ok {
		p.faults.add(at, "", "must be a mapping, and is %s", kindOf(v))
	}
	return fields, ok
}

// keys reports keys that are not known.
func (p *parser) keys(at string, fields map[string]any, known ...string) {
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		if !slices.Contains(known, key) {
			field := key
			if at != "" {
				field = at + "." + key
			}
			p.faults.add(field, didYouMean(key, known), "unknown")
		}
	}
}

// kindOf names a decoded YAML value's kind.
func kindOf(v any) string {
	switch v.(type) {
	case nil:
		return "empty"
	case bool:
		return "a boolean"
	case string:
		return "a string"
	case int, int64, uint64, float64:
		return "a number"
	case []any:
		return "a list"
	case map[string]any:
		return "a mapping"
	}
	return fmt.Sprintf("a %T", v)
}
