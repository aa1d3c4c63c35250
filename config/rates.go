package config

import (
	"maps"
	"slices"
	"strings"
	"time"

	gov "github.com/mcp-supervisor/supervisor/governance/spec"
)

var rateShape = shape{known: "agent server tool calls per"}

// maxRates bounds what every call is compared with.
const maxRates = 1000

// each stands for every agent, server or tool by itself; leaving the key out is for all of them together.
const each = "*"

// rates reads all rates, once servers and agents are known.
func (l *loader) rates(v value) {
	items := l.list(v)
	if len(items) > maxRates {
		l.fault(v, "", "%d rates: a workspace may have %d", len(items), maxRates)
		return
	}
	agents := l.callers()
	for _, item := range items {
		l.check(item, rateShape)
		if item.kind != mapping {
			l.mustBeMapping(item)
			continue
		}
		l.ws.Governance.Rates = append(l.ws.Governance.Rates, l.rate(item, agents))
	}
}

func (l *loader) rate(v value, agents []string) gov.Rate {
	agent, server, tool, calls := v.get("agent"), v.get("server"), v.get("tool"), v.get("calls")
	if !agent.given() && !server.given() && !tool.given() {
		l.fault(v, `name one of them, or write "*" for each by itself`, "a rate needs an agent, a server or a tool")
	}
	if !calls.given() {
		l.fault(calls, "write `calls: 60`", "missing: a rate needs it")
	}
	r := gov.Rate{
		Agent:  l.pattern(agent),
		Server: l.pattern(server),
		Tool:   l.pattern(tool),
		Calls:  l.int(calls, 1, 1),
		Per:    l.duration(v.get("per"), time.Minute, 1),
	}
	if r.Agent != "" && r.Agent != each && len(agent.problems) == 0 {
		l.checkCaller(agent, agents)
	}
	if r.Server != "" && r.Server != each && len(server.problems) == 0 {
		l.checkServer(server, r.Server, "a rate is for")
		l.checkTool(tool, r.Server, r.Tool)
	}
	return r
}

// pattern reads a name, or what stands for each.
func (l *loader) pattern(v value) string {
	name := l.str(v)
	if v.kind == text && name == "" {
		l.fault(v, `write "*" for each by itself, or leave it out`, "the name is empty")
	}
	return name
}

// callers are all names that a caller can go by.
func (l *loader) callers() []string {
	names := map[string]bool{gov.Operator: true}
	for _, a := range l.ws.Agents() {
		names[a.ID], names[a.Topology+"/"+a.ID] = true, true
	}
	return slices.Sorted(maps.Keys(names))
}

// checkCaller checks that an agent is declared, unless a broken topology may have been its place.
func (l *loader) checkCaller(v value, agents []string) {
	broken := slices.ContainsFunc(l.faults, func(f Fault) bool { return strings.HasPrefix(f.File, "topologies/") })
	if !broken && !slices.Contains(agents, v.text) {
		l.fault(v, orElse(didYouMean(v.raw, agents), "declare it in topologies/"), "agent %s is not declared", v.quote())
	}
}
