package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// report collects faults and warnings, so that a user sees all of them at once.
type report struct {
	faults, warnings []Fault
	serverAt         map[string]string // ids of servers by the path of their entry, in the main file
}

func (r *report) fault(v value, fix, format string, args ...any) {
	r.faults = append(r.faults, at(v, fix, format, args...))
}

func (r *report) warn(v value, fix, format string, args ...any) {
	r.warnings = append(r.warnings, at(v, fix, format, args...))
}

// strictly is a fault in a file of our own version, and a warning in one that was written for somebody else.
func (r *report) strictly(v value, fix, format string, args ...any) {
	if v.doc.strict {
		r.fault(v, fix, format, args...)
	} else {
		r.warn(v, fix, format, args...)
	}
}

// idle warns of something that loads and has no effect.
func (r *report) idle(v value) { r.warn(v, "", "declared, not run") }

func at(v value, fix, format string, args ...any) Fault {
	return Fault{File: v.doc.file, Line: v.line, Field: v.path, Message: fmt.Sprintf(format, args...), Fix: fix}
}

// named tells of each fault which server it is about: nobody counts entries of a list. Server's faults come before its id
// is read, so that this is done last.
func (r *report) named(main string, faults []Fault) []Fault {
	for i, f := range faults {
		if entry, _, ok := strings.Cut(f.Field, "]"); ok && f.File == main {
			faults[i].Server = r.serverAt[entry+"]"]
		}
	}
	return faults
}

// sorted puts faults in the order of files and lines. What an archetype says is read again for each agent that uses
// it, so equal faults are reported once.
func sorted(faults []Fault) []Fault {
	slices.SortStableFunc(faults, func(a, b Fault) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line),
			cmp.Compare(a.Field, b.Field), cmp.Compare(a.Message, b.Message))
	})
	return slices.Compact(faults)
}
