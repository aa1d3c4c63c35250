package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcp-supervisor/supervisor/actors"
	"github.com/mcp-supervisor/supervisor/config"
	"github.com/mcp-supervisor/supervisor/examples"
	"github.com/mcp-supervisor/supervisor/messages"
)

// demoOptions are the flags of `demo`.
type demoOptions struct {
	seed      uint64
	killEvery time.Duration
	rounds    int
}

// demoBudget is far above what the demo can use up: it kills on purpose, and a server that is given up shows nothing.
const (
	demoBudget = 1000
	demoWithin = time.Minute
)

func (a *app) demoCommand() *cobra.Command {
	o := demoOptions{}
	c := &cobra.Command{
		Use:   "demo",
		Short: "Run a swarm while its servers are killed one after the other",
		Long: `Run the example swarm, again and again, while its MCP servers are killed with SIGKILL in turn. At the end a table tells
what became of the calls, the servers and the audit log. It needs no workspace, no key and no network.

Exit codes: 0 when every promise of the table was kept; 1 when one was broken; 9 interrupted.`,
		Args: cobra.NoArgs,
		RunE: a.command(func(c *cobra.Command, _ []string) error {
			if o.killEvery <= 0 || o.rounds < 1 {
				return usage("--kill-every and --rounds must be more than 0")
			}
			if !c.Flags().Changed("seed") {
				o.seed = uint64(time.Now().UnixNano()) % 1_000_000
			}
			return a.demo(c.Context(), o)
		}),
	}
	c.Flags().Uint64Var(&o.seed, "seed", 0, "of the order and the times of the kills (default: a new one)")
	c.Flags().DurationVar(&o.killEvery, "kill-every", 300*time.Millisecond, "the pause between two kills, on average")
	c.Flags().IntVar(&o.rounds, "rounds", 5, "how often each server is killed")
	return c
}

func (a *app) demo(ctx context.Context, o demoOptions) (err error) {
	dir, err := os.MkdirTemp("", "supervisor-demo-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	ws, err := demoWorkspace(dir)
	if err != nil {
		return err
	}
	log, err := a.logger()
	if err != nil {
		return err
	}
	in := a.catch(ctx, endings())
	defer in.release()
	a.say("seed %d; every server is killed %d times, one kill about every %s; restart budget raised to %d within %s",
		o.seed, o.rounds, o.killEvery, demoBudget, demoWithin)
	sup, err := actors.Start(in.hard, ws, actors.WithLogger(log), actors.WithRestartBudget(demoBudget, demoWithin))
	if err != nil {
		return err
	}
	seen := newWitness(sup, newProgress(a.err))
	played := play(in.soft, sup, seen, o)
	down := awaitUp(in.soft, sup)
	stopped := a.stop(in, sup)
	seen.close()
	if interrupted(in.soft) {
		return interruptedExit(context.Cause(in.soft))
	}
	books, err := balance(ctx, archive(filepath.Join(sup.StateDir(), "audit")))
	if err := errors.Join(played, stopped, err); err != nil {
		return err
	}
	return a.printDemo(seen.result(down, seen.groups.left(leftFor)), books)
}

// demoWorkspace unpacks and loads the example.
func demoWorkspace(dir string) (*config.Workspace, error) {
	if err := examples.Extract("swarm", dir); err != nil {
		return nil, err
	}
	return config.Load(dir, config.Options{})
}

// play runs the topology again and again until the killer is done, and once more in peace.
func play(ctx context.Context, sup *actors.Supervisor, seen *witness, o demoOptions) error {
	killed := kill(ctx, sup, seen, o)
	for {
		select {
		case err := <-killed:
			return errors.Join(err, playOnce(ctx, sup, seen))
		default:
		}
		if err := playOnce(ctx, sup, seen); err != nil {
			return errors.Join(err, <-killed)
		}
	}
}

func playOnce(ctx context.Context, sup *actors.Supervisor, seen *witness) error {
	result, err := sup.Run(ctx, actors.RunRequest{Input: "the demo"}, nil)
	if err != nil {
		return fmt.Errorf("run %s: %w", result.Run, err)
	}
	seen.answered(result)
	return nil
}

// awaitUp waits until every enabled server is up, for ten seconds at most, and returns those that are not.
func awaitUp(ctx context.Context, sup *actors.Supervisor) []string {
	deadline := time.Now().Add(10 * time.Second)
	for {
		down := notUp(ctx, sup)
		if len(down) == 0 || time.Now().After(deadline) || ctx.Err() != nil {
			return down
		}
		pause(ctx, 20*time.Millisecond)
	}
}

func notUp(ctx context.Context, sup *actors.Supervisor) []string {
	statuses, err := sup.Servers(ctx)
	if err != nil {
		return []string{err.Error()}
	}
	var down []string
	for _, s := range statuses {
		if s.State != messages.StateUp && s.State != messages.StateDisabled {
			down = append(down, fmt.Sprintf("%s (%s)", s.ID, s.State))
		}
	}
	return down
}

// pause waits for d, or until ctx ends.
func pause(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}
