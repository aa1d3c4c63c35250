package policy

import (
	"fmt"
	"strings"
)

// Fault is one thing that is wrong with a policy: where, what, and what to do.
type Fault struct {
	// File is the name the file was loaded by.
	File string `json:"file"`
	// Line and Column are 1-based, the column in characters; 0 when the fault is about the whole file.
	Line   int `json:"line,omitempty"`
	Column int `json:"column,omitempty"`
	// Rule is the policy's name; empty where it has none yet.
	Rule    string `json:"rule,omitempty"`
	Message string `json:"message"`
	// Fix is a suggestion; may be empty.
	Fix string `json:"fix,omitempty"`
}

// Problem is what [Set.Check] finds: a fault of a policy that loads, and does not mean what it should.
type Problem = Fault

// String is one line: file:line:column: message (fix).
func (f Fault) String() string {
	var b strings.Builder
	b.WriteString(f.File)
	if f.Line > 0 {
		fmt.Fprintf(&b, ":%d:%d", f.Line, f.Column)
	}
	b.WriteString(": " + f.Message)
	if f.Fix != "" {
		b.WriteString(" (" + f.Fix + ")")
	}
	return b.String()
}

// Faults is the error of [Load]: everything that is wrong, in the order of files and lines.
type Faults []Fault

func (fs Faults) Error() string {
	lines := make([]string, len(fs))
	for i, f := range fs {
		lines[i] = f.String()
	}
	return strings.Join(lines, "\n")
}
