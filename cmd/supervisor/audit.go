package main

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcp-supervisor/supervisor/governance/audit"
	"github.com/mcp-supervisor/supervisor/messages"
)

func (a *app) auditCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "audit",
		Short: "Look into the workspace's audit log, or check it",
		Args:  cobra.NoArgs,
		RunE:  func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(a.auditListCommand(), a.auditVerifyCommand())
	return c
}

func (a *app) auditListCommand() *cobra.Command {
	var f audit.Filter
	var outcome, since string
	var asJSON bool
	c := &cobra.Command{
		Use:   "list [WORKSPACE]",
		Short: "List audit records, the newest last",
		Args:  cobra.MaximumNArgs(1),
		RunE: a.command(func(c *cobra.Command, args []string) error {
			err := filled(c, "agent", "server", "tool", "run", "call")
			if err != nil {
				return err
			}
			if f.Limit < 1 {
				return usage("--limit %d: at least 1", f.Limit)
			}
			if f.Outcome, err = parseOutcome(outcome, c.Flags().Changed("outcome")); err != nil {
				return err
			}
			if f.Since, err = parseSince(since, time.Now()); err != nil {
				return err
			}
			return a.withAudit(c.Context(), first(args), func(ctx context.Context, log auditor) error {
				records, err := log.Audit(ctx, f)
				if err != nil {
					return err
				}
				return a.printRecords(records, asJSON)
			})
		}),
	}
	flags := c.Flags()
	flags.StringVar(&f.Agent, "agent", "", "only of this agent")
	flags.StringVar(&f.Server, "server", "", "only of this server")
	flags.StringVar(&f.Tool, "tool", "", "only of this tool")
	flags.StringVar(&outcome, "outcome", "", "only with this outcome: "+outcomeNames())
	flags.StringVar(&f.Run, "run", "", "only of this run")
	flags.StringVar(&f.CallID, "call", "", "only of the call with this id")
	flags.StringVar(&since, "since", "", "only since then: a duration like 10m, or a time like 2006-01-02T15:04:05Z")
	flags.IntVar(&f.Limit, "limit", audit.DefaultLimit, "at most so many, the newest")
	flags.BoolVar(&asJSON, "json", false, "print each record as one line of JSON")
	return c
}

func (a *app) auditVerifyCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "verify [WORKSPACE]",
		Short: "Check the audit log's hash chain, and that each call has one outcome",
		Long: `Check the audit log's hash chain, and that each call has one intent and one outcome. Calls without an outcome were in
flight when a supervisor was killed, or are now; they are listed and are no problem of the log. A folder that may only be
read can be checked too.

Exit codes: 0 when the log is as it was written; 1 when it has problems.`,
		Args: cobra.MaximumNArgs(1),
		RunE: a.command(func(c *cobra.Command, args []string) error {
			return a.withAudit(c.Context(), first(args), func(ctx context.Context, log auditor) error {
				report, err := log.VerifyAudit(ctx)
				if err != nil {
					return err
				}
				return a.printReport(report, asJSON, func(id string) string { return unfinished(ctx, log, id) })
			})
		}),
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print the report as one JSON object")
	return c
}

// parseSince reads a time, or a duration before now; "" is no time.
func parseSince(text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if ago, err := time.ParseDuration(text); err == nil && ago >= 0 {
		return now.Add(-ago), nil
	}
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		if t, err := time.ParseInLocation(layout, text, time.Local); err == nil {
			return t, nil
		}
	}
	return time.Time{}, usage("--since %q: use a duration like 10m, or a time like 2006-01-02T15:04:05Z or 2006-01-02", text)
}

func outcomeNames() string {
	var names []string
	for _, o := range messages.Outcomes {
		names = append(names, string(o))
	}
	return strings.Join(names, ", ")
}

// parseOutcome reads the name of an outcome; one that was not given is none.
func parseOutcome(name string, given bool) (messages.Outcome, error) {
	if o := messages.Outcome(name); !given || slices.Contains(messages.Outcomes, o) {
		return o, nil
	}
	return "", usage("--outcome %q: use one of %s", name, outcomeNames())
}
