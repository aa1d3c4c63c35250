package script

import (
	"fmt"
	"strings"

	"github.com/mcp-supervisor/supervisor/internal/nearest"
)

// Fault is one thing that is wrong with a script.
type Fault struct {
	// Field is the path below the model's options, such as "turns[1].calls[0].tool".
	Field   string
	Message string
	// Fix is a suggestion; may be empty.
	Fix string
}

// String is one line: field: message (fix).
func (f Fault) String() string {
	line := f.Field + ": " + f.Message
	if f.Fix != "" {
		line += " (" + f.Fix + ")"
	}
	return line
}

// Faults is the error of [New]: everything that is wrong, in the script's order.
type Faults []Fault

func (fs Faults) Error() string {
	lines := make([]string, len(fs))
	for i, f := range fs {
		lines[i] = f.String()
	}
	return strings.Join(lines, "\n")
}

func (fs *Faults) add(field, fix, format string, args ...any) {
	*fs = append(*fs, Fault{Field: field, Message: fmt.Sprintf(format, args...), Fix: fix})
}

// didYouMean suggests the nearest of the known keys, or lists them all when none is near.
func didYouMean(key string, known []string) string {
	if question := nearest.DidYouMean(key, known); question != "" {
		return question
	}
	return "known here: " + strings.Join(known, ", ")
}
