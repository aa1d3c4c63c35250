package config

import "strings"

// shape is what a mapping may hold, as lists of names.
type shape struct {
	// known fields are read.
	known string
	// idle fields belong to the format and are not run. A name may end in {} or [] when only that type is valid.
	idle string
	// pedantic fields are required by the schema of swarmkit/v1, and nothing of ours depends on them.
	pedantic string
}

// check reports every field that a mapping should not hold, or does not run, and returns the fields.
func (r *report) check(v value, s shape) {
	idle := map[string]kind{}
	names := strings.Fields(s.known)
	for _, name := range strings.Fields(s.idle) {
		bare := strings.TrimRight(name, "{}[]")
		idle[bare] = map[string]kind{"{}": mapping, "[]": list}[name[len(bare):]]
		names = append(names, bare)
	}
	known := map[string]bool{}
	for _, name := range strings.Fields(s.known) {
		known[name] = true
	}
	for _, f := range r.fields(v) {
		want, isIdle := idle[f.key]
		switch {
		case known[f.key]:
		case !isIdle:
			r.unknown(f, names)
		case want != absent && f.given() && f.kind != want:
			r.wrong(f.value, "a "+string(want))
		default:
			r.idle(f.value)
		}
	}
	r.missing(v, s.pedantic)
}

func (r *report) unknown(f field, names []string) {
	if fix := didYouMean(f.key, names); f.doc.strict {
		r.fault(f.value, fix, "unknown field")
	} else {
		r.warn(f.value, fix, "unknown field, ignored")
	}
}

// missing warns of fields that only the other runtime needs.
func (r *report) missing(v value, names string) {
	for _, name := range strings.Fields(names) {
		if !v.doc.strict && v.kind == mapping && v.get(name).kind == absent {
			r.warn(v.get(name), "", "missing: the schema of swarmkit/v1 requires it")
		}
	}
}
