package main

import (
	"fmt"
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
		_, _ = fmt.Fprintln(table, "SERVER\tSTATE\tFOR\tPID\tTOOLS\tRUNNING\tQUEUED\tRESTARTS\tLAST EXIT")
	}
	for _, s := range found.Servers {
		_, _ = fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%d\t%d\t%d\t%s\t%s\n", oneLine(s.ID), s.State, age(s.Since, now),
			number(s.PID), s.Tools, s.InFlight, s.Queued, restarts(s), oneLine(orElse(lastExit(s), "-")))
	}
	if err := table.Flush(); err != nil {
		return err
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

// lastExit is how a server ended last, and what comes next where something does.
func lastExit(s messages.ServerStatus) string {
	next := ""
	if retry := time.Duration(s.RetryAfter); retry > 0 {
		next = "expected back in " + short(retry)
	}
	return join("; ", s.LastExit, next)
}
