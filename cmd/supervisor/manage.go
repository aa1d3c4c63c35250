package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/mcp-supervisor/supervisor/actors"
	"github.com/mcp-supervisor/supervisor/control"
	"github.com/mcp-supervisor/supervisor/messages"
)

// verb is something that one server can be told by hand.
type verb struct {
	name, short, long string
	tell              func(*control.Client, context.Context, string) (messages.ServerStatus, error)
}

// verbs are start, stop and restart.
var verbs = []verb{
	{
		"start", "Start a server by hand",
		`Start a server and wait until it is up. One that failed, or that was stopped by hand, gets a fresh restart budget; one
that is up is left alone.`,
		(*control.Client).StartServer,
	},
	{
		"stop", "Stop a server by hand",
		`Stop a server and wait until nothing of it is left. Calls that run may go on for its stop_grace (5s by default); one that
takes longer ends as lost. Calls that wait, and new ones, are refused at once. It stays stopped, whoever calls it, until
"supervisor start" or "supervisor restart".`,
		(*control.Client).StopServer,
	},
	{
		"restart", "Stop a server and start it again",
		`Stop a server, start it again with a fresh restart budget, and wait until it is up. Calls that run may go on for its
stop_grace (5s by default); one that takes longer ends as lost. New calls wait for the start.`,
		(*control.Client).RestartServer,
	},
}

const managed = `

The command asks the process that runs the workspace, which is "supervisor serve" as a rule, and prints what became of the
server. When it is interrupted, that process goes on with it.

Exit codes: 0; 2 for a server that is not declared or disabled; 4 when it did not come up, with its post-mortem and what
happens next, and when nobody runs the workspace; 7 when the command was interrupted.`

func (a *app) verbCommand(v verb) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   v.name + " SERVER",
		Short: v.short,
		Long:  v.long + managed,
		Args:  cobra.ExactArgs(1),
		RunE: a.command(func(c *cobra.Command, args []string) error {
			if args[0] == "" {
				return usage("SERVER must not be empty")
			}
			root, err := a.folder("")
			if err != nil {
				return err
			}
			return a.askOwner(c.Context(), root, func(ctx context.Context, owner *control.Client) error {
				status, err := v.tell(owner, ctx, args[0])
				if err != nil {
					return a.notDone(err)
				}
				return a.printServer(status, asJSON)
			})
		}),
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print the server's status as one JSON object")
	return c
}

func (a *app) printServer(s messages.ServerStatus, asJSON bool) error {
	if asJSON {
		if err := writeJSON(a.out, s); err != nil {
			return fmt.Errorf("write the output: %w", err)
		}
		return nil
	}
	return a.print(oneLine(s.ID + ": " + inShort(s)))
}

// inShort is a server's state in some words.
func inShort(s messages.ServerStatus) string {
	if s.State != messages.StateUp {
		return string(s.State)
	}
	pid := ""
	if s.PID != 0 {
		pid = fmt.Sprintf("pid %d", s.PID)
	}
	return join(", ", string(s.State), pid, count(s.Tools, "tool"))
}

// notDone is the error of what the owner did not do, with the stderr of a server that did not come up. One that says
// that nothing was sent stays what it is.
func (a *app) notDone(err error) error {
	var run *actors.RunError
	if !errors.As(err, &run) {
		return err
	}
	if run.Exit != nil {
		a.say("supervisor: %s", printable(err.Error()))
		a.sayTail(run.Exit)
		err = nil
	}
	return &exit{code: run.Outcome.ExitCode(), err: err}
}
