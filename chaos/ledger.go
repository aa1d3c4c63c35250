package chaos

import (
	"errors"
	"io/fs"
	"os"
	"strings"

	"github.com/mcp-supervisor/supervisor/messages"
)

// LedgerCheck is what the ledger's file says about the calls that were to write it.
type LedgerCheck struct {
	Calls int `json:"calls"`
	Lines int `json:"lines"`
	// Doubled counts keys with more than one line: calls that were carried out twice.
	Doubled int `json:"doubled"`
	// Missing counts calls that ended ok and have no line.
	Missing int `json:"missing"`
	// Unexpected counts lines of calls that are said not to have run, or that nobody made.
	Unexpected int `json:"unexpected"`
	// Carried counts calls that ended without an answer and have their line: those a second sending would have doubled.
	Carried int `json:"carried_out_unanswered"`
}

// checkLedger compares the lines with the calls' results: ok is one line, maybe at most one, and no is none.
func checkLedger(lines []string, calls map[string]messages.CallResult) LedgerCheck {
	c := LedgerCheck{Calls: len(calls), Lines: len(lines)}
	written := map[string]int{}
	for _, key := range lines {
		if written[key]++; written[key] == 2 {
			c.Doubled++
		}
		r, known := calls[key]
		if !known || mayWrite(r) == no {
			c.Unexpected++
		}
	}
	for key, r := range calls {
		switch n := written[key]; {
		case mayWrite(r) == yes && n == 0:
			c.Missing++
		case mayWrite(r) == maybe && n > 0:
			c.Carried++
		}
	}
	return c
}

type answer int

const (
	no answer = iota
	maybe
	yes
)

// mayWrite says whether a call with that end has its line. The tool says no only before it writes.
func mayWrite(r messages.CallResult) answer {
	switch {
	case r.Outcome == messages.OK:
		return yes
	case r.Ran == messages.RanMaybe:
		return maybe
	}
	return no
}

// readLines reads a file that may not be there: then nothing was written.
func readLines(file string) ([]string, error) {
	content, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return strings.Fields(string(content)), err
}
