package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// aspect is one thing that the gate reads of a T, by the name that users know it by.
type aspect[T any] struct {
	name string
	of   func(T) any
}

var (
	serverGate = []aspect[Server]{
		{"tools", func(s Server) any { return s.Rules.Tools }},
		{"permission", func(s Server) any { return s.Rules.Tier }},
		{"permission_overrides", func(s Server) any { return s.Rules.Overrides }},
		{"effects", func(s Server) any { return s.Rules.Effects }},
		{"tags", func(s Server) any { return s.Rules.Tags }},
		{"prefix", func(s Server) any { return s.Prefix }},
		{"credentials", func(s Server) any { return append(credentialsOf(s), s.CredentialsRef) }},
		{"retry", func(s Server) any { return s.Retry }}, // it runs an allowed call twice
	}
	skillGate = []aspect[Skill]{
		{"description", func(s Skill) any { return s.Description }},
		{"server", func(s Skill) any { return s.Server }},
		{"tool", func(s Skill) any { return s.Tool }},
		{"arguments", func(s Skill) any { return s.Arguments }},
		{"required_scopes", func(s Skill) any { return s.RequiredScopes }},
	}
	agentGate = []aspect[Agent]{
		{"role", func(a Agent) any { return a.Role }},
		{"base_scope", func(a Agent) any { return a.Scopes }},
		{"elevated_scopes", func(a Agent) any { return a.Elevated }},
		{"skills", func(a Agent) any { return []any{a.Skills, a.Grants} }},
		{"groups", func(a Agent) any { return a.Groups }},
		{"model", func(a Agent) any { return a.Model }},
		{"prompt", func(a Agent) any { return a.System }},
		{"children", func(a Agent) any { return childrenOf(a) }},
	}
)

// gateChanges names what differs in what the gate decides by: governance, servers in their order, then the rest by name.
func gateChanges(old, next *Workspace) []string {
	all := governanceChanges(old.Governance, next.Governance)
	for _, s := range next.Servers {
		if was, known := old.knew(s.ID); known {
			all = append(all, differing("server", s.ID, was, s, serverGate)...)
		} else if why := old.holdsBack(next, s); why != "" {
			all = append(all, fmt.Sprintf("server `%s` added: %s", s.ID, why))
		}
	}
	all = append(all, eachByName("skill", old.Skills, next.Skills, func(id string, was, is Skill) []string {
		return differing("skill", id, was, is, skillGate)
	})...)
	all = append(all, eachByName("topology", old.Topologies, next.Topologies, agentChanges)...)
	for _, name := range unionOfKeys(old.Credentials, next.Credentials) {
		if !same(old.Credentials[name], next.Credentials[name]) {
			all = append(all, "credentials: `"+name+"`")
		}
	}
	return all
}

func agentChanges(topology string, was, is Topology) []string {
	return eachByName("agent", byID(topology, was), byID(topology, is), func(id string, was, is Agent) []string {
		return differing("agent", id, was, is, agentGate)
	})
}

// byID are a topology's agents as topology/agent.
func byID(topology string, t Topology) map[string]Agent {
	agents := map[string]Agent{}
	t.Root.Walk(func(a Agent) { agents[topology+"/"+a.ID] = a })
	return agents
}

func childrenOf(a Agent) []string {
	var ids []string
	for _, child := range a.Children {
		ids = append(ids, child.ID)
	}
	return ids
}

// differing names the aspects in which two values of the same id differ, in one line, or none.
func differing[T any](what, id string, was, is T, aspects []aspect[T]) []string {
	names := differingNames(was, is, aspects)
	if len(names) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%s `%s`: %s", what, id, strings.Join(names, ", "))}
}

func differingNames[T any](was, is T, aspects []aspect[T]) []string {
	var names []string
	for _, a := range aspects {
		if !same(a.of(was), a.of(is)) {
			names = append(names, a.name)
		}
	}
	return names
}

// eachByName goes through two mappings by name: what only one has is added or removed, and both are left to compare.
func eachByName[T any](what string, old, next map[string]T, compare func(name string, was, is T) []string) []string {
	var all []string
	for _, name := range unionOfKeys(old, next) {
		was, had := old[name]
		is, has := next[name]
		switch {
		case !had:
			all = append(all, fmt.Sprintf("%s `%s` added", what, name))
		case !has:
			all = append(all, fmt.Sprintf("%s `%s` removed", what, name))
		default:
			all = append(all, compare(name, was, is)...)
		}
	}
	return all
}

func unionOfKeys[T any](a, b map[string]T) []string {
	keys := slices.AppendSeq(slices.Collect(maps.Keys(a)), maps.Keys(b))
	slices.Sort(keys)
	return slices.Compact(keys)
}
