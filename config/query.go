package config

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// Topology returns the topology of that name; an empty name stands for the only one.
//
// The error is a Fault that lists the names there are. Safe for concurrent use, as all methods of a Workspace are.
func (w *Workspace) Topology(name string) (Topology, error) {
	names := slices.Sorted(maps.Keys(w.Topologies))
	if name == "" && len(names) == 1 {
		name = names[0]
	}
	if t, ok := w.Topologies[name]; ok {
		return t, nil
	}
	f := Fault{File: filepath.Base(w.File), Message: fmt.Sprintf("topology %q is not declared", name), Fix: didYouMean(name, names)}
	switch {
	case len(names) == 0:
		f.Message, f.Fix = "the workspace declares no topology", "add a file in topologies/"
	case name == "":
		f.Message, f.Fix = "the workspace has several topologies", "name one of "+strings.Join(names, ", ")
	case f.Fix == "":
		f.Fix = "there is " + strings.Join(names, ", ")
	}
	return Topology{}, f
}

// AgentIn is an agent and the name of its topology.
type AgentIn struct {
	Topology string
	Agent
}

// Agents returns all agents of all topologies: topologies by name, parents before their children.
func (w *Workspace) Agents() []AgentIn {
	var all []AgentIn
	for _, name := range slices.Sorted(maps.Keys(w.Topologies)) {
		w.Topologies[name].Root.Walk(func(a Agent) { all = append(all, AgentIn{name, a}) })
	}
	return all
}

// addServers is the fix for a workspace without servers.
const addServers = "add `mcp_servers: [{id: ..., transport: stdio, command: [...]}]` to it"

// CheckRun says whether a topology can be run at all; call it before any process is started.
//
// It returns a Fault when the workspace declares no MCP server at all: the workspace is valid, but a run of agents
// without a single tool is most likely a mistake, and with skills it could only fail call by call.
func (w *Workspace) CheckRun(t Topology) error {
	if len(w.Servers) > 0 {
		return nil
	}
	message := fmt.Sprintf("no MCP servers are declared, so the agents of topology %q have no tools", t.Name)
	t.Root.Walk(func(a Agent) {
		for _, g := range a.Grants {
			if g.Server != "*" {
				message = fmt.Sprintf("no MCP servers are declared, but agent %q holds %q, which needs server %q", a.ID, g.Via, g.Server)
			}
		}
	})
	return Fault{File: filepath.Base(w.File), Field: "mcp_servers", Fix: addServers, Message: message}
}
