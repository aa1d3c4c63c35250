package chaos

import (
	"fmt"
	"strings"

	"github.com/mcp-supervisor/supervisor/messages"
)

// Invariant is one thing that has to hold, what was seen, and whether it does.
type Invariant struct {
	Name string `json:"name"`
	Seen string `json:"seen"`
	Held bool   `json:"held"`
}

// The share of tasks that follow a retry hint and have to end ok, and how many such tasks say something.
const (
	hintsKept  = 90 // percent
	hintsAtAll = 10
)

// What a report says of the budget.
const (
	budgetRaised       = "raised"
	budgetAsConfigured = "as-configured"
)

// judge is pure: it looks at the report's numbers and at nothing else.
func judge(r Report) []Invariant {
	return []Invariant{
		proves(r),
		{
			"each call has one outcome", fmt.Sprintf("%d calls, %d unanswered", r.Calls.Total, r.Calls.Unanswered),
			r.Calls.Unanswered == 0 && total(r.Calls.Outcomes) == r.Calls.Total,
		},
		{"no answer of another call", fmt.Sprintf("%d swapped", r.Calls.Swapped), r.Calls.Swapped == 0},
		{"no bug of ours", fmt.Sprintf("%d internal", r.Calls.Outcomes[messages.Internal]), r.Calls.Outcomes[messages.Internal] == 0},
		carriedOutOnce(r.Ledger),
		onTheRecord(r.Audit, r.Calls.Total),
		allBack(r.Servers),
		noticed(r),
		hints(r.Calls),
		nothingLeft(r.Left),
	}
}

// proves is broken by a run in which nothing happened.
func proves(r Report) Invariant {
	strikes, ok := total(r.Strikes.Hit), r.Calls.Outcomes[messages.OK]
	return Invariant{"the run proves something", fmt.Sprintf("%d strikes, %d calls ok", strikes, ok), strikes > 0 && ok > 0}
}

func carriedOutOnce(l LedgerCheck) Invariant {
	return Invariant{
		"none doubled, none invented",
		fmt.Sprintf("ledger: %d calls, %d lines, %d doubled, %d ok without a line, %d lines unexpected", l.Calls, l.Lines, l.Doubled, l.Missing, l.Unexpected),
		l.Doubled == 0 && l.Missing == 0 && l.Unexpected == 0,
	}
}

func onTheRecord(a Trail, calls int) Invariant {
	seen := fmt.Sprintf("%d intents and %d outcomes of %d calls, %d without outcome", a.Intents, a.Outcomes, calls, a.Unfinished)
	if len(a.Problems) > 0 {
		seen += fmt.Sprintf("; %d problems, the first: %s", len(a.Problems), a.Problems[0])
	}
	return Invariant{"the audit is complete", seen, a.Intents == calls && a.Outcomes == calls && a.Unfinished == 0 && len(a.Problems) == 0}
}

func allBack(servers []Server) Invariant {
	struck := 0
	var down []string
	for _, s := range servers {
		if total(s.Strikes) > 0 {
			struck++
		}
		if s.Down != "" {
			down = append(down, s.ID+" ("+s.Down+")")
		}
	}
	seen := fmt.Sprintf("%d struck, all back", struck)
	if len(down) > 0 {
		seen = "not back: " + strings.Join(down, ", ")
	}
	return Invariant{"every struck server is back", seen, len(down) == 0}
}

// noticed is broken by a server that stood still and was left to. With the workspace's own time-outs that may take longer
// than the run waits.
func noticed(r Report) Invariant {
	n := r.Strikes.NotNoticed
	return Invariant{"hangs are noticed", fmt.Sprintf("%d of %d were not within %s", n, r.Strikes.Hit[Hang], noticeBy), n == 0 || r.Budget != budgetRaised}
}

func hints(c Calls) Invariant {
	return Invariant{
		"retry hints hold",
		fmt.Sprintf("%d of %d tasks that followed them ended ok", c.HintedOK, c.Hinted),
		c.Hinted < hintsAtAll || c.HintedOK*100 >= c.Hinted*hintsKept,
	}
}

func nothingLeft(r Residue) Invariant {
	processes := fmt.Sprintf("%d processes", len(r.Processes))
	if r.Unknown != "" {
		processes = "processes not known: " + r.Unknown
	}
	return Invariant{
		"nothing is left",
		fmt.Sprintf("%s, %+d file descriptors, %+d goroutines", processes, r.After.FDs-r.Before.FDs, r.After.Goroutines-r.Before.Goroutines),
		len(r.Processes) == 0 && r.After.FDs <= r.Before.FDs && r.After.Goroutines <= r.Before.Goroutines,
	}
}

// Broken are the invariants that did not hold.
func (r Report) Broken() []Invariant {
	var broken []Invariant
	for _, i := range r.Checked {
		if !i.Held {
			broken = append(broken, i)
		}
	}
	return broken
}
