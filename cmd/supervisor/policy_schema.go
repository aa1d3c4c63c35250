package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcp-supervisor/supervisor/governance/policy"
)

func (a *app) policySchemaCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "schema [WORKSPACE]",
		Short: "Print the Cedar schema of the workspace's tools",
		Long: `Print the Cedar schema of the workspace, for editors and for Cedar's own tools. The process that runs the workspace is asked
for the servers' tools; without one, servers are started for it. The arguments of a server that cannot be started are not
in it.

Exit codes: 0; 2 when the workspace has faults.`,
		Args: cobra.MaximumNArgs(1),
		RunE: a.command(func(c *cobra.Command, args []string) error {
			ws, err := a.load(first(args))
			if err != nil {
				return err
			}
			world, err := a.world(c.Context(), ws, false)
			if err != nil {
				return err
			}
			text, err := policy.Schema(world)
			if err != nil {
				return err
			}
			return a.print(printable(strings.TrimRight(string(text), "\n")))
		}),
	}
}
