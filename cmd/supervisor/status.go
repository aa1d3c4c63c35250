package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcp-supervisor/supervisor/config"
	"github.com/mcp-supervisor/supervisor/control"
	"github.com/mcp-supervisor/supervisor/messages"
)

// standing is what `status` found; its JSON form is what `status --json` prints.
type standing struct {
	// Owner is the process that runs the workspace; nil when nobody does.
	Owner   *ownerOf                `json:"owner"`
	Servers []messages.ServerStatus `json:"servers"`
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
shown as they are declared, and nothing is started.

FOR is how long a server has been in its state. RUNNING and QUEUED are its calls. RESTARTS are those that count against the
budget now, of how many, and in brackets all since the supervisor started. LAST EXIT is how the server ended last, and when
it is expected back.

Exit codes: 0, whatever state the servers are in; 2 when the workspace has faults and nobody runs it; 4 when the process
that runs it does not answer.`,
		Args: cobra.MaximumNArgs(1),
		RunE: a.command(func(c *cobra.Command, args []string) error {
			found, err := a.standing(c.Context(), first(args))
			if err != nil {
				return err
			}
			if found.Owner == nil {
				a.say("%v", errNobody)
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
	c.Flags().BoolVar(&asJSON, "json", false, "print {owner, servers} as one JSON object")
	return c
}

// standing asks the owner, or else the files.
func (a *app) standing(ctx context.Context, workspace string) (standing, error) {
	root, err := a.folder(workspace)
	if err != nil {
		return standing{}, err
	}
	var found standing
	err = a.askOwner(ctx, root, func(ctx context.Context, owner *control.Client) error {
		servers, err := owner.Servers(ctx)
		found = standing{Owner: &ownerOf{PID: owner.PID()}, Servers: orNone(servers)}
		return err
	})
	if !errors.Is(err, errNobody) {
		return found, err
	}
	ws, err := a.load(workspace)
	if err != nil {
		return standing{}, err
	}
	return standing{Servers: atRest(ws)}, nil
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
