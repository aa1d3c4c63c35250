package main

import (
	"slices"

	"github.com/mcp-supervisor/supervisor/config"
	"github.com/mcp-supervisor/supervisor/governance"
	gov "github.com/mcp-supervisor/supervisor/governance/spec"
	"github.com/mcp-supervisor/supervisor/internal/nearest"
)

// declared finds out which agents and servers of a workspace bare names stand for. ws is nil when its files have faults.
func declared(ws *config.Workspace, names []string) (governance.Frozen, error) {
	if ws == nil && len(names) > 0 {
		return governance.Frozen{}, usage("the workspace's files have faults, so that nobody knows what %q is: use --agent or --server", names[0])
	}
	agents, servers := []string{gov.Operator}, []string{}
	if ws != nil {
		for _, a := range ws.Agents() {
			agents = append(agents, a.ID, a.Topology+"/"+a.ID)
		}
		for _, s := range ws.Servers {
			servers = append(servers, s.ID)
		}
	}
	return sorted(names, agents, servers, func(name string) error {
		return usage("there is no agent or server %q in this workspace%s", name, didYouMean(name, slices.Concat(agents, servers)))
	})
}

// frozenAs finds out what bare names stand for among what is frozen: they need not be declared any more.
func frozenAs(now governance.Frozen, names []string) (governance.Frozen, error) {
	return sorted(names, now.Agents, now.Servers, func(name string) error {
		if now.All {
			return usage("everything is frozen, and %q is not by its name: `supervisor thaw --all` thaws everything", name)
		}
		return usage("%q is not frozen; frozen is %s", name, now.String())
	})
}

// sorted sorts names into agents and servers.
func sorted(names, agents, servers []string, unknown func(name string) error) (governance.Frozen, error) {
	var f governance.Frozen
	for _, name := range names {
		agent, server := slices.Contains(agents, name), slices.Contains(servers, name)
		switch {
		case agent && server:
			return f, usage("%q is an agent and a server: write --agent %s or --server %s", name, name, name)
		case agent:
			f.Agents = append(f.Agents, name)
		case server:
			f.Servers = append(f.Servers, name)
		default:
			return f, unknown(name)
		}
	}
	return f, nil
}

func didYouMean(wrong string, known []string) string {
	if fix := nearest.DidYouMean(wrong, known); fix != "" {
		return "; " + fix
	}
	return ""
}
