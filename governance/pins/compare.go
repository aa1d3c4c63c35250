package pins

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Diff is how a server's tools differ from those that were approved. Each list is sorted by tool.
type Diff struct {
	New, Changed, Gone []Change
}

// Empty reports that the tools are exactly those that were approved.
func (d Diff) Empty() bool { return len(d.New)+len(d.Changed)+len(d.Gone) == 0 }

// Change is one tool that is not as it was approved.
type Change struct {
	Tool string
	// Old is the approved pin, nil for a new tool; New the present one, nil for a tool that is gone.
	Old, New *Pin
	// What names the parts that differ: description, input schema, annotations. It is empty for a new tool, for one
	// that is gone, and when the lock cannot tell.
	What []string
}

// String is one line for a person, such as: tool "read" changed: description, input schema.
func (c Change) String() string {
	switch {
	case c.Old == nil:
		return fmt.Sprintf("tool %q is new", c.Tool)
	case c.New == nil:
		return fmt.Sprintf("tool %q is gone", c.Tool)
	case len(c.What) == 0:
		return fmt.Sprintf("tool %q changed", c.Tool)
	}
	return fmt.Sprintf("tool %q changed: %s", c.Tool, strings.Join(c.What, ", "))
}

// Compare says how a server's tools differ from those that were approved. A server that was never pinned has only new
// tools. Of two tools with one name the first counts.
func (l *Lock) Compare(server string, tools []Seen) Diff {
	pins := l.servers[server]
	var d Diff
	seen := map[string]bool{}
	for _, t := range tools {
		if seen[t.Name] {
			continue
		}
		seen[t.Name] = true
		old, pinned := pins[t.Name]
		if pinned && old.Hash == t.Hash {
			continue
		}
		now := PinOf(t)
		if pinned {
			d.Changed = append(d.Changed, Change{t.Name, &old, &now, changed(old, now)})
		} else {
			d.New = append(d.New, Change{Tool: t.Name, New: &now})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(pins)) {
		if old := pins[name]; !seen[name] {
			d.Gone = append(d.Gone, Change{Tool: name, Old: &old})
		}
	}
	byTool := func(a, b Change) int { return strings.Compare(a.Tool, b.Tool) }
	slices.SortFunc(d.New, byTool)
	slices.SortFunc(d.Changed, byTool)
	return d
}

func changed(old, now Pin) []string {
	var what []string
	for _, part := range []struct{ name, old, now string }{
		{"description", old.DescriptionDigest, now.DescriptionDigest},
		{"input schema", old.SchemaDigest, now.SchemaDigest},
		{"annotations", old.AnnotationsDigest, now.AnnotationsDigest},
	} {
		if part.old != part.now {
			what = append(what, part.name)
		}
	}
	return what
}
