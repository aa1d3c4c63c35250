package main

import (
	"context"
	"fmt"
	"slices"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/mcp-supervisor/supervisor/actors"
	"github.com/mcp-supervisor/supervisor/config"
	"github.com/mcp-supervisor/supervisor/messages"
)

func (a *app) toolsCommand() *cobra.Command {
	var q actors.ToolsQuery
	var asJSON bool
	c := &cobra.Command{
		Use:   "tools [WORKSPACE]",
		Short: "List the tools of the workspace's servers",
		Long: `List the tools that the workspace's servers expose, starting those that are not up. Tools are shown by their original
names, as skills and "supervisor call" use them; --json has the names that models see as well.

A workspace in a folder that is called like a command below is written ./NAME.

Exit codes: 0; 2 for an unknown server or agent; 4 when no server that was asked for could be started.`,
		Args: cobra.MaximumNArgs(1),
		RunE: a.command(func(c *cobra.Command, args []string) error {
			if err := filled(c, "server", "agent"); err != nil {
				return err
			}
			return a.withFiles(c.Context(), first(args), func(ctx context.Context, api api, _ *config.Workspace) error {
				found, err := api.Tools(ctx, q)
				if err != nil {
					return err
				}
				if err := a.sayFailed(ctx, api, found); err != nil {
					return err
				}
				return a.printTools(found, asJSON)
			})
		}),
	}
	c.Flags().StringVar(&q.Server, "server", "", "only the tools of this server")
	c.Flags().StringVar(&q.Agent, "agent", "", "only the tools this agent is granted")
	c.Flags().BoolVar(&asJSON, "json", false, "print {tools, down, warnings} as one JSON object")
	c.AddCommand(a.toolsChangesCommand(), a.toolsApproveCommand())
	return c
}

func (a *app) printTools(found actors.ToolsResult, asJSON bool) error {
	var err error
	if asJSON {
		err = writeJSON(a.out, found)
	} else {
		err = a.printToolTable(found.Tools)
		a.sayDown(found)
	}
	if err != nil {
		return fmt.Errorf("write the output: %w", err)
	}
	if len(found.Tools) == 0 && len(found.Down) > 0 {
		return &exit{code: exitUnavailable}
	}
	return nil
}

func (a *app) printToolTable(tools []actors.ToolInfo) error {
	table := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	if len(tools) > 0 {
		_, _ = fmt.Fprintln(table, "SERVER\tTOOL\tEFFECT\tTIER\tDESCRIPTION")
	}
	for _, t := range tools {
		_, _ = fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", oneLine(t.Server), oneLine(t.Name), t.Effect, t.Tier, cut(oneLine(t.Description), 80))
	}
	return table.Flush()
}

func (a *app) sayDown(found actors.ToolsResult) {
	for _, d := range found.Down {
		e := d.Error
		if e == nil {
			e = &messages.CallError{Message: "it is down"}
		}
		a.say("! server %s: %s", oneLine(d.Server), oneLine(e.Message))
		a.sayTail(e.Exit)
	}
	for _, w := range found.Warnings {
		a.say("warning: %s", oneLine(w))
	}
}

// sayFailed tells which servers are down whose tools are known from before.
func (a *app) sayFailed(ctx context.Context, api api, found actors.ToolsResult) error {
	servers, err := api.Servers(ctx)
	for _, s := range servers {
		down := s.State == messages.StateFailed || s.State == messages.StateBackoff
		if !down || !slices.ContainsFunc(found.Tools, func(t actors.ToolInfo) bool { return t.Server == s.ID }) {
			continue
		}
		a.say("! server %s: %s", oneLine(s.ID), oneLine(join("; ", string(s.State), s.LastExit, "its tools are as they were last seen")))
	}
	return err
}

// cut shortens s to n characters.
func cut(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}
