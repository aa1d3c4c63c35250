package chaos

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-supervisor/supervisor/messages"
)

func good() Report {
	return Report{
		Servers: []Server{{ID: "a", Strikes: map[Kind]int{Kill: 3}}, {ID: "b"}},
		Calls: Calls{
			Total: 12, Outcomes: map[messages.Outcome]int{messages.OK: 10, messages.Lost: 2}, Hinted: 20, HintedOK: 18,
		},
		Strikes: Strikes{Hit: map[Kind]int{Kill: 3}},
		Ledger:  LedgerCheck{Calls: 4, Lines: 4, Carried: 1},
		Audit:   Trail{Records: 30, Intents: 12, Outcomes: 12},
		Left:    Residue{Before: Usage{FDs: 10, Goroutines: 5}, After: Usage{FDs: 10, Goroutines: 5}},
	}
}

func TestJudge(t *testing.T) {
	for _, tt := range []struct {
		name  string
		spoil func(*Report)
		want  []string // the names of what is broken
	}{
		{"a good run", func(*Report) {}, nil},
		{"nothing was struck", func(r *Report) { r.Strikes.Hit = nil }, []string{"the run proves something"}},
		{"no call went well", func(r *Report) { r.Calls.Outcomes = map[messages.Outcome]int{messages.Lost: 12} }, []string{"the run proves something"}},
		{"a call without a reply", func(r *Report) { r.Calls.Unanswered = 1; r.Calls.Outcomes[messages.OK]-- }, []string{"each call has one outcome"}},
		{"a reply too many", func(r *Report) { r.Calls.Outcomes[messages.OK]++ }, []string{"each call has one outcome"}},
		{"another call's answer", func(r *Report) { r.Calls.Swapped = 1 }, []string{"no answer of another call"}},
		{"a bug", func(r *Report) { r.Calls.Outcomes[messages.Internal]++; r.Calls.Outcomes[messages.OK]-- }, []string{"no bug of ours"}},
		{"carried out twice", func(r *Report) { r.Ledger.Doubled = 1 }, []string{"none doubled, none invented"}},
		{"ok and not carried out", func(r *Report) { r.Ledger.Missing = 1 }, []string{"none doubled, none invented"}},
		{"refused and carried out", func(r *Report) { r.Ledger.Unexpected = 1 }, []string{"none doubled, none invented"}},
		{"an intent too few", func(r *Report) { r.Audit.Intents-- }, []string{"the audit is complete"}},
		{"an outcome too many", func(r *Report) { r.Audit.Outcomes++ }, []string{"the audit is complete"}},
		{"an open intent", func(r *Report) { r.Audit.Unfinished = 1 }, []string{"the audit is complete"}},
		{"a broken chain", func(r *Report) { r.Audit.Problems = []string{"1:2: changed"} }, []string{"the audit is complete"}},
		{"a server that is down", func(r *Report) { r.Servers[0].Down = "failed" }, []string{"every struck server is back"}},
		{"a hang that nobody noticed", func(r *Report) { r.Strikes.NotNoticed, r.Budget = 1, budgetRaised }, []string{"hangs are noticed"}},
		{"one that was given more time", func(r *Report) { r.Strikes.NotNoticed, r.Budget = 1, budgetAsConfigured }, nil},
		{"hints that do not hold", func(r *Report) { r.Calls.HintedOK = 17 }, []string{"retry hints hold"}},
		{"too few hints to tell", func(r *Report) { r.Calls.Hinted, r.Calls.HintedOK = 9, 0 }, nil},
		{"a process", func(r *Report) { r.Left.Processes = []int{4711} }, []string{"nothing is left"}},
		{"a file", func(r *Report) { r.Left.After.FDs++ }, []string{"nothing is left"}},
		{"a goroutine", func(r *Report) { r.Left.After.Goroutines++ }, []string{"nothing is left"}},
		{"fewer goroutines than before", func(r *Report) { r.Left.After.Goroutines-- }, nil},
		{"several at a time", func(r *Report) { r.Calls.Swapped = 1; r.Ledger.Doubled = 1 }, []string{"no answer of another call", "none doubled, none invented"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := good()
			tt.spoil(&r)
			r.Checked = judge(r)
			var broken []string
			for _, i := range r.Broken() {
				broken = append(broken, i.Name)
			}
			if diff := cmp.Diff(tt.want, broken); diff != "" {
				t.Errorf("broken (-want +got):\n%s", diff)
			}
		})
	}
}
