package chaos

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/mcp-supervisor/supervisor/messages"
)

// Print writes the report as tables, for people. Texts of servers in it go through clean first, which makes them fit for a
// terminal; nil leaves them as they are.
func (r Report) Print(w io.Writer, clean func(string) string) error {
	if clean == nil {
		clean = func(s string) string { return s }
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	line := func(cells ...string) {
		for i := range cells {
			cells[i] = clean(cells[i])
		}
		_, _ = fmt.Fprintln(table, strings.Join(cells, "\t")) // Flush has the error
	}
	r.servers(line)
	line("")
	r.recoveries(line)
	line("")
	r.sums(line)
	line("")
	for _, i := range r.Checked {
		line(mark(i.Held), i.Name, i.Seen)
	}
	return table.Flush()
}

func mark(held bool) string {
	if held {
		return "ok"
	}
	return "BROKEN"
}

func (r Report) servers(line func(...string)) {
	line("SERVER", "TOOLS", "CALLS", "OK", "STRIKES", "RESTARTS", "COLD START", "BACK, MEDIAN", "BACK, SLOWEST")
	for _, s := range r.Servers {
		var tools []string
		for _, t := range s.Tools {
			tools = append(tools, t.Tool)
		}
		line(s.ID, orNone(strings.Join(tools, ", ")), fmt.Sprint(total(s.Calls)), fmt.Sprint(s.Calls[messages.OK]), fmt.Sprint(total(s.Strikes)),
			fmt.Sprint(s.Restarts), short(s.ColdStart), ofSome(s.Recovery, s.Recovery.P50), ofSome(s.Recovery, s.Recovery.Max))
	}
	for _, s := range r.Servers {
		if s.NotCalled != "" {
			line(s.ID + " is not called: " + s.NotCalled)
		}
	}
}

func (r Report) recoveries(line func(...string)) {
	line("FAULT", "STRIKES", "RECOVERIES", "MEDIAN", "95 %", "99 %", "SLOWEST")
	for _, k := range Kinds {
		if hits := r.Strikes.Hit[k]; hits > 0 {
			line(spreadCells(string(k), fmt.Sprint(hits), r.Strikes.Recovery[k])...)
		}
	}
	line(spreadCells("kill heard", "", r.Strikes.Heard)...)
}

func spreadCells(name, count string, s Spread) []string {
	return []string{name, count, fmt.Sprint(s.N), ofSome(s, s.P50), ofSome(s, s.P95), ofSome(s, s.P99), ofSome(s, s.Max)}
}

func (r Report) sums(line func(...string)) {
	var outcomes []string
	for _, o := range messages.Outcomes {
		if n := r.Calls.Outcomes[o]; n > 0 {
			outcomes = append(outcomes, fmt.Sprintf("%d %s", n, o))
		}
	}
	line("calls: " + strings.Join(outcomes, ", "))
	line("recovery is slower than a cold start by " + short(r.Strikes.OverColdStart) + " (median)")
	line(fmt.Sprintf("strikes that found no server up: %d; hangs not noticed within %s: %d", r.Strikes.Missed, noticeBy, r.Strikes.NotNoticed))
	line(fmt.Sprintf("calls carried out and not answered: %d", r.Ledger.Carried))
	line(fmt.Sprintf("memory of the supervisor: %s before the load, %s after it", mib(r.Left.LoadedRSS[0]), mib(r.Left.LoadedRSS[1])))
	line(fmt.Sprintf("seed %d, %d agents, struck for %s, every %s, budget %s", r.Seed, r.Agents, short(r.Duration), short(r.KillEvery), r.Budget))
	for _, note := range r.Notes {
		line("note: " + note)
	}
}

func ofSome(s Spread, m messages.Millis) string {
	if s.N == 0 {
		return "-"
	}
	return short(m)
}

// short rounds to what says something: three digits or so.
func short(m messages.Millis) string {
	d := time.Duration(m)
	switch {
	case d.Abs() >= 10*time.Second:
		return d.Round(100 * time.Millisecond).String()
	case d.Abs() >= time.Second:
		return d.Round(10 * time.Millisecond).String()
	case d.Abs() >= 10*time.Millisecond:
		return d.Round(time.Millisecond).String()
	}
	return d.Round(10 * time.Microsecond).String()
}

func mib(bytes int64) string {
	if bytes < 0 {
		return "unknown"
	}
	return fmt.Sprintf("%.1f MiB", float64(bytes)/(1<<20))
}

func orNone(s string) string {
	if s == "" {
		return "-"
	}
	return s
}
