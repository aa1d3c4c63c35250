package main

import (
	"context"
	"os"
	"os/user"

	"github.com/spf13/cobra"

	"github.com/mcp-supervisor/supervisor/actors"
	"github.com/mcp-supervisor/supervisor/control"
	"github.com/mcp-supervisor/supervisor/governance/approval"
)

func (a *app) approvalsCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "approvals",
		Short: "See the calls that wait for a person's yes, and answer them",
		Args:  cobra.NoArgs,
		RunE:  func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(a.approvalsListCommand(), a.approvalsShowCommand(),
		a.answerCommand(approval.Allow, "Let a call that waits go on", "once: the next call is asked about anew, unless the workspace remembers answers for a run"),
		a.answerCommand(approval.Deny, "Refuse a call that waits", "and the agent reads the comment"))
	return c
}

const answering = `

The process that runs the workspace is asked.

Exit codes: 0; 2 for an approval that is unknown, was answered, or whose time is over; 4 when nobody runs the workspace.`

func (a *app) approvalsListCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "list [WORKSPACE]",
		Short: "List the calls that wait, the oldest first",
		Long:  "List the calls that wait for a person's yes, the oldest first. One whose time is over is refused." + answering,
		Args:  cobra.MaximumNArgs(1),
		RunE: a.command(func(c *cobra.Command, args []string) error {
			return a.withWaiting(c.Context(), first(args), func(list []approval.Pending) error {
				return a.printWaiting(list, asJSON)
			})
		}),
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print the list as one JSON array")
	return c
}

func (a *app) approvalsShowCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "show ID",
		Short: "Show one call that waits, with its exact arguments",
		Long: `Show one call that waits, with the exact arguments that will be sent: secrets are masked, and control characters are
shown as escapes.` + answering,
		Args: cobra.ExactArgs(1),
		RunE: a.command(func(c *cobra.Command, args []string) error {
			return a.withWaiting(c.Context(), "", func(list []approval.Pending) error {
				p, ok := approval.Find(list, args[0])
				switch {
				case !ok:
					return usage("no call waits for approval %q; `supervisor approvals list%s` lists those that do", args[0], a.named(""))
				case asJSON:
					return writeJSON(a.out, p)
				}
				return a.printQuestion(p)
			})
		}),
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print it as one JSON object")
	return c
}

// withWaiting asks the owner for the calls that wait.
func (a *app) withWaiting(ctx context.Context, workspace string, fn func([]approval.Pending) error) error {
	root, err := a.folder(workspace)
	if err != nil {
		return err
	}
	return a.askOwner(ctx, root, func(ctx context.Context, owner *control.Client) error {
		list, err := owner.Approvals(ctx)
		if err != nil {
			return a.notDone(err)
		}
		return fn(list)
	})
}

func (a *app) answerCommand(v approval.Verdict, short, what string) *cobra.Command {
	answer := actors.ApprovalAnswer{Verdict: v}
	var asJSON bool
	c := &cobra.Command{
		Use:   string(v) + " ID",
		Short: short,
		Long:  short + ", " + what + ". The first answer counts. Who answered, and the comment, are in the audit." + answering,
		Args:  cobra.ExactArgs(1),
		RunE: a.command(func(c *cobra.Command, args []string) error {
			if err := filled(c, "by"); err != nil {
				return err
			}
			root, err := a.folder("")
			if err != nil {
				return err
			}
			answer.ID, answer.By = args[0], orElse(answer.By, loginName())
			return a.askOwner(c.Context(), root, func(ctx context.Context, owner *control.Client) error {
				o, err := owner.Answer(ctx, answer)
				switch {
				case err != nil:
					return a.notDone(err)
				case asJSON:
					return writeJSON(a.out, o)
				}
				return a.print(oneLine(o.ID + ": " + string(o.Verdict) + ": " + asks(o.Pending)))
			})
		}),
	}
	c.Flags().StringVar(&answer.Comment, "comment", "", "what you say to it")
	c.Flags().StringVar(&answer.By, "by", "", "who answers (default: your login name)")
	c.Flags().BoolVar(&asJSON, "json", false, "print the answered call as one JSON object")
	return c
}

// loginName is who sits at the terminal.
func loginName() string {
	if u, err := user.Current(); err == nil && u.Username != "" {
		return u.Username
	}
	return orElse(os.Getenv("USER"), "somebody without a name")
}
