package governance

import (
	"slices"
	"strings"
)

// Frozen is the kill switch: calls of frozen agents and to frozen servers are denied. It is a value; nil and the zero
// value freeze nothing.
type Frozen struct {
	All bool `json:"all,omitempty"`
	// Agents are "id", meaning the agents of all topologies with that id, or "topology/id".
	Agents  []string `json:"agents,omitempty"`
	Servers []string `json:"servers,omitempty"`
}

// Empty reports whether nothing is frozen.
func (f *Frozen) Empty() bool {
	return f == nil || !f.All && len(f.Agents) == 0 && len(f.Servers) == 0
}

// With returns f and other together.
func (f Frozen) With(other Frozen) Frozen {
	return Frozen{All: f.All || other.All, Agents: union(f.Agents, other.Agents), Servers: union(f.Servers, other.Servers)}
}

// Without returns f less other; what f does not freeze changes nothing. Without everything (All) nothing is left.
func (f Frozen) Without(other Frozen) Frozen {
	if other.All {
		return Frozen{}
	}
	in := func(list []string) func(string) bool {
		return func(s string) bool { return slices.Contains(list, s) }
	}
	return Frozen{
		All:     f.All,
		Agents:  slices.DeleteFunc(slices.Clone(f.Agents), in(other.Agents)),
		Servers: slices.DeleteFunc(slices.Clone(f.Servers), in(other.Servers)),
	}
}

// Covers reports whether a call of an agent to a server is frozen. A call names no topology when the agent's id is
// declared once; a freeze of "topology/id" covers it then.
func (f *Frozen) Covers(topology, agent, server string) bool {
	if f == nil {
		return false
	}
	frozen := func(name string) bool {
		in, id := ParseAgent(name)
		return id == agent && (in == "" || topology == "" || in == topology)
	}
	return f.All || slices.ContainsFunc(f.Agents, frozen) || f.server(server)
}

func (f *Frozen) agent(a AgentIn) bool {
	return f != nil && (f.All || slices.Contains(f.Agents, a.ID) || slices.Contains(f.Agents, a.Topology+"/"+a.ID))
}

func (f *Frozen) server(id string) bool { return f != nil && slices.Contains(f.Servers, id) }

// String names what is frozen, for people.
func (f *Frozen) String() string {
	if f.Empty() {
		return "nothing"
	}
	var parts []string
	if f.All {
		parts = append(parts, "everything")
	}
	for _, a := range f.Agents {
		parts = append(parts, "agent "+tick(a))
	}
	for _, s := range f.Servers {
		parts = append(parts, "server "+tick(s))
	}
	return strings.Join(parts, ", ")
}

func union(a, b []string) []string {
	all := slices.Concat(a, b)
	slices.Sort(all)
	return slices.Compact(all)
}
