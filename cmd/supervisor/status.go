package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcp-supervisor/supervisor/actors"
	"github.com/mcp-supervisor/supervisor/config"
	"github.com/mcp-supervisor/supervisor/control"
	"github.com/mcp-supervisor/supervisor/governance"
	"github.com/mcp-supervisor/supervisor/internal/owner"
	"github.com/mcp-supervisor/supervisor/messages"
)

// standing is what `status` found; its JSON form is what `status --json` prints.
type standing struct {
	// Owner is the process that runs the workspace; nil when nobody does.
	Owner   *ownerOf                `json:"owner"`
	Servers []messages.ServerStatus `json:"servers"`
	// Frozen is what is frozen; when nobody runs the workspace, from the next start on.
	Frozen governance.Frozen `json:"frozen"`
}

type ownerOf struct {
	PID int `json:"pid"`
}

func (a *app) statusCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "status [WORKSPACE]",
		Short: "Show the workspace's servers and how they are",
		Long: `Show the workspace's servers as the process that runs them sees them. When nobody runs the workspace its servers are
shown as they are declared, and nothing is started. What is frozen is told first.

FOR is how long a server has been in its state. RUNNING and QUEUED are its calls. RESTARTS are those that count against the
budget now, of how many, and in brackets all since the supervisor started. LAST EXIT is how the server ended last, and
DETAIL what its state alone does not say: what it waits for, what comes next, that it was stopped by hand. Groups follow with
their own budgets.

Exit codes: 0, whatever state the servers are in; 2 when the workspace has faults and nobody runs it; 4 when the process
that runs it does not answer.`,
		Args: cobra.MaximumNArgs(1),
		RunE: a.command(func(c *cobra.Command, args []string) error {
			found, err := a.standing(c.Context(), first(args))
			if err != nil {
				return err
			}
			if asJSON {
				err = writeJSON(a.out, found)
			} else {
				err = a.printStanding(found, time.Now())
			}
			if err != nil {
				return fmt.Errorf("write the output: %w", err)
			}
			return nil
		}),
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print {owner, servers, frozen} as one JSON object")
	return c
}

// standing asks the owner, or else the files.
func (a *app) standing(ctx context.Context, workspace string) (standing, error) {
	root, err := a.folder(workspace)
	if err != nil {
		return standing{}, err
	}
	var found standing
	err = a.askOwner(ctx, root, func(ctx context.Context, c *control.Client) error {
		servers, err := c.Servers(ctx)
		if err != nil {
			return err
		}
		frozen, err := c.Frozen(ctx)
		found = standing{Owner: &ownerOf{PID: c.PID()}, Servers: orNone(servers), Frozen: frozen}
		return err
	})
	if !errors.Is(err, errNobody) {
		return found, err
	}
	nobody := err
	ws, faulty := a.load(workspace)
	if faulty != nil {
		return standing{}, faulty
	}
	frozen, err := actors.KeptFrozen(owner.StateDir(root))
	if err != nil {
		return standing{}, &exit{code: exitInvalid, err: readOnly(root, err)}
	}
	a.say("%v", nobody)
	return standing{Servers: atRest(ws), Frozen: frozen}, nil
}

// atRest is the status of servers that nobody runs.
func atRest(ws *config.Workspace) []messages.ServerStatus {
	var list []messages.ServerStatus
	for _, s := range ws.Servers {
		status := messages.ServerStatus{ID: s.ID, State: messages.StateStopped, Budget: s.Restart.MaxRestarts}
		if s.Disabled {
			status.State = messages.StateDisabled
		}
		list = append(list, status)
	}
	return orNone(list)
}

// orNone makes a list that is nil an empty one, which JSON writes as [].
func orNone[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
