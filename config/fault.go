package config

import (
	"fmt"
	"strconv"
	"strings"
)

// Fault is one thing that is wrong with a workspace's files: where, what, and what to do.
type Fault struct {
	// File is relative to the workspace's folder where it lies inside it.
	File string `json:"file"`
	Line int    `json:"line,omitempty"` // 1-based; 0 when the fault is about the whole file
	// Column is 1-based, in characters; 0 where only the line is known.
	Column int `json:"column,omitempty"`
	// Field is the path of the field, such as "mcp_servers[2].transport"; may be empty.
	Field string `json:"field,omitempty"`
	// Server is the id of the server that the field belongs to, where it has one.
	Server  string `json:"server,omitempty"`
	Message string `json:"message"`
	// Fix is a suggestion; may be empty.
	Fix string `json:"fix,omitempty"`
}

// String is one line: file:line:column: field (server): message (fix). The server is left out where the message names it.
func (f Fault) String() string {
	var b strings.Builder
	b.WriteString(f.File)
	if f.Line > 0 {
		fmt.Fprintf(&b, ":%d", f.Line)
	}
	if f.Line > 0 && f.Column > 0 {
		fmt.Fprintf(&b, ":%d", f.Column)
	}
	b.WriteString(": ")
	if f.Field != "" {
		b.WriteString(f.Field)
		if f.Server != "" && !strings.Contains(f.Message, strconv.Quote(f.Server)) {
			fmt.Fprintf(&b, " (server `%s`)", f.Server)
		}
		b.WriteString(": ")
	}
	b.WriteString(f.Message)
	if f.Fix != "" {
		b.WriteString(" (" + f.Fix + ")")
	}
	return b.String()
}

// Faults is the error Load returns: everything that is wrong, in the order of files and lines.
type Faults []Fault

func (fs Faults) Error() string {
	lines := make([]string, len(fs))
	for i, f := range fs {
		lines[i] = f.String()
	}
	return strings.Join(lines, "\n")
}

// Error makes a single fault an error, for what is refused after loading.
func (f Fault) Error() string { return f.String() }
