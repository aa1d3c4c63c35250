package main

import (
	"context"
	"fmt"
	"time"

	"github.com/mcp-supervisor/supervisor/governance/audit"
	mcpspec "github.com/mcp-supervisor/supervisor/mcp/spec"
	"github.com/mcp-supervisor/supervisor/messages"
)

// printReport prints what was found. describe says in words which call an id stands for.
func (a *app) printReport(r audit.Report, asJSON bool, describe func(id string) string) error {
	var err error
	if asJSON {
		err = writeJSON(a.out, r)
	} else {
		err = a.printFindings(r, describe)
	}
	if err == nil && !r.OK() {
		return &exit{code: exitProblems}
	}
	return err
}

func (a *app) printFindings(r audit.Report, describe func(id string) string) error {
	var lines []string
	for _, p := range r.Problems {
		lines = append(lines, "problem: "+p.String())
	}
	if r.Omitted > 0 {
		lines = append(lines, fmt.Sprintf("... and %s", count(r.Omitted, "problem")))
	}
	for _, id := range r.Unfinished[:min(len(r.Unfinished), maxUnfinished)] {
		lines = append(lines, "unfinished: "+describe(id))
	}
	if more := len(r.Unfinished) - maxUnfinished; more > 0 {
		lines = append(lines, fmt.Sprintf("unfinished: and %d more; --json lists their ids", more))
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

// maxUnfinished is how many unfinished calls are told one by one: a screenful.
const maxUnfinished = 20

// unfinished says which call has no outcome: its id alone where the log cannot be searched.
func unfinished(ctx context.Context, log auditor, id string) string {
	records, err := log.Audit(ctx, audit.Filter{CallID: id, Limit: 1})
	if err != nil || len(records) == 0 {
		return "call " + id + " has no outcome"
	}
	r := records[0]
	return join(" ", "call "+id+":", r.Timestamp.Local().Format(stamp), r.AgentID, join("/", r.Server, r.Tool), "has no outcome")
}

// stamp is how a record's time is shown.
const stamp = "2006-01-02 15:04:05.000"

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
	return join(" ", r.Timestamp.Local().Format(stamp), string(r.EventType), r.AgentID, tool, string(r.Outcome), took, why)
}

func exitWords(e messages.Exit) string {
	return mcpspec.Exit{Code: e.Code, Signal: e.Signal, Reason: e.Reason, StderrTail: e.StderrTail}.String()
}
