package policy

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/cedar-policy/cedar-go"

	"github.com/mcp-supervisor/supervisor/governance/spec"
)

// read is what a list of rules reads of the context.
type read struct {
	context bool // anything at all
	all     bool // the arguments as a whole
	// arguments are the names of the arguments that are read.
	arguments map[string]bool
}

// readOf lets a decision leave out what no rule looks at: most rules look at one short argument, and some arguments are
// megabytes of text.
func readOf(rules []*rule) read {
	r := read{arguments: map[string]bool{}}
	for _, rule := range rules {
		for _, path := range rule.facts.paths {
			r.add(path)
		}
	}
	return r
}

func (r *read) add(path []string) {
	if path[0] != "context" {
		return
	}
	r.context = true
	switch {
	case len(path) == 1, len(path) == 2 && path[1] == "arguments":
		r.all = true
	case path[1] == "arguments":
		r.arguments[path[2]] = true
	}
}

func (r read) argument(name string) bool { return r.all || r.arguments[name] }

// request is what Cedar evaluates. The error says what is wrong with the arguments that the rules read.
func (e *entities) request(r Request, reads read) (cedar.Request, error) {
	q := cedar.Request{Principal: e.principal(), Action: callTool, Resource: e.tool}
	if !reads.context {
		return q, nil
	}
	arguments := cedar.Record{}
	if reads.all || len(reads.arguments) > 0 {
		var err error
		if arguments, err = readArguments(r.Arguments, reads.argument); err != nil {
			return q, fmt.Errorf("arguments: %w", err)
		}
	}
	q.Context = contextRecord(r, arguments)
	return q, nil
}

func contextRecord(r Request, arguments cedar.Record) cedar.Record {
	now := r.Now.UTC()
	return cedar.NewRecord(cedar.RecordMap{
		"arguments":   arguments,
		"run":         cedar.String(r.Run),
		"topology":    cedar.String(r.Agent.Topology),
		"traceparent": cedar.String(r.TraceParent),
		"tier":        cedar.String(cmp.Or(r.Tier, spec.Cautious)),
		"time":        cedar.NewDatetime(now),
		"hour":        cedar.Long(now.Hour()),
		"weekday":     cedar.String(strings.ToLower(now.Weekday().String())),
		"counts": cedar.NewRecord(cedar.RecordMap{
			"agent":  cedar.Long(r.Counts.Agent),
			"run":    cedar.Long(r.Counts.Run),
			"denied": cedar.Long(r.Counts.Denied),
		}),
	})
}
