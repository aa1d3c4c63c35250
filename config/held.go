package config

import (
	"fmt"
	"slices"
	"strings"

	gov "github.com/mcp-supervisor/supervisor/governance/spec"
)

var (
	abstractShape    = shape{known: "abstract"}
	placeholderShape = shape{known: "category capability"}
)

// hold adds one entry of an agent's skills: the id of a skill, a grant (server:<id>, tool:<server>/<name>, pack:<id>),
// or an abstract placeholder.
func (l *loader) hold(a *Agent, entry value) {
	switch {
	case entry.kind == mapping:
		l.check(entry, abstractShape)
		if id := l.abstract(entry.get("abstract")); id != "" {
			l.holdSkill(a, id)
		}
	case entry.kind != text:
		l.wrong(entry, "the id of a skill")
	case strings.Contains(entry.text, ":"):
		l.grant(a, entry)
	case l.knows(entry):
		l.holdSkill(a, entry.text)
	}
}

func (l *loader) knows(entry value) bool {
	_, known := l.skills[entry.text]
	if !known && len(entry.problems) == 0 {
		_, declared := l.claims["skill "+entry.text]
		if declared {
			return false
		}
		l.fault(entry, orElse(didYouMean(entry.raw, l.skillIDs()), "add a file for it in skills/"), "skill %s is not declared", entry.quote())
	}
	return known
}

func (l *loader) holdSkill(a *Agent, id string) {
	if slices.Contains(a.Skills, id) {
		return
	}
	a.Skills = append(a.Skills, id)
	if s := l.skills[id]; s.Server != "" {
		a.Grants = append(a.Grants, gov.Grant{Via: id, Server: s.Server, Tool: s.Tool, Scopes: s.RequiredScopes})
	}
}

func (l *loader) grant(a *Agent, entry value) {
	what, name, _ := strings.Cut(entry.text, ":")
	g := gov.Grant{Via: entry.text, Server: name, Tool: "*"}
	switch what {
	case "server":
	case "tool":
		var ok bool
		if g.Server, g.Tool, ok = strings.Cut(name, "/"); !ok || g.Tool == "" {
			l.fault(entry, "write tool:<server>/<name>", "%s names no tool", entry.quote())
			return
		}
	case "pack":
		l.idle(entry)
		return
	default:
		l.fault(entry, "write server:<id> or tool:<server>/<name>", "%s is not a grant", entry.quote())
		return
	}
	if g.Server != "*" {
		id := entry
		id.raw = g.Server // what a suggestion is made from
		l.checkServer(id, g.Server, fmt.Sprintf("grant %s is for", entry.quote()))
		l.checkTool(entry, g.Server, g.Tool)
	}
	if !slices.ContainsFunc(a.Grants, func(have gov.Grant) bool { return have.Via == g.Via }) {
		a.Grants = append(a.Grants, g)
	}
}

// abstract finds the one skill that a placeholder stands for: of its category, with the capability in its id.
func (l *loader) abstract(v value) string {
	l.check(v, placeholderShape)
	if v.kind != mapping {
		return ""
	}
	category := oneOf(&l.report, v.get("category"), "", categories...)
	capability := l.str(v.get("capability"))
	var found []string
	for _, id := range l.skillIDs() {
		if l.skills[id].category == category && strings.Contains(id, capability) {
			found = append(found, id)
		}
	}
	switch {
	case category == "":
		l.missingCategory(v)
	case len(found) == 1:
		return found[0]
	case len(found) == 0:
		l.fault(v, "", "no skill of category %s has %q in its id", category, capability)
	default:
		l.fault(v, "name one of them, or narrow the capability", "%d skills fit: %s", len(found), strings.Join(found, ", "))
	}
	return ""
}

func (l *loader) missingCategory(v value) {
	if !v.get("category").given() {
		l.fault(v.get("category"), "", "missing: a placeholder needs it")
	}
}
