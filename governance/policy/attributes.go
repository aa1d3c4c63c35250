package policy

import (
	"cmp"
	"strings"

	"github.com/cedar-policy/cedar-go"

	"github.com/mcp-supervisor/supervisor/governance/spec"
)

// made are the attributes that rules may read and how each is made; nil is one that is not known. Records cost most of
// a decision, so only what the rules in scope read goes into them.
var made = [...]struct {
	variable, name string
	value          func(e *entities) cedar.Value
}{
	{"principal", "topology", func(e *entities) cedar.Value { return cedar.String(e.r.Agent.asPrincipal().Topology) }},
	{"principal", "id", func(e *entities) cedar.Value { return cedar.String(e.r.Agent.asPrincipal().ID) }},
	{"principal", "role", func(e *entities) cedar.Value { return cedar.String(e.r.Agent.asPrincipal().Role) }},
	{"principal", "operator", func(e *entities) cedar.Value { return cedar.Boolean(e.r.Agent.Operator) }},
	{"principal", "trust", func(e *entities) cedar.Value { return trust(e.r.Agent.Trust) }},
	{"resource", "name", func(e *entities) cedar.Value { return cedar.String(e.r.Tool) }},
	{"resource", "server", func(e *entities) cedar.Value { return cedar.String(e.r.Server) }},
	{"resource", "effect", func(e *entities) cedar.Value { return cedar.String(cmp.Or(e.r.Effect, spec.Write)) }},
	{"resource", "tags", func(e *entities) cedar.Value { return tags(e.r) }},
	{"resource", "read_only", func(e *entities) cedar.Value { return hint(e.r.Annotations.ReadOnly) }},
	{"resource", "destructive", func(e *entities) cedar.Value { return hint(e.r.Annotations.Destructive) }},
	{"resource", "idempotent", func(e *entities) cedar.Value { return hint(e.r.Annotations.Idempotent) }},
	{"resource", "open_world", func(e *entities) cedar.Value { return hint(e.r.Annotations.OpenWorld) }},
	{"context", "arguments", func(e *entities) cedar.Value { return e.arguments }},
	{"context", "run", func(e *entities) cedar.Value { return cedar.String(e.r.Run) }},
	{"context", "topology", func(e *entities) cedar.Value { return cedar.String(e.r.Agent.Topology) }},
	{"context", "traceparent", func(e *entities) cedar.Value { return cedar.String(e.r.TraceParent) }},
	{"context", "tier", func(e *entities) cedar.Value { return cedar.String(cmp.Or(e.r.Tier, spec.Cautious)) }},
	{"context", "time", func(e *entities) cedar.Value { return cedar.NewDatetime(e.r.Now.UTC()) }},
	{"context", "hour", func(e *entities) cedar.Value { return cedar.Long(e.r.Now.UTC().Hour()) }},
	{"context", "weekday", func(e *entities) cedar.Value {
		return cedar.String(strings.ToLower(e.r.Now.UTC().Weekday().String()))
	}},
	{"context", "counts", func(e *entities) cedar.Value { return e.r.Counts.record() }},
}

// attributes is a set of those that are made: bit i stands for made[i].
type attributes uint32

// attributesOf are the attributes that a path reads, all of its variable if it is used as a whole.
func attributesOf(path []string) (read attributes) {
	for i, a := range made {
		if a.variable == path[0] && (len(path) == 1 || a.name == path[1]) {
			read |= 1 << i
		}
	}
	return read
}

// record makes the attributes of a variable that are read.
func (e *entities) record(variable string) cedar.Record {
	m := cedar.RecordMap{}
	for i := range made {
		a := &made[i]
		if e.reads&(1<<i) == 0 || a.variable != variable {
			continue
		}
		if value := a.value(e); value != nil {
			m[cedar.String(a.name)] = value
		}
	}
	return cedar.NewRecord(m)
}
