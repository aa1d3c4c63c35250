package governance

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/mcp-supervisor/supervisor/governance/spec"
)

// AgentIn is an agent and the topology it is declared in.
type AgentIn struct {
	Topology string
	spec.Agent
}

// ParseAgent splits "topology/agent" into its parts; a bare agent has no topology.
func ParseAgent(name string) (topology, agent string) {
	if before, after, found := strings.Cut(name, "/"); found {
		return before, after
	}
	return "", name
}

// operator is the person at the keyboard. Its scopes are not listed: it holds all.
var operator = AgentIn{Agent: spec.Agent{
	ID:     spec.Operator,
	Role:   "root",
	Grants: []spec.Grant{{Via: spec.Operator, Server: "*", Tool: "*"}},
}}

// directory finds agents by id and topology.
type directory map[string][]AgentIn // by id, in the order of declaration

func newDirectory(agents []AgentIn) directory {
	d := directory{}
	for _, a := range agents {
		d[a.ID] = append(d[a.ID], a)
	}
	return d
}

// find returns the agent, or a reason why there is none. An empty topology is enough when the id is declared once. The
// operator has no topology: an agent that some topology calls by its name is not the operator.
func (d directory) find(topology, id string) (agent AgentIn, reason string) {
	if topology == "" && id == spec.Operator {
		return operator, ""
	}
	declared := d[id]
	if topology == "" {
		switch len(declared) {
		case 1:
			return declared[0], ""
		case 0:
			return AgentIn{}, d.unknown(topology, id)
		}
		return AgentIn{}, ambiguous(declared)
	}
	for _, a := range declared {
		if a.Topology == topology {
			return a, ""
		}
	}
	return AgentIn{}, d.unknown(topology, id)
}

func (d directory) unknown(topology, id string) string {
	if topology == "" {
		return fmt.Sprintf("unknown agent %s%s", tick(id), didYouMean(id, slices.Sorted(maps.Keys(d))))
	}
	var there []string
	for _, name := range slices.Sorted(maps.Keys(d)) {
		if slices.ContainsFunc(d[name], func(a AgentIn) bool { return a.Topology == topology }) {
			there = append(there, name)
		}
	}
	return fmt.Sprintf("unknown agent %s in topology %s%s", tick(id), tick(topology), didYouMean(id, there))
}

func ambiguous(declared []AgentIn) string {
	names := make([]string, len(declared))
	for i, a := range declared {
		names[i] = a.Topology + "/" + a.ID
	}
	return fmt.Sprintf("agent %s is declared in several topologies; say which: %s", tick(declared[0].ID), ticks(names))
}
