package actors

import (
	"fmt"

	"github.com/mcp-supervisor/supervisor/config"
	"github.com/mcp-supervisor/supervisor/governance"
	"github.com/mcp-supervisor/supervisor/governance/policy"
)

// policiesOf compiles a workspace's policies. Nil is a workspace without any, which permits; a folder without a policy is
// a set that permits nothing. Errors are policy.Faults, with file, line and column.
func policiesOf(ws *config.Workspace) (*policy.Set, error) {
	if ws.Governance.Policies == nil {
		return nil, nil
	}
	var files []policy.File
	for _, f := range ws.Governance.Policies.Files {
		files = append(files, policy.File{Name: f.Name, Text: f.Text})
	}
	set, err := policy.Load(files)
	if err != nil {
		return nil, fmt.Errorf("policies: %w", err)
	}
	return set, nil
}

// snapshot is what the built-in gate decides by. Disabled servers are in it by name only: nobody can call
// them.
func snapshot(ws *config.Workspace, rules *policy.Set) governance.Snapshot {
	snap := governance.Snapshot{Pinning: ws.Governance.Pinning, Policies: rules}
	for _, a := range ws.Agents() {
		snap.Agents = append(snap.Agents, governance.AgentIn{Topology: a.Topology, Agent: a.Agent.Agent})
	}
	for _, s := range ws.Servers {
		if s.Disabled {
			snap.Disabled = append(snap.Disabled, s.ID)
		} else {
			snap.Servers = append(snap.Servers, s.Rules)
		}
	}
	return snap
}
