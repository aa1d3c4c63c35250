package chaos

import (
	"time"

	"github.com/mcp-supervisor/supervisor/messages"
)

// Report is what a run found. docs/chaos.md says what each number means.
type Report struct {
	Seed      uint64          `json:"seed"`
	Budget    string          `json:"budget"` // raised or as-configured
	Agents    int             `json:"agents"`
	Duration  messages.Millis `json:"duration_ms"` // of the strikes, as it was
	KillEvery messages.Millis `json:"kill_every_ms"`
	Kinds     []Kind          `json:"faults"`
	// Early is true when the run was ended before its time.
	Early bool `json:"ended_early,omitempty"`
	// Repeat is a command line that runs the same again; the caller of Run knows it.
	Repeat string `json:"repeat,omitempty"`

	Servers []Server    `json:"servers"`
	Calls   Calls       `json:"calls"`
	Strikes Strikes     `json:"strikes"`
	Ledger  LedgerCheck `json:"ledger"`
	Audit   Trail       `json:"audit"`
	Left    Residue     `json:"left"`
	Notes   []string    `json:"notes,omitempty"`
	Checked []Invariant `json:"invariants"`
	OK      bool        `json:"ok"` // every invariant held
}

// Server is one server of the run.
type Server struct {
	ID string `json:"id"`
	// Tools are called under load. NotCalled says why there are none.
	Tools     []Target                 `json:"tools,omitempty"`
	NotCalled string                   `json:"not_called,omitempty"`
	Calls     map[messages.Outcome]int `json:"calls"`
	Strikes   map[Kind]int             `json:"strikes"`
	Restarts  int                      `json:"restarts"`
	// ColdStart is the median of ColdStarts: spawn, initialize and tools/list, before the first strike.
	ColdStart  messages.Millis   `json:"cold_start_ms"`
	ColdStarts []messages.Millis `json:"cold_starts_ms"`
	Recovery   Spread            `json:"recovery"`
	NotNoticed int               `json:"hangs_not_noticed"`
	// Down says how the server was found in the end, if it was not back.
	Down string `json:"down,omitempty"`
}

// Calls are all calls of the run.
type Calls struct {
	Total    int                      `json:"total"`
	Outcomes map[messages.Outcome]int `json:"outcomes"`
	// Unanswered counts calls without a reply 30 s after the end of the load.
	Unanswered int `json:"unanswered"`
	// Swapped counts good answers that do not hold the text of their own call.
	Swapped int `json:"swapped"`
	// Hinted counts tasks that were told when to try again, and did; HintedOK those that ended ok.
	Hinted   int `json:"hinted"`
	HintedOK int `json:"hinted_ok"`
}

// Strikes are all strikes of the run, and what they cost.
type Strikes struct {
	Hit    map[Kind]int `json:"hit"`
	Missed int          `json:"missed"`
	// NotNoticed counts hangs that the supervisor had not put an end to after 10 s.
	NotNoticed int `json:"hangs_not_noticed"`
	// Recovery is, per kind, the time from the strike to the next good answer of a later incarnation.
	Recovery map[Kind]Spread `json:"recovery"`
	// OverColdStart is the median of what recoveries took longer than their server's cold start.
	OverColdStart messages.Millis `json:"over_cold_start_ms"`
	// Heard is the time from a kill to the moment a call that it cost is told that it is lost.
	Heard Spread `json:"heard"`
}

// Residue is what was held before the run and after it.
type Residue struct {
	Before Usage `json:"before"`
	After  Usage `json:"after"`
	// LoadedRSS is this process's memory when the load began, and when it ended, garbage given back.
	LoadedRSS [2]int64 `json:"rss_under_load_bytes"`
	Processes []int    `json:"processes"` // those that are left
	// Unknown says why the processes that are left are not known.
	Unknown string `json:"processes_unknown,omitempty"`
}

// summarize makes the part of a report that follows from the books.
func (r *Report) summarize(recoveries []recovery, heard []time.Duration) {
	byKind, byServer := map[Kind][]time.Duration{}, map[string][]time.Duration{}
	var over []time.Duration
	cold := map[string]time.Duration{}
	for _, s := range r.Servers {
		cold[s.ID] = time.Duration(s.ColdStart)
	}
	for _, back := range recoveries {
		byKind[back.kind] = append(byKind[back.kind], back.took)
		byServer[back.server] = append(byServer[back.server], back.took)
		if cold[back.server] > 0 {
			over = append(over, back.took-cold[back.server])
		}
	}
	r.Strikes.Recovery = map[Kind]Spread{}
	for kind, times := range byKind {
		r.Strikes.Recovery[kind] = spread(times)
	}
	r.Strikes.OverColdStart = messages.Millis(median(over))
	r.Strikes.Heard = spread(heard)
	r.Calls.Outcomes, r.Strikes.Hit = map[messages.Outcome]int{}, map[Kind]int{}
	for i := range r.Servers {
		s := &r.Servers[i]
		s.Recovery = spread(byServer[s.ID])
		r.Strikes.NotNoticed += s.NotNoticed
		add(r.Calls.Outcomes, s.Calls)
		add(r.Strikes.Hit, s.Strikes)
	}
}

func add[K comparable](sum, counts map[K]int) {
	for key, n := range counts {
		sum[key] += n
	}
}

func total[K comparable](counts map[K]int) int {
	n := 0
	for _, count := range counts {
		n += count
	}
	return n
}
