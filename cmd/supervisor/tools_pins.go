package main

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"github.com/mcp-supervisor/supervisor/actors"
	gov "github.com/mcp-supervisor/supervisor/governance/spec"
	"github.com/mcp-supervisor/supervisor/messages"
)

func (a *app) toolsChangesCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "changes [SERVER]",
		Short: "List the tools that are not as they were approved",
		Long: `List the tools of the servers, or of one, that are new, changed or gone compared with tools.lock. The first time a server is
seen all its tools are taken as approved. While nobody runs the workspace its servers are started for it.

Exit codes: 0, changes or not; 2 for an unknown server; 4 when a server that was named could not be started.`,
		Args: cobra.MaximumNArgs(1),
		RunE: a.command(func(c *cobra.Command, args []string) error {
			return a.withSeen(c.Context(), first(args), func(ctx context.Context, api api) error {
				list, err := api.ToolChanges(ctx)
				if err != nil {
					return a.notDone(err)
				}
				return a.printChanges(of(first(args), list), "no tool changed", asJSON)
			})
		}),
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print the changes as one JSON array")
	return c
}

func (a *app) toolsApproveCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "approve SERVER [TOOL...]",
		Short: "Approve a server's tools as they are now",
		Long: `Write the server's tools, or some of them, to tools.lock as they are now, and print what changed by it. While nobody runs the
workspace the server is started for it.

Exit codes: 0; 2 for an unknown server; 4 for a tool that the server does not have, when the server's tools are not known, and
when governance.pinning is off.`,
		Args: cobra.MinimumNArgs(1),
		RunE: a.command(func(c *cobra.Command, args []string) error {
			if slices.Contains(args, "") {
				return usage("SERVER and TOOL must not be empty")
			}
			return a.withSeen(c.Context(), args[0], func(ctx context.Context, api api) error {
				list, err := api.ApproveTools(ctx, actors.ToolApproval{Server: args[0], Tools: args[1:]})
				if err != nil {
					return a.notDone(err)
				}
				return a.printChanges(list, "approved as they were already", asJSON)
			})
		}),
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print what changed as one JSON array")
	return c
}

// withSeen runs fn with the workspace's owner, once it has seen the tools of a server, or of all: "".
func (a *app) withSeen(ctx context.Context, server string, fn func(context.Context, api) error) error {
	ws, err := a.load("")
	if err != nil {
		return err
	}
	return a.withAPI(ctx, ws, func(ctx context.Context, api api) error {
		found, err := api.Tools(ctx, actors.ToolsQuery{Server: server})
		if err != nil {
			return a.notDone(err)
		}
		a.sayDown(actors.ToolsResult{Down: found.Down})
		if server != "" && len(found.Down) > 0 && len(found.Tools) == 0 {
			return &exit{code: exitUnavailable}
		}
		if ws.Governance.Pinning == gov.PinningOff {
			a.say("warning: governance.pinning is off in %s, and nobody compares tools", ws.File)
		}
		if err := a.see(ctx, api, server); err != nil {
			return err
		}
		return fn(ctx, api)
	})
}

// see starts the lazy servers whose tools were only remembered, where that disturbs nobody: this process is the owner. Of
// others it says that their tools were not looked at now.
func (a *app) see(ctx context.Context, api api, server string) error {
	servers, err := api.Servers(ctx)
	if err != nil {
		return err
	}
	_, alone := api.(local)
	for _, s := range servers {
		resting := s.State == messages.StateStopped && (server == "" || server == s.ID)
		switch {
		case !resting:
		case alone:
			if _, err := api.StartServer(ctx, s.ID); err != nil {
				a.say("! server %s: %s", oneLine(s.ID), oneLine(err.Error()))
			}
		default:
			a.say("! server %s is stopped: its tools are those that were seen last, if any", oneLine(s.ID))
		}
	}
	return nil
}

func of(server string, list []actors.ToolChange) []actors.ToolChange {
	return slices.DeleteFunc(list, func(c actors.ToolChange) bool { return server != "" && c.Server != server })
}

func (a *app) printChanges(list []actors.ToolChange, none string, asJSON bool) error {
	if asJSON {
		return writeJSON(a.out, orNone(list))
	}
	if len(list) == 0 {
		a.say("%s", none)
	}
	for _, c := range list {
		if err := a.print(oneLine(c.Server + ": " + c.Text)); err != nil {
			return err
		}
	}
	return nil
}
