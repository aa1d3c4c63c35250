package config

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
)

var (
	skillShape = shape{
		known: "apiVersion kind metadata category implementation iam provenance",
		idle:  "inputs{} outputs{} constraints{} audit{} requires_credentials[]",
		// Only the other runtime tells categories apart; provenance is for people.
		pedantic: "category provenance",
	}
	mcpToolShape   = shape{known: "type server tool arguments"}
	skillIAMShape  = shape{known: "required_scopes"}
	skillMetaShape = shape{known: "id name description", pedantic: "name description"}
	// idleSkills are the implementation types of the format that we do not run.
	idleSkills = []string{"llm_prompt", "composed", "command", "agent"}
)

type category string

var categories = []category{"capability", "decision", "coordination", "persistence"}

// skill is a skill with what only loading needs to know of it.
type skill struct {
	Skill
	category category
	disabled bool // its server is
}

// scope is namespace:action, as in repo:read or mcp_servers:*.
var scope = regexp.MustCompile(`^[a-z][a-z0-9_-]*:[a-z*][a-z0-9_*-]*$`)

func (l *loader) readSkill(top value) {
	l.check(top, skillShape)
	metadata := top.get("metadata")
	l.check(metadata, skillMetaShape)
	l.str(metadata.get("name"))
	l.provenance(top.get("provenance"))
	s := skill{Skill: Skill{
		ID:             l.id(metadata.get("id"), "skill"),
		Description:    l.str(metadata.get("description")),
		RequiredScopes: l.requiredScopes(top.get("iam")),
	}}
	s.category = oneOf(&l.report, top.get("category"), "", categories...)
	l.implementation(top.get("implementation"), &s)
	if s.ID != "" && l.claim(metadata.get("id"), "skill", s.ID) {
		l.skills[s.ID] = s
		l.ws.Skills[s.ID] = s.Skill
	}
}

func (l *loader) provenance(v value) { l.fields(v) }

func (l *loader) requiredScopes(iam value) []string {
	l.check(iam, skillIAMShape)
	v := iam.get("required_scopes")
	for _, item := range v.items {
		if item.kind == text && len(item.problems) == 0 && !scope.MatchString(item.text) {
			l.fault(item, "write it like repo:read", "%s is not a scope: expected namespace:action in lower case", item.quote())
		}
	}
	return l.strs(v)
}

func (l *loader) implementation(v value, s *skill) {
	kind := v.get("type")
	name := l.str(kind)
	switch {
	case v.given() && v.kind != mapping:
		l.wrong(v, "a mapping")
	case !kind.given():
		l.fault(kind, "write `type: mcp_tool`", "missing: it says how the skill is run")
	case name == "mcp_tool":
		l.mcpTool(v, s)
	case slices.Contains(idleSkills, name):
		l.idle(kind)
	case kind.kind == text:
		l.strictly(kind, didYouMean(kind.raw, append(idleSkills, "mcp_tool")), "%s is not a known type of skill", kind.quote())
	}
}

func (l *loader) mcpTool(v value, s *skill) {
	l.check(v, mcpToolShape)
	server, tool := v.get("server"), v.get("tool")
	s.Server, s.Tool = l.str(server), l.str(tool)
	for _, f := range []value{server, tool} {
		if !f.given() || f.kind == text && f.text == "" {
			l.fault(f, "", "missing: a skill of type mcp_tool needs it")
		}
	}
	s.Arguments = l.arguments(v.get("arguments"))
	if s.Server != "" && len(server.problems) == 0 {
		s.disabled = l.checkServer(server, s.Server, fmt.Sprintf("skill %q uses", s.ID))
		l.checkTool(tool, s.Server, s.Tool)
	}
}

func (l *loader) arguments(v value) map[string]any {
	if len(l.fields(v)) == 0 {
		return nil
	}
	arguments, _ := v.decoded().(map[string]any)
	if _, err := json.Marshal(arguments); err != nil {
		l.fault(v, "", "cannot be sent as JSON: %v", err)
	}
	return arguments
}

// checkServer checks that a server which somebody uses is there, and reports whether it is disabled. Where no server is
// declared at all, loading goes on and running is refused: see [Workspace.CheckRun].
func (l *loader) checkServer(v value, id, who string) (disabled bool) {
	server, known := l.ws.Server(id)
	switch {
	case known && server.Disabled:
		l.warn(v, "", "%s MCP server %q, which is disabled in %s", who, id, l.main)
	case known:
	case len(l.ws.Servers) == 0:
		l.warn(v, addServers, "%s MCP server %q, but %s declares no MCP servers at all", who, id, l.main)
	default:
		l.fault(v, orElse(didYouMean(v.raw, l.serverIDs()), "add it under mcp_servers in "+l.main),
			"%s MCP server %q, which %s does not declare", who, id, l.main)
	}
	return server.Disabled
}

// checkTool warns of a tool that the server's own filter hides: no call of it can pass.
func (l *loader) checkTool(v value, server, tool string) {
	if s, known := l.ws.Server(server); known && tool != "" && tool != "*" && !s.Rules.Exposes(tool) {
		l.warn(v, "", "the tools filter of server %q hides %q", server, tool)
	}
}

func (l *loader) skillIDs() []string { return slices.Sorted(maps.Keys(l.skills)) }
