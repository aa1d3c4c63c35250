package main

import (
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcp-supervisor/supervisor/mcp/demoserver"
)

func (a *app) demoServerCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "demo-server NAME [ARGS...]",
		Short: "Serve one of the built-in MCP servers over stdio",
		Long:  "Serve one of the small built-in MCP servers over stdio, for examples and tests:\n" + demoServers(),
		Args:  cobra.MinimumNArgs(1),
		RunE: a.command(func(c *cobra.Command, args []string) error {
			err := demoserver.Serve(c.Context(), args[0], args[1:], os.Stdin, os.Stdout, os.Stderr)
			if err != nil {
				return &exit{code: exitInvalid, err: err}
			}
			return nil
		}),
	}
	c.Flags().SetInterspersed(false) // what follows NAME is the server's
	return c
}

func demoServers() string {
	var b strings.Builder
	for _, info := range demoserver.Infos() {
		b.WriteString("\n  " + join(" ", info.Name, info.Args) + "\n        " + info.About)
	}
	return b.String()
}
