package main

import (
	"fmt"
	"slices"
	"strconv"
	"text/tabwriter"
	"time"

	"github.com/mcp-supervisor/supervisor/messages"
)

func (a *app) printStanding(found standing, now time.Time) error {
	if !found.Frozen.Empty() {
		if err := a.print(oneLine(frozenLine(found.Frozen))); err != nil {
			return err
		}
	}
	table := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	if len(found.Servers) > 0 {
		_, _ = fmt.Fprintln(table, "SERVER\tSTATE\tFOR\tPID\tTOOLS\tRUNNING\tQUEUED\tRESTARTS\tLAST EXIT\tDETAIL")
	}
	for _, s := range found.Servers {
		_, _ = fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%d\t%d\t%d\t%s\t%s\t%s\n", oneLine(s.ID), s.State, age(s.Since, now),
			number(s.PID), s.Tools, s.InFlight, s.Queued, restarts(s), oneLine(orElse(s.LastExit, "-")), oneLine(orElse(detail(s), "-")))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	for _, line := range groupLines(found.Servers) {
		if err := a.print(oneLine(line)); err != nil {
			return err
		}
	}
	for _, s := range found.Servers {
		for _, w := range s.Warnings {
			if err := a.print("warning: " + oneLine(s.ID+": "+w)); err != nil {
				return err
			}
		}
	}
	return nil
}

// age is how long something has lasted, to the second.
func age(since, now time.Time) string {
	if since.IsZero() {
		return "-"
	}
	return max(now.Sub(since), 0).Round(time.Second).String()
}

// number is a number that 0 stands for the lack of.
func number(n int) string {
	if n == 0 {
		return "-"
	}
	return strconv.Itoa(n)
}

func restarts(s messages.ServerStatus) string {
	text := fmt.Sprintf("%d of %d", s.Window, s.Budget)
	if s.Restarts > 0 {
		text += fmt.Sprintf(" (%d)", s.Restarts)
	}
	return text
}

// detail is what comes next, or why nothing does.
func detail(s messages.ServerStatus) string {
	if retry := time.Duration(s.RetryAfter); retry > 0 && s.Detail == "" {
		return "expected back in " + short(retry)
	}
	return s.Detail
}

// groupLines tell of each group how much of its budget is used.
func groupLines(servers []messages.ServerStatus) []string {
	var lines []string
	for _, s := range servers {
		line := fmt.Sprintf("group %s: %d of %s", s.Group, s.GroupWindow, count(s.GroupBudget, "restart"))
		if s.Group != "" && !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	return lines
}
