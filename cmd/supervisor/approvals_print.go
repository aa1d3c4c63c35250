package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"text/tabwriter"
	"time"

	"github.com/mcp-supervisor/supervisor/governance/approval"
)

func (a *app) printWaiting(list []approval.Pending, asJSON bool) error {
	if asJSON {
		return writeJSON(a.out, orNone(list))
	}
	if len(list) == 0 {
		a.say("no call waits for an approval")
		return nil
	}
	now := time.Now()
	table := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(table, "ID\tAGENT\tSERVER/TOOL\tAGE\tEXPIRES IN\tREASON")
	for _, p := range list {
		_, _ = fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\n", oneLine(p.ID), oneLine(agentOf(p)), oneLine(p.Server+"/"+p.Tool),
			age(p.Asked, now), age(now, p.Expires), cut(oneLine(p.Reason), 80))
	}
	return table.Flush()
}

func (a *app) printQuestion(p approval.Pending) error {
	now := time.Now()
	for _, field := range [][2]string{
		{"approval", p.ID},
		{"agent", agentOf(p)},
		{"run", p.Run},
		{"call", p.Server + "/" + p.Tool},
		{"call id", p.CallID},
		{"asked", fmt.Sprintf("%s (%s ago, expires in %s)", p.Asked.Local().Format(time.DateTime), age(p.Asked, now), age(now, p.Expires))},
		{"reason", p.Reason},
		{"rule", p.Rule},
		{"policies", p.PolicyVersion},
		{"tool hash", p.ToolHash},
		{"digest", p.Digest},
	} {
		if field[1] == "" {
			continue
		}
		if err := a.print(fmt.Sprintf("%-10s %s", field[0], oneLine(field[1]))); err != nil {
			return err
		}
	}
	return a.print("arguments\n" + printable(pretty(p.Arguments)))
}

func agentOf(p approval.Pending) string { return join("/", p.Topology, p.Agent) }

// asks is a call that waits, in short.
func asks(p approval.Pending) string {
	return fmt.Sprintf("%s → %s/%s", agentOf(p), p.Server, p.Tool)
}

// pretty indents JSON and changes nothing else: order, numbers and escapes stay as they will be sent.
func pretty(raw json.RawMessage) string {
	var b bytes.Buffer
	if len(raw) == 0 || json.Indent(&b, raw, "", "  ") != nil {
		return orElse(string(raw), "{}")
	}
	return b.String()
}
