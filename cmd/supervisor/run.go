package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/mcp-supervisor/supervisor/actors"
	"github.com/mcp-supervisor/supervisor/config"
	"github.com/mcp-supervisor/supervisor/control"
	"github.com/mcp-supervisor/supervisor/governance/approval"
	"github.com/mcp-supervisor/supervisor/messages"
)

func (a *app) runCommand() *cobra.Command {
	var r actors.RunRequest
	var asJSON bool
	c := &cobra.Command{
		Use:   "run [WORKSPACE]",
		Short: "Run a topology: its agents, and the servers they need",
		Long: `Run a topology and print its root agent's answer on stdout. What happens meanwhile is told on stderr.
A call that needs an approval waits for it, and the rest of the run goes on: at a terminal you are asked, else stderr says how
to answer.

Exit codes: 0 when the root agent answered, whatever its tools did; 2 the workspace has faults; 4 a significant server
failed; 9 interrupted (with --json the outcome is "stopped"); 10 internal error.`,
		Args: cobra.MaximumNArgs(1),
		RunE: a.command(func(c *cobra.Command, args []string) error {
			return a.run(c.Context(), first(args), r, asJSON)
		}),
	}
	c.Flags().StringVar(&r.Topology, "topology", "", "the topology to run (default: the only one)")
	c.Flags().StringVar(&r.Input, "input", "", "the task given to the root agent")
	c.Flags().BoolVar(&asJSON, "json", false, "print the whole result as one JSON object")
	return c
}

// run leaves it to the owner to say which topologies there are: it runs on the files that it loaded.
func (a *app) run(ctx context.Context, workspace string, r actors.RunRequest, asJSON bool) error {
	warned := false
	return a.withFiles(ctx, workspace, func(ctx context.Context, api api, ws *config.Workspace) error {
		if ws != nil && !warned {
			a.warn(ws)
			warned = true
		}
		out := &oneWriter{out: a.err}
		view := newProgress(out)
		asking := runAsker{begin: func(run string) func() {
			return a.newAsker(api, out, func(p approval.Pending) bool { return p.Run == run }).begin(ctx)
		}}
		result, err := api.Run(ctx, r, func(e messages.Event) {
			if !asking.show(e) {
				view.show(e)
			}
		})
		asking.close()
		if errors.Is(err, control.ErrNotSent) {
			return err
		}
		if err != nil && interrupted(ctx) {
			err = &actors.RunError{Outcome: messages.Stopped, Message: err.Error()}
		}
		if err != nil {
			err = &exit{code: codeOf(err), err: err}
		}
		if asJSON {
			return errors.Join(a.printRun(result, err), err)
		}
		if err != nil {
			return err
		}
		view.end(result)
		return a.print(printable(result.Answer))
	})
}

// runOutput is what `run --json` prints.
type runOutput struct {
	actors.RunResult
	Error *actors.RunError `json:"error,omitempty"`
}

func (a *app) printRun(r actors.RunResult, err error) error {
	out := runOutput{RunResult: r}
	if errors.As(err, &out.Error) {
		out.Outcome = out.Error.Outcome
	}
	if err := writeJSON(a.out, out); err != nil {
		return fmt.Errorf("write the output: %w", err)
	}
	return nil
}

// warn tells what is declared and not run.
func (a *app) warn(ws *config.Workspace) {
	for _, w := range ws.Warnings {
		a.say("warning: %s", printable(w.String()))
	}
}
