package main

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/mcp-supervisor/supervisor/governance/audit"
	"github.com/mcp-supervisor/supervisor/messages"
)

// promise is one line of the demo's table: what was seen, and whether it is as it must be.
type promise struct {
	what, seen string
	kept       bool
}

// promises judges a demo.
func promises(t demoTally, b books) []promise {
	calls, kills := sum(t.calls), sum(t.kills)
	return []promise{
		{"runs", fmt.Sprintf("%d, every one answered", t.runs), t.runs > 0},
		{"calls", fmt.Sprintf("%d", calls), calls > 0},
		{"outcomes", outcomes(t.calls) + ended(t), t.doubled == 0 && t.dropped == 0 && t.calls[messages.Internal] == 0},
		{"kills", fmt.Sprintf("%d: %s", kills, perServer(t.kills)), kills > 0},
		{"restarts", fmt.Sprintf("%d, %d of %d kills recovered from", t.restarts, t.recovered, kills), t.recovered == kills},
		{"slowest recovery", fmt.Sprintf("%s from kill to up (%s)", short(t.slowest), t.slowestOf), t.recovered > 0},
		{"servers up at the end", orElse(strings.Join(t.down, ", "), "all"), len(t.down) == 0},
		{"audit", b.words(), b.report.OK() && b.intents == b.outcomes && b.outcomes == calls},
		{"processes left", fmt.Sprintf("%d", len(t.left)), len(t.left) == 0},
	}
}

func ended(t demoTally) string {
	switch {
	case t.dropped > 0:
		return fmt.Sprintf("; %d events were missed", t.dropped)
	case t.doubled > 0:
		return fmt.Sprintf("; %s ended more than once", count(t.doubled, "call"))
	}
	return "; each call ended once"
}

// books are what the audit log says about the demo.
type books struct {
	report            audit.Report
	intents, outcomes int
}

func balance(ctx context.Context, log auditor) (books, error) {
	report, err := log.VerifyAudit(ctx)
	if err != nil {
		return books{}, err
	}
	records, err := log.Audit(ctx, audit.Filter{Limit: math.MaxInt32})
	b := books{report: report}
	for _, r := range records {
		switch {
		case r.CallID == "":
		case r.EventType == audit.ToolIntent:
			b.intents++
		case r.EventType == audit.OutcomeType(r.Outcome):
			b.outcomes++
		}
	}
	return b, err
}

func (b books) words() string {
	if r := b.report; !r.OK() {
		return fmt.Sprintf("%s, the first: %s", count(len(r.Problems)+r.Omitted, "problem"), r.Problems[0])
	}
	return fmt.Sprintf("%d records, chain unbroken; %d intents, %d outcomes", b.report.Records, b.intents, b.outcomes)
}

// outcomes lists outcomes in their documented order.
func outcomes(calls map[messages.Outcome]int) string {
	var parts []string
	for _, o := range messages.Outcomes {
		if n := calls[o]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, o))
		}
	}
	return strings.Join(parts, ", ")
}

func perServer(kills map[string]int) string {
	var parts []string
	for _, server := range slices.Sorted(maps.Keys(kills)) {
		parts = append(parts, fmt.Sprintf("%s %d", server, kills[server]))
	}
	return strings.Join(parts, ", ")
}

func sum[K comparable](counts map[K]int) int {
	total := 0
	for _, n := range counts {
		total += n
	}
	return total
}

func (a *app) printDemo(t demoTally, b books) error {
	table := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	broken := 0
	for _, p := range promises(t, b) {
		mark := "ok"
		if !p.kept {
			mark = "BROKEN"
			broken++
		}
		_, _ = fmt.Fprintf(table, "%s\t%s\t%s\n", mark, p.what, oneLine(p.seen))
	}
	if err := table.Flush(); err != nil {
		return fmt.Errorf("write the output: %w", err)
	}
	if broken > 0 {
		return &exit{code: exitProblems, err: fmt.Errorf("%s broken", count(broken, "promise"))}
	}
	return nil
}
