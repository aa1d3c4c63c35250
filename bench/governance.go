package main

import (
	"fmt"
	"os"
	"text/tabwriter"
	"time"
)

// The turns are shorter than those of the clients, and there are more contenders. A governed call rests: the audit's index
// reads the log a quarter of a second behind.
var (
	decisions = pace{rounds: 9, each: 200 * time.Millisecond}
	governing = pace{rounds: 5, each: 250 * time.Millisecond, rest: 400 * time.Millisecond}
)

// bound is what a decision by boundAt policies should stay under, as a share of a round trip over a bare pipe.
const (
	bound   = 0.25
	boundAt = 100
)

// comparePolicies prints what policies cost: a decision beside a round trip, and a governed call beside an ungated one.
func comparePolicies(self string) error {
	if err := decisionTable(self); err != nil {
		return fmt.Errorf("decisions: %w", err)
	}
	fmt.Printf("\ngoverned calls as a multiple of mcp's rate; %s\n", governing)
	for _, callers := range []int{1, 16} {
		if err := governedTable(self, callers); err != nil {
			return fmt.Errorf("governed calls: %w", err)
		}
	}
	return nil
}

func decisionTable(self string) error {
	list := []contender{{"pipe", newPipe}, {"mcp", newOurs}}
	for _, n := range amounts {
		list = append(list, contender{amountName(n), func(string, int) (caller, error) { return newDecision(n) }})
	}
	samples, err := turns(list, self, load{callers: 1, size: 2}, decisions)
	if err != nil {
		return err
	}
	fmt.Printf("\na decision by policies of which %d can match; %s\n", matching, decisions)
	fmt.Print("median time as a share of one caller's round trip over a pipe, and over package mcp (min - max)\n\n")
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintf(table, "decision\tp50\tof a pipe's\t\tof mcp's\t\tB\tallocs\n")
	for i, c := range list {
		bytes, allocs := memory(samples[i])
		_, _ = fmt.Fprintf(table, "  %s\t%s\t%s\t%s\t%d\t%d\n", c.name, p50(samples[i]),
			share(samples[i], samples[0]), share(samples[i], samples[1]), bytes, allocs)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	for i, n := range amounts {
		if n == boundAt {
			verdict(samples[2+i], samples[0])
		}
	}
	return nil
}

// share compares the median times, not the rates: on a busy machine a tight loop is interrupted where a caller who waits
// for an answer is not, and the mean would count that as the decision's.
func share(of, to []sample) string {
	low, median, high := ratios(of, to, half)
	return fmt.Sprintf("%.0f %%\t(%.0f - %.0f)", 100*median, 100*low, 100*high)
}

func verdict(of, to []sample) {
	answer := "no"
	if _, median, _ := ratios(of, to, half); median < bound {
		answer = "yes"
	}
	fmt.Printf("by %d policies under %.0f %% of a round trip over a pipe: %s\n", boundAt, 100*bound, answer)
}

func governedTable(self string, callers int) error {
	list := []contender{{"mcp, ungated", newOurs}}
	for _, n := range amounts {
		list = append(list, contender{"governed, " + amountName(n), func(self string, size int) (caller, error) {
			return governedBy(self, size, n)
		}})
	}
	samples, err := turns(list, self, load{callers: callers, size: 2}, governing)
	if err != nil {
		return err
	}
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintf(table, "\n%d callers\tcalls/s\tratio\t\tp99\tB/call\tallocs\n", callers)
	for i, c := range list {
		row(table, c.name, samples[i], samples[0])
	}
	return table.Flush()
}
