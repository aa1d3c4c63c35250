package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcp-supervisor/supervisor/governance/audit"
	mcpspec "github.com/mcp-supervisor/supervisor/mcp/spec"
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
			var err error
			f.Outcome = messages.Outcome(outcome)
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
	flags.StringVar(&outcome, "outcome", "", "only with this outcome: ok, denied, lost, ...")
	flags.StringVar(&f.Run, "run", "", "only of this run")
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
flight when a supervisor was killed, or are now; they are listed and are no problem of the log.

Exit codes: 0 when the log is as it was written; 1 when it has problems.`,
		Args: cobra.MaximumNArgs(1),
		RunE: a.command(func(c *cobra.Command, args []string) error {
			return a.withAudit(c.Context(), first(args), func(ctx context.Context, log auditor) error {
				report, err := log.VerifyAudit(ctx)
				if err != nil {
					return err
				}
				return a.printReport(report, asJSON)
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

func (a *app) printReport(r audit.Report, asJSON bool) error {
	var err error
	if asJSON {
		err = writeJSON(a.out, r)
	} else {
		err = a.printFindings(r)
	}
	if err == nil && !r.OK() {
		return &exit{code: exitProblems}
	}
	return err
}

func (a *app) printFindings(r audit.Report) error {
	var lines []string
	for _, p := range r.Problems {
		lines = append(lines, "problem: "+p.String())
	}
	if r.Omitted > 0 {
		lines = append(lines, fmt.Sprintf("... and %s", count(r.Omitted, "problem")))
	}
	for _, id := range r.Unfinished {
		lines = append(lines, "unfinished: call "+id+" has no outcome")
	}
	verdict := "the chain is unbroken"
	if !r.OK() {
		verdict = count(len(r.Problems)+r.Omitted, "problem")
	}
	lines = append(lines, fmt.Sprintf("%s in %s: %s", count(int(r.Records), "record"), count(r.Segments, "segment"), verdict))
	for _, line := range lines {
		if err := a.print(oneLine(line)); err != nil {
			return err
		}
	}
	return nil
}

func (a *app) printRecords(records []audit.Record, asJSON bool) error {
	for _, r := range records {
		var err error
		if asJSON {
			err = writeJSON(a.out, r)
		} else {
			err = a.print(oneLine(recordLine(r)))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// recordLine is a record in one line: when, what, who, where, how it ended and why.
func recordLine(r audit.Record) string {
	tool := join("/", r.Server, r.Tool)
	why := ""
	switch {
	case r.Outcome == messages.Denied:
		why = join(" ", r.PolicyReason, "["+r.PolicyRule+"]")
	case r.Error != nil:
		why = r.Error.Message
	case r.Exit != nil:
		why = exitWords(*r.Exit)
	}
	took := ""
	if r.Duration > 0 {
		took = short(time.Duration(r.Duration))
	}
	return join(" ", r.Timestamp.Local().Format("2006-01-02 15:04:05.000"), string(r.EventType), r.AgentID, tool, string(r.Outcome), took, why)
}

func exitWords(e messages.Exit) string {
	return mcpspec.Exit{Code: e.Code, Signal: e.Signal, Reason: e.Reason, StderrTail: e.StderrTail}.String()
}
