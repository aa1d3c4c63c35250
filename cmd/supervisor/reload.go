package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/mcp-supervisor/supervisor/actors"
	"github.com/mcp-supervisor/supervisor/config"
	"github.com/mcp-supervisor/supervisor/control"
	"github.com/mcp-supervisor/supervisor/governance/policy"
	"github.com/mcp-supervisor/supervisor/messages"
)

func (a *app) reloadCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "reload [WORKSPACE]",
		Short: "Apply what changed in a workspace's files while it runs",
		Long: `Have the process that runs the workspace read its files again and apply what changed. Servers that did not change keep
running with their sessions; changed ones let their calls go on and are replaced; removed ones let them go on and stop.
A file with a fault changes nothing.

Each line names a server: "+" was added, "~" was changed, "-" was removed, "=" goes on with its process and is supervised
by its new settings (a call that runs keeps the timeout it began with). Lines with "supervision:" name groups and max_starts.
A changed or removed server's calls may go on for its timeout; what is left then ends as lost.

Exit codes: 0; 2 when the files have faults; 4 when nobody runs the workspace.`,
		Args: cobra.MaximumNArgs(1),
		RunE: a.command(func(c *cobra.Command, args []string) error {
			root, err := a.folder(first(args))
			if err != nil {
				return err
			}
			return a.askOwner(c.Context(), root, func(ctx context.Context, owner *control.Client) error {
				result, err := owner.Reload(ctx)
				if err != nil {
					return a.notDone(notReloaded(err))
				}
				return a.printReload(result, asJSON)
			})
		}),
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print what changed as one JSON object")
	return c
}

func (a *app) printReload(r actors.ReloadResult, asJSON bool) error {
	if asJSON {
		if err := writeJSON(a.out, r); err != nil {
			return fmt.Errorf("write the output: %w", err)
		}
		return nil
	}
	for _, line := range reloaded(r) {
		if err := a.print(line); err != nil {
			return err
		}
	}
	for _, w := range r.Warnings {
		a.say("warning: %s", oneLine(w))
	}
	return nil
}

// reloaded says what a reload did, one line for each server that it touched.
func reloaded(r actors.ReloadResult) []string {
	var lines []string
	for _, kind := range []struct {
		mark string
		ids  []string
	}{{"+", r.Added}, {"~", r.Changed}, {"-", r.Removed}, {"=", r.Tuned}} {
		for _, id := range kind.ids {
			lines = append(lines, kind.mark+" "+oneLine(id))
		}
	}
	for _, what := range r.Supervision {
		lines = append(lines, "supervision: "+oneLine(what))
	}
	if r.Gate {
		lines = append(lines, "the gate decides by the new files")
	}
	unchanged := count(len(r.Unchanged), "server") + " unchanged"
	if len(lines) == 0 {
		unchanged = "nothing to apply; " + unchanged
	}
	lines = append(lines, unchanged)
	for _, what := range r.Waiting {
		lines = append(lines, "waits for `supervisor reload`: "+oneLine(what))
	}
	return lines
}

// notReloaded adds to the faults of the files what follows from them.
func notReloaded(err error) error {
	var faults config.Faults
	var rules policy.Faults
	var run *actors.RunError
	if errors.As(err, &faults) || errors.As(err, &rules) || errors.As(err, &run) && run.Outcome == messages.Invalid {
		return fmt.Errorf("%w\nnothing was changed", err)
	}
	return err
}
