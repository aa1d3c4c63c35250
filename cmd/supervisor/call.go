package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcp-supervisor/supervisor/actors"
	"github.com/mcp-supervisor/supervisor/config"
	mcpspec "github.com/mcp-supervisor/supervisor/mcp/spec"
	"github.com/mcp-supervisor/supervisor/messages"
)

func (a *app) callCommand() *cobra.Command {
	var agent string
	var timeout time.Duration
	var asJSON bool
	c := &cobra.Command{
		Use:   "call [WORKSPACE] SERVER TOOL [JSON|@FILE|-]",
		Short: "Call one tool through the gate and print its result",
		Long: `Call one tool through the gate: start what it needs, call once, stop. The arguments are a JSON object, a file that
holds one (@FILE), or "-" for stdin; without them the tool gets {}.

With three words, the last one is taken for arguments when it begins with "{" or "@" or is "-"; otherwise the first one is
the workspace when it is a folder or a .yaml file. With --workspace every word is SERVER, TOOL and arguments.

A call that needs an approval waits for it: at a terminal you are asked, else stderr says how to answer.

Without --agent the caller is "operator", who holds all grants and scopes. The exit code is the call's outcome: 0 ok,
1 tool error, 2 invalid, 3 denied, 4 unavailable, 5 lost, 6 timeout, 7 cancelled (as by an interrupt), 8 overloaded,
9 stopped, or interrupted before the call was made, 10 internal error.`,
		Args: cobra.RangeArgs(2, 4),
		RunE: a.command(func(c *cobra.Command, args []string) error {
			if err := filled(c, "agent"); err != nil {
				return err
			}
			words, err := parseCall(args, a.workspace != "", isWorkspace)
			if err != nil {
				return err
			}
			if timeout < 0 {
				return usage("--timeout %s is negative", timeout)
			}
			arguments, err := a.readArguments(words.arguments)
			if err != nil {
				return err
			}
			r := actors.CallRequest{Agent: agent, Server: words.server, Tool: words.tool, Arguments: arguments, Timeout: timeout}
			return a.call(c.Context(), words.workspace, r, asJSON)
		}),
	}
	c.Flags().StringVar(&agent, "agent", "", `the calling agent: ID or TOPOLOGY/ID (default "operator")`)
	c.Flags().DurationVar(&timeout, "timeout", 0, "how long the call may run once it is sent (default: the server's own)")
	c.Flags().BoolVar(&asJSON, "json", false, "print the result as one JSON object")
	return c
}

func (a *app) call(ctx context.Context, workspace string, r actors.CallRequest, asJSON bool) error {
	return a.withFiles(ctx, workspace, func(ctx context.Context, api api, ws *config.Workspace) error {
		end := a.newAsker(api, a.err, ofCall(r, time.Now())).begin(ctx)
		result, err := api.Call(ctx, r)
		end()
		if err != nil {
			return err
		}
		if err := a.printCall(result, hints{workspace: a.named(workspace), unknownAgent: ws != nil && !knows(ws, r.Agent)}, asJSON); err != nil {
			return fmt.Errorf("write the output: %w", err)
		}
		if result.Outcome != messages.OK {
			return &exit{code: result.Outcome.ExitCode()}
		}
		return nil
	})
}

func (a *app) printCall(r messages.CallResult, h hints, asJSON bool) error {
	if asJSON {
		return writeJSON(a.out, r)
	}
	if r.Outcome != messages.OK {
		a.say("supervisor: %s", printable(explain(r, h)))
		if r.Error != nil {
			a.sayTail(r.Error.Exit)
		}
		return nil
	}
	text := mcpspec.Text(r.Result)
	if text == mcpspec.NoOutput {
		a.say("%s", text)
		return nil
	}
	_, err := fmt.Fprintln(a.out, printable(text))
	return err
}

// sayTail shows what a server that ended had to say, when it was more than the one line that messages quote.
func (a *app) sayTail(e *messages.Exit) {
	if e == nil || len(e.StderrTail) < 2 {
		return
	}
	for _, line := range e.StderrTail {
		a.say("  stderr | %s", oneLine(line))
	}
}
