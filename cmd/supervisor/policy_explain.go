package main

import (
	"context"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/mcp-supervisor/supervisor/actors"
	"github.com/mcp-supervisor/supervisor/governance/policy"
)

func (a *app) policyExplainCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "explain AGENT SERVER TOOL [JSON|@FILE|-]",
		Short: "Say what the gate decides about a call, and why, without making it",
		Long: `Say what the gate decides about a call, and why, without making it. AGENT is ID or TOPOLOGY/ID; "operator", or "-", is the
person at the keyboard. Budgets and rates are not asked. The process that runs the workspace is asked; without one, the server
is started for it.

The table has the policies that match, and those that nearly do: their scope holds and a condition does not.

Exit codes: 0 when the call is allowed, also when a person has to approve it; 2 for an unknown agent, server or tool, and for
arguments that break the tool's schema; 3 when it is denied; 4 when the server's tools could not be learnt.`,
		Args: cobra.RangeArgs(3, 4),
		RunE: a.command(func(c *cobra.Command, args []string) error {
			r := actors.CallRequest{Agent: args[0], Server: args[1], Tool: args[2]}
			if r.Agent == "" || r.Server == "" || r.Tool == "" {
				return usage("AGENT, SERVER and TOOL must not be empty")
			}
			if r.Agent == "-" {
				r.Agent = ""
			}
			var err error
			if r.Arguments, err = a.readArguments(first(args[3:])); err != nil {
				return err
			}
			ws, err := a.load("")
			if err != nil {
				return err
			}
			return a.withAPI(c.Context(), ws, func(ctx context.Context, api api) error {
				why, err := api.Explain(ctx, r)
				if err != nil {
					return a.notDone(err)
				}
				return a.printExplanation(why, asJSON)
			})
		}),
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print the explanation as one JSON object")
	return c
}

func (a *app) printExplanation(x actors.Explanation, asJSON bool) error {
	var err error
	if asJSON {
		err = writeJSON(a.out, x)
	} else {
		err = a.printReasons(x)
	}
	if err != nil {
		return fmt.Errorf("write the output: %w", err)
	}
	if !x.Allowed {
		return &exit{code: x.Outcome.ExitCode()}
	}
	return nil
}

// decided is a decision in a word or three.
func decided(x actors.Explanation) string {
	switch {
	case !x.Allowed:
		return "deny (" + string(x.Outcome) + ")"
	case x.Approve != nil:
		return "needs approval"
	}
	return "allow"
}

func (a *app) printReasons(x actors.Explanation) error {
	fields := [][2]string{{"decision", decided(x)}, {"rule", x.Rule}, {"caller reads", x.Reason}}
	if x.Approve != nil {
		fields = append(fields, [2]string{"asked for by", x.Approve.Rule + ": " + x.Approve.Reason})
	}
	fields = append(fields, [][2]string{
		{"via", x.Via},
		{"tier", string(x.Tier)},
		{"effect", string(x.Effect)},
		{"scopes held", strings.Join(x.ScopesGranted, ", ")},
		{"scopes lacking", strings.Join(x.ScopesDenied, ", ")},
		{"redacted", strings.Join(x.Redact, ", ")},
	}...)
	if x.Policies != nil {
		fields = append(fields, [2]string{"needed", x.Policies.Needed})
	}
	for _, f := range fields {
		if f[1] == "" {
			continue
		}
		if err := a.print(fmt.Sprintf("%-14s %s", f[0], oneLine(f[1]))); err != nil {
			return err
		}
	}
	return a.printConsidered(x.Policies)
}

// printConsidered is the table of the policies that matched, or nearly did.
func (a *app) printConsidered(x *policy.Explanation) error {
	if x == nil {
		return nil
	}
	table := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	head := "\nPOLICY\tEFFECT\tSTATE\tAT\tWHY\n"
	for _, p := range x.Policies {
		if p.State == policy.OutOfScope {
			continue
		}
		_, _ = fmt.Fprintf(table, "%s%s\t%s\t%s\t%s:%d\t%s\n", head, oneLine(p.Rule), p.Effect, p.State, oneLine(p.File), p.Line, oneLine(p.Why))
		head = ""
	}
	return table.Flush()
}
