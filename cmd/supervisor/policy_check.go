package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/mcp-supervisor/supervisor/actors"
	"github.com/mcp-supervisor/supervisor/config"
	"github.com/mcp-supervisor/supervisor/governance/policy"
)

// checked is what `policy check --json` prints.
type checked struct {
	Policies int              `json:"policies"`
	Problems []policy.Problem `json:"problems"`
}

func (a *app) policyCheckCommand() *cobra.Command {
	var offline, asJSON bool
	c := &cobra.Command{
		Use:   "check [WORKSPACE]",
		Short: "Compare the policies with the workspace's agents, servers and tools",
		Long: `Read the policies, and find those that do not mean what they should: names of agents, groups, servers, tools and arguments
that do not exist, comparisons that cannot hold, policies that can never match. A misspelt forbid forbids nothing, and nobody
notices.

The process that runs the workspace is asked for the servers' tools; without one, servers are started for it. With --offline
nothing is started, and nothing is said about tools.

Exit codes: 0 when there is nothing to complain about; 2 for problems and faults.`,
		Args: cobra.MaximumNArgs(1),
		RunE: a.command(func(c *cobra.Command, args []string) error {
			ws, err := a.load(first(args))
			if err != nil {
				return err
			}
			set, err := policiesOf(ws)
			var faults policy.Faults
			switch {
			case errors.As(err, &faults):
				return a.printChecked(checked{Problems: faults}, asJSON)
			case set == nil:
				set = &policy.Set{}
			}
			world, err := a.world(c.Context(), ws, offline || set.Len() == 0)
			if err != nil {
				return err
			}
			return a.printChecked(checked{Policies: set.Len(), Problems: set.Check(world)}, asJSON)
		}),
	}
	c.Flags().BoolVar(&offline, "offline", false, "check only what needs no server")
	c.Flags().BoolVar(&asJSON, "json", false, "print {policies, problems} as one JSON object")
	return c
}

// world is the workspace as policies see it; offline, without the servers' tools.
func (a *app) world(ctx context.Context, ws *config.Workspace, offline bool) (policy.World, error) {
	if offline {
		return worldOf(ws, nil, func(string) bool { return false }), nil
	}
	var world policy.World
	err := a.withAPI(ctx, ws, func(ctx context.Context, api api) error {
		found, err := api.Tools(ctx, actors.ToolsQuery{})
		if err != nil {
			return err
		}
		a.sayDown(actors.ToolsResult{Down: found.Down})
		world = worldOf(ws, found.Tools, func(server string) bool { return isKnown(found, server) })
		return nil
	})
	return world, err
}

// isKnown reports whether the tools of a server are: it is up, or they are remembered.
func isKnown(found actors.ToolsResult, server string) bool {
	return slices.ContainsFunc(found.Tools, func(t actors.ToolInfo) bool { return t.Server == server }) ||
		!slices.ContainsFunc(found.Down, func(d actors.DownServer) bool { return d.Server == server })
}

func (a *app) printChecked(found checked, asJSON bool) error {
	lines := []string{policies(found.Policies) + ", nothing to complain about"}
	if len(found.Problems) > 0 {
		lines = nil
	}
	for _, p := range found.Problems {
		lines = append(lines, oneLine(p.String()))
	}
	if asJSON {
		found.Problems = orNone(found.Problems)
		if err := writeJSON(a.out, found); err != nil {
			return fmt.Errorf("write the output: %w", err)
		}
		lines = nil
	}
	for _, line := range lines {
		if err := a.print(line); err != nil {
			return err
		}
	}
	if len(found.Problems) > 0 {
		return &exit{code: exitInvalid}
	}
	return nil
}

func policies(n int) string {
	if n == 1 {
		return "1 policy"
	}
	return fmt.Sprintf("%d policies", n)
}
