package policy

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/cedar-policy/cedar-go"

	"github.com/mcp-supervisor/supervisor/internal/nearest"
)

// Check finds policies that do not fit the world: names of agents, groups, roles, servers and tools that do not exist,
// attributes that nothing has, arguments that no tool in the policy's scope takes, comparisons that cannot hold, and
// policies that can never match. A misspelt forbid forbids nothing, and nobody notices: that is what it is for.
//
// The problems are in the order of files and lines, each once. None is no proof: only names, and comparisons with
// literals, are looked at.
func (s *Set) Check(w World) []Problem {
	c := checker{world: w, known: w.known(), resources: w.resources()}
	for _, r := range s.rules {
		c.rule = r
		c.check()
	}
	slices.SortStableFunc(c.problems, byPlace)
	return slices.Compact(c.problems)
}

type checker struct {
	world     World
	known     map[cedar.EntityType][]string
	resources []resource
	rule      *rule
	problems  []Problem
}

func (c *checker) report(word, fix, format string, args ...any) {
	p := c.rule.fault(word, format, args...)
	p.Fix = fix
	c.problems = append(c.problems, p)
}

func (c *checker) check() {
	f, before := c.rule.facts, len(c.problems)
	for _, s := range []scope{f.principal, f.action, f.resource} {
		c.entities(s.of)
		c.types([]cedar.EntityType{s.is})
	}
	if len(c.problems) == before { // an unknown name is the better half of "can never match"
		c.reachable()
	}
	c.entities(f.entities)
	c.types(f.types)
	for _, path := range f.paths {
		c.path(path)
	}
	for _, cmp := range f.compared {
		c.comparison(cmp)
	}
}

func (c *checker) entities(es []cedar.EntityUID) {
	for _, e := range es {
		ids, ok := c.known[e.Type]
		switch {
		case !ok:
			c.types([]cedar.EntityType{e.Type})
		case slices.Contains(ids, string(e.ID)):
		case e.Type == typeTool && serverOf(e) == "":
			c.report(string(e.ID), `write Tool::"server/tool"`, "%s names no server", e)
		case e.Type == typeTool:
			c.tool(e)
		default:
			c.report(string(e.ID), nearest.DidYouMean(string(e.ID), ids), "unknown %s %s", strings.ToLower(string(e.Type)), e)
		}
	}
}

func (c *checker) tool(e cedar.EntityUID) {
	server := string(serverOf(e))
	at := slices.IndexFunc(c.world.Servers, func(s ServerTools) bool { return s.ID == server })
	switch {
	case at < 0:
		c.report(string(e.ID), nearest.DidYouMean(server, c.known[typeServer]), "unknown server `%s` of %s", server, e)
	case c.world.Servers[at].Tools != nil:
		c.report(string(e.ID), nearest.DidYouMean(string(e.ID), c.known[typeTool]), "unknown tool %s", e)
	}
}

func (c *checker) types(ts []cedar.EntityType) {
	for _, t := range ts {
		if _, ok := c.known[t]; ok || t == "" {
			continue
		}
		names := typeNames(c.known)
		fix := nearest.DidYouMean(string(t), names)
		if fix == "" {
			fix = "there are " + strings.Join(names, ", ")
		}
		c.report(string(t), fix, "unknown type of entity `%s`", t)
	}
}

func typeNames(known map[cedar.EntityType][]string) []string {
	var names []string
	for _, t := range slices.Sorted(maps.Keys(known)) {
		names = append(names, string(t))
	}
	return names
}

// reachable reports a rule that no agent and no tool of the world can meet.
func (c *checker) reachable() {
	f := c.rule.facts
	agents := append([]Agent{{Operator: true}}, c.world.Agents...)
	switch {
	case f.never:
		c.report("", "", "the policy can never match: a condition is always false")
	case !f.action.covers(callTool):
		c.report("action", "", "the policy can never match: the only action is %s", callTool)
	case !slices.ContainsFunc(agents, func(a Agent) bool { return f.principal.covers(a.uid(), a.parents()...) }):
		c.report("principal", "", "the policy can never match: no agent meets `%s`", f.principal.text("principal"))
	case !slices.ContainsFunc(c.resources, func(r resource) bool { return r.coveredBy(f.resource) }):
		c.report("resource", "", "the policy can never match: no tool meets `%s`", f.resource.text("resource"))
	}
}

// path checks the names of attributes.
func (c *checker) path(path []string) {
	members, parent := shapes[path[0]], path[0]
	for _, name := range path[1:] {
		if parent == "context.arguments" {
			c.argument(name)
			return
		}
		a, ok := members[name]
		if !ok {
			c.unknownAttribute(parent, name, slices.Sorted(maps.Keys(members)))
			return
		}
		if a.kind != kindRecord {
			return
		}
		members, parent = a.members, parent+"."+name
	}
}

func (c *checker) unknownAttribute(parent, name string, names []string) {
	fix := nearest.DidYouMean(name, names)
	if parent == "context" && fix == "" && slices.Contains(c.argumentsInScope(), name) {
		fix = "did you mean `context.arguments." + name + "`?"
	}
	if fix == "" && len(names) > 0 {
		fix = "there are " + strings.Join(names, ", ")
	}
	c.report(parent+"."+name, fix, "%s has no attribute `%s`", parent, name)
}

func (c *checker) argument(name string) {
	names := c.argumentsInScope()
	if names == nil || slices.Contains(names, name) {
		return
	}
	c.report("context.arguments."+name, nearest.DidYouMean(name, names), "no tool of the scope `%s` takes an argument `%s`", c.rule.facts.resource.text("resource"), name)
}

// argumentsInScope are the arguments of all tools in the rule's scope; nil when one of them may take any, or none is
// there.
func (c *checker) argumentsInScope() []string {
	var names []string
	for _, r := range c.resources {
		if !r.coveredBy(c.rule.facts.resource) {
			continue
		}
		if r.arguments == nil {
			return nil
		}
		names = append(names, r.arguments...)
	}
	return names
}

// comparison checks literals against what the attribute can be.
func (c *checker) comparison(cmp comparison) {
	a := attributeAt(cmp.path)
	has, path := kindOf(cmp.value), strings.Join(cmp.path, ".")
	equality := cmp.operator == "==" || cmp.operator == "!="
	text, _ := cmp.value.(cedar.String)
	switch {
	case a.kind == "" || a.kind == kindRecord || has == "":
	case a.kind != has && equality:
		c.report(path, "", "%s is a %s and never equals the %s %s", path, a.kind, has, cmp.value.MarshalCedar())
	case a.kind != has:
		c.report(path, "calls it applies to would be refused", "%s is a %s and cannot be compared with the %s %s",
			path, a.kind, has, cmp.value.MarshalCedar())
	case equality && a.oneOf != nil && !slices.Contains(a.oneOf, string(text)):
		c.report(string(text), oneOf(string(text), a.oneOf), "%s is never %q", path, string(text))
	}
}

// attributeAt is the zero attribute where nothing is known.
func attributeAt(path []string) attribute {
	a := attribute{members: shapes[path[0]]}
	for _, name := range path[1:] {
		a = a.members[name]
	}
	return a
}

func oneOf(wrong string, values []string) string {
	if fix := nearest.DidYouMean(wrong, values); fix != "" {
		return fix
	}
	return fmt.Sprintf("it is one of %s", strings.TrimLeft(strings.Join(values, ", "), ", "))
}
