package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcp-supervisor/supervisor/chaos"
	"github.com/mcp-supervisor/supervisor/config"
	"github.com/mcp-supervisor/supervisor/mcp"
)

// chaosFlags are the flags of `chaos` as they were given.
type chaosFlags struct {
	chaos.Options
	faults, budget string
	tools          []string
	asJSON         bool
}

func (a *app) chaosCommand() *cobra.Command {
	f := chaosFlags{}
	c := &cobra.Command{
		Use:   "chaos [WORKSPACE]",
		Short: "Hurt the workspace's servers under load and measure what becomes of it",
		Long: `Start the workspace's own servers, let many agents call them, and kill, stop, hang and cut off the servers meanwhile. At
the end: how long recoveries took, what became of the calls, and whether anything was lost, doubled or left behind.

The servers really run, and are really killed; remote ones are called and never killed. Only tools that say they read are
called, unless --tool names others. The workspace's audit log is not touched, and an owner that is running goes on.

Exit codes: 0 every invariant held; 1 one was broken; 2 usage or workspace fault. Ctrl-C ends the run early; it still reports.`,
		Args: cobra.MaximumNArgs(1),
		RunE: a.command(func(c *cobra.Command, args []string) error {
			if !c.Flags().Changed("seed") {
				f.Seed = uint64(time.Now().UnixNano()) % 1_000_000
			}
			if err := f.parse(); err != nil {
				return err
			}
			return a.chaos(c.Context(), first(args), f)
		}),
	}
	flags := c.Flags()
	flags.DurationVar(&f.Duration, "duration", time.Minute, "how long the servers are struck")
	flags.IntVar(&f.Agents, "agents", 50, "how many agents call at the same time")
	flags.DurationVar(&f.KillEvery, "kill-every", 200*time.Millisecond, "the time between two strikes, on average")
	flags.StringVar(&f.faults, "faults", "kill,wrapper,stop,hang,pipe,slow", "what is done to the servers")
	flags.Uint64Var(&f.Seed, "seed", 0, "of what is struck, how and when (default: a new one)")
	flags.StringVar(&f.budget, "budget", "raised", "restart budget, back-off, time-outs and health checks: raised or as-configured")
	flags.StringArrayVar(&f.tools, "tool", nil, "call this tool of its server: SERVER/TOOL=JSON; may be given again")
	flags.BoolVar(&f.asJSON, "json", false, "print the report as one JSON object")
	return c
}

func (f *chaosFlags) parse() (err error) {
	if f.Kinds, err = chaos.ParseKinds(f.faults); err != nil {
		return usage("--faults: %w", err)
	}
	for _, text := range f.tools {
		t, err := chaos.ParseTarget(text)
		if err != nil {
			return usage("--tool: %w", err)
		}
		f.Targets = append(f.Targets, t)
	}
	switch {
	case f.budget != "raised" && f.budget != "as-configured":
		return usage("--budget %q: use raised or as-configured", f.budget)
	case f.Duration <= 0 || f.KillEvery <= 0 || f.Agents < 1:
		return usage("--duration, --kill-every and --agents must be more than 0")
	}
	f.AsConfigured = f.budget == "as-configured"
	f.Supervisor, err = os.Executable()
	return err
}

func (a *app) chaos(ctx context.Context, workspace string, f chaosFlags) error {
	ws, err := a.load(workspace)
	if err != nil {
		return err
	}
	if f.Log, err = a.logger(); err != nil {
		return err
	}
	a.announce(ws, f)
	in := a.catch(ctx, endings())
	defer in.release()
	defer mcp.AdoptOrphans()()
	f.Enough, f.Say = in.soft.Done(), func(text string) { a.say("%s", printable(text)) }
	report, err := chaos.Run(in.hard, ws, f.Options)
	var input *chaos.InputError
	switch {
	case errors.As(err, &input):
		return usage("%w", err)
	case err != nil && interrupted(in.hard):
		return interruptedExit(err)
	case err != nil:
		return err
	}
	report.Repeat = f.repeat(a.named(workspace))
	return a.printChaos(report, f.asJSON)
}

// announce says before anything starts what is going to happen to whom.
func (a *app) announce(ws *config.Workspace, f chaosFlags) {
	a.say("seed %d; about to run these servers and hurt them (%s), for %s:", f.Seed, f.faults, f.Duration)
	for _, line := range chaos.Commands(ws) {
		a.say("  %s", oneLine(line))
	}
	if len(f.Targets) == 0 {
		a.say("only tools that say they read are called; what writes is called only where --tool names it")
		return
	}
	for _, t := range f.Targets {
		a.say("  called because --tool names it, whatever it does: %s", oneLine(t.Server+"/"+t.Tool))
	}
}

func (a *app) printChaos(r *chaos.Report, asJSON bool) error {
	print := func() error { return r.Print(a.out, oneLine) }
	if asJSON {
		print = func() error { return writeJSON(a.out, r) }
	}
	if err := print(); err != nil {
		return fmt.Errorf("write the output: %w", err)
	}
	broken := r.Broken()
	if len(broken) == 0 {
		return nil
	}
	var lines []string
	for _, i := range broken {
		lines = append(lines, i.Name+": "+i.Seen)
	}
	return &exit{code: exitProblems, err: fmt.Errorf("broken with seed %d: %s; to repeat: %s", r.Seed, strings.Join(lines, "; "), r.Repeat)}
}

// repeat is the command line that runs the same again; workspace is as named has it.
func (f chaosFlags) repeat(workspace string) string {
	words := []string{
		"supervisor chaos" + workspace, "--seed", fmt.Sprint(f.Seed), "--duration", f.Duration.String(), "--agents", fmt.Sprint(f.Agents),
		"--kill-every", f.KillEvery.String(), "--faults", f.faults, "--budget", f.budget,
	}
	for _, t := range f.tools {
		words = append(words, "--tool", quoted(t))
	}
	return strings.Join(words, " ")
}

// quoted is a word for a shell.
func quoted(word string) string {
	if word != "" && !strings.ContainsFunc(word, func(r rune) bool {
		return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-", r)
	}) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
