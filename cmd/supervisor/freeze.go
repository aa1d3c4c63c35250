package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/mcp-supervisor/supervisor/actors"
	"github.com/mcp-supervisor/supervisor/config"
	"github.com/mcp-supervisor/supervisor/governance"
)

// turn is one direction of the kill switch.
type turn struct {
	name, short, long string
	// names finds out what bare names stand for.
	names func(ctx context.Context, g actors.Gatekeeper, ws *config.Workspace, names []string) (governance.Frozen, error)
	turn  func(actors.Gatekeeper, context.Context, governance.Frozen) (governance.Frozen, error)
}

// turns are freeze and thaw.
var turns = []turn{
	{
		"freeze", "Throw the kill switch: refuse all calls of an agent, or to a server",
		`Refuse all calls of these agents and to these servers from now on. Calls that wait are refused, and calls that run are
cancelled; they may have taken effect. It holds until "supervisor thaw", also after a restart of the supervisor.`,
		func(_ context.Context, _ actors.Gatekeeper, ws *config.Workspace, names []string) (governance.Frozen, error) {
			return declared(ws, names)
		},
		actors.Gatekeeper.Freeze,
	},
	{
		"thaw", "Take back what was frozen",
		`Let calls of these agents and to these servers pass again. --all thaws everything, agents and servers that were frozen by
name as well.`,
		func(ctx context.Context, g actors.Gatekeeper, _ *config.Workspace, names []string) (governance.Frozen, error) {
			now, err := g.Frozen(ctx)
			if err != nil {
				return governance.Frozen{}, err
			}
			return frozenAs(now, names)
		},
		actors.Gatekeeper.Thaw,
	},
}

const switched = `

A bare name is an agent (ID, meaning those of all topologies, or TOPOLOGY/ID) or a server; --agent and --server say which. What
is frozen now is printed. It works too while nobody runs the workspace, and holds from the next start on.

Exit codes: 0; 2 for a name that stands for nobody, or for an agent and a server; 4 when the process that runs the workspace
does not answer.`

func (a *app) turnCommand(t turn) *cobra.Command {
	var f governance.Frozen
	var asJSON bool
	c := &cobra.Command{
		Use:   t.name + " [AGENT|SERVER ...]",
		Short: t.short,
		Long:  t.long + switched,
		RunE: a.command(func(c *cobra.Command, names []string) error {
			if err := checkTurn(f, names); err != nil {
				return err
			}
			return a.atGate(c.Context(), "", func(ctx context.Context, g actors.Gatekeeper, ws *config.Workspace, alone bool) error {
				named, err := t.names(ctx, g, ws, names)
				if err != nil {
					return err
				}
				now, err := t.turn(g, ctx, f.With(named))
				return a.turned(now, err, alone, asJSON)
			})
		}),
	}
	flags := c.Flags()
	flags.BoolVar(&f.All, "all", false, "all agents and servers")
	flags.StringArrayVar(&f.Agents, "agent", nil, "this agent: ID or TOPOLOGY/ID")
	flags.StringArrayVar(&f.Servers, "server", nil, "this server")
	flags.BoolVar(&asJSON, "json", false, "print what is frozen as {all, agents, servers}")
	return c
}

// checkTurn refuses a turn of nothing, and empty names: an empty variable of a shell must not look like a freeze.
func checkTurn(f governance.Frozen, names []string) error {
	for _, list := range [][]string{names, f.Agents, f.Servers} {
		for _, name := range list {
			if name == "" {
				return usage("the name of an agent or server is empty")
			}
		}
	}
	given := len(names) + len(f.Agents) + len(f.Servers)
	switch {
	case f.All && given > 0:
		return usage("--all is everything: leave the names out")
	case !f.All && given == 0:
		return usage("say what: the name of an agent or server, or --all")
	}
	return nil
}

// turned tells what is frozen now. A freeze that could not be kept is in force all the same.
func (a *app) turned(now governance.Frozen, err error, alone, asJSON bool) error {
	var run *actors.RunError
	if errors.As(err, &run) || err != nil && now.Empty() {
		return a.notDone(err)
	}
	if alone {
		a.say("%v; it holds from the next start on", errNobody)
	}
	if asJSON {
		return errors.Join(err, writeJSON(a.out, now))
	}
	return errors.Join(err, a.print(oneLine(frozenLine(now))))
}

func frozenLine(f governance.Frozen) string {
	if f.Empty() {
		return "nothing is frozen"
	}
	return fmt.Sprintf("frozen: %s", f.String())
}
