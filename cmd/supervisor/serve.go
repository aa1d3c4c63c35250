package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/mcp-supervisor/supervisor/actors"
	"github.com/mcp-supervisor/supervisor/config"
	"github.com/mcp-supervisor/supervisor/internal/owner"
	"github.com/mcp-supervisor/supervisor/mcp"
)

// backlog is how many events may wait for a slow terminal before the newest are dropped.
const backlog = 4096

func (a *app) serveCommand() *cobra.Command {
	var watching bool
	c := &cobra.Command{
		Use:   "serve [WORKSPACE]",
		Short: "Keep the workspace's servers running for other commands",
		Long: `Own the workspace until SIGINT or SIGTERM: start its servers (but those with "start: lazy"), keep them running, and let the
other commands on this workspace use them. What happens to the servers is told on stderr. It is not an MCP server itself:
MCP clients cannot connect to it yet.

SIGHUP applies what changed in the files, as "supervisor reload" does; closing the terminal does not end the command. With
--watch changes of servers are applied as the files are saved. What could widen the gate (agents, skills, scopes, tools,
permissions) waits for a reload by hand, because an agent that can write files must not be able to grant itself anything.

The first signal lets running calls go on for 5s at most; a second one does not wait for them.

Exit codes: 0 when it was told to stop; 2 when the workspace has faults, or an owner already; 10 internal error.`,
		Args: cobra.MaximumNArgs(1),
		RunE: a.command(func(c *cobra.Command, args []string) error {
			changes, err := a.changes(first(args), watching)
			if err != nil {
				return err
			}
			defer changes.close()
			ws, err := a.load(first(args)) // after the watch has begun, so that no change falls in between
			if err != nil {
				return err
			}
			a.warn(ws)
			return a.serve(c.Context(), ws, changes)
		}),
	}
	c.Flags().BoolVar(&watching, "watch", false, "apply changes of servers when the workspace's files change")
	return c
}

// changes watches the workspace's files, if that is asked for.
func (a *app) changes(arg string, watching bool) (*watch, error) {
	if !watching {
		return nil, nil
	}
	root, err := a.folder(arg)
	if err != nil {
		return nil, err
	}
	w, err := watchFiles(root)
	if err != nil {
		return nil, usage("watch the files in %s: %w; without --watch, `supervisor reload` applies changes", root, err)
	}
	return w, nil
}

func (a *app) serve(ctx context.Context, ws *config.Workspace, changes *watch) error {
	log, err := a.logger()
	if err != nil {
		return err
	}
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP)
	defer signal.Stop(hangups)
	in := a.catch(ctx, lasting())
	defer in.release()
	defer mcp.AdoptOrphans()() // this program starts no process but through package mcp
	sup, err := actors.Start(in.hard, ws, actors.WithLogger(log))
	if err != nil {
		return ownedAlready(readOnly(ws.Root, err))
	}
	events := sup.Subscribe(backlog)
	defer events.Close()
	reloads := make(chan reloadDone, 16)
	server, err := serveControl(sup, announcing{Supervisor: sup, reloads: reloads})
	if err != nil {
		return errors.Join(fmt.Errorf("other commands could not use this workspace: %w", err), a.stop(in, sup))
	}
	return a.own(in, sup, server, func(ctx context.Context, _ api) error {
		a.say("%s: %s kept running for other commands; Ctrl-C stops them", ws.File, count(runnable(ws), "server"))
		sup.Warm()
		return newAttendant(a.err, sup).attend(ctx, attention{events: events.C, hangups: hangups, changes: changes.changed(), reloads: reloads})
	})
}

// announcing tells the attendant of the reloads that other commands ask for.
type announcing struct {
	*actors.Supervisor
	reloads chan<- reloadDone
}

func (b announcing) Reload(ctx context.Context) (actors.ReloadResult, error) {
	r, err := b.Supervisor.Reload(ctx)
	select {
	case b.reloads <- reloadDone{result: r, err: err}:
	case <-ctx.Done(): // and we are stopping
	}
	return r, err
}

func runnable(ws *config.Workspace) int {
	n := 0
	for _, s := range ws.Servers {
		if !s.Disabled {
			n++
		}
	}
	return n
}

// ownedAlready says who runs the workspace that somebody wanted to serve.
func ownedAlready(err error) error {
	var held *owner.HeldError
	if !errors.As(err, &held) {
		return err
	}
	if held.PID == 0 {
		return usage("another process runs this workspace already; `supervisor status` shows it")
	}
	return usage("process %d runs this workspace already; `supervisor status` shows it, and `kill %d` stops it", held.PID, held.PID)
}
