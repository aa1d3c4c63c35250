package policy

import (
	"fmt"

	"github.com/cedar-policy/cedar-go"
)

// read is what a list of rules reads.
type read struct {
	attributes attributes
	all        bool // the arguments as a whole
	// arguments are the names of the arguments that are read.
	arguments map[string]bool
}

// readOf lets a decision leave out what no rule looks at: most rules look at one short argument, and some arguments are
// megabytes of text.
func readOf(rules []*rule) read {
	r := read{arguments: map[string]bool{}}
	for _, rule := range rules {
		r.attributes |= rule.facts.reads
		for _, path := range rule.facts.paths {
			r.add(path)
		}
	}
	return r
}

// add adds the arguments that a path reads.
func (r *read) add(path []string) {
	switch {
	case path[0] != "context":
	case len(path) == 1, len(path) == 2 && path[1] == "arguments":
		r.all = true
	case path[1] == "arguments":
		r.arguments[path[2]] = true
	}
}

func (r read) argument(name string) bool { return r.all || r.arguments[name] }

// request is what Cedar evaluates. The error says what is wrong with the arguments that the rules read.
func (e *entities) request(reads read) (cedar.Request, error) {
	q := cedar.Request{Principal: e.principal(), Action: callTool, Resource: e.tool}
	if reads.all || len(reads.arguments) > 0 {
		var err error
		if e.arguments, err = readArguments(e.r.Arguments, reads.argument); err != nil {
			return q, fmt.Errorf("arguments: %w", err)
		}
	}
	e.reads = reads.attributes
	q.Context = e.record("context")
	return q, nil
}

func (c Counts) record() cedar.Record {
	return cedar.NewRecord(cedar.RecordMap{
		"agent":  cedar.Long(c.Agent),
		"run":    cedar.Long(c.Run),
		"denied": cedar.Long(c.Denied),
	})
}
