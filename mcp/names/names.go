// Package names gives tools the names that language models see.
//
// Model providers take ^[a-zA-Z0-9_-]{1,64}$ and refuse a whole request for one name that is not; MCP servers use dots,
// slashes, spaces and more. A [Names] is a table between the two: it is looked up, never computed back, so that no
// other spelling of a tool finds it. It is pure and immutable.
package names

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
)

// MaxLen is the longest exported name, in bytes; it is the limit of the large model providers.
const MaxLen = 64

// Entry is one tool to name.
type Entry struct {
	Server string
	// Prefix is put before the tool's name; may be empty.
	Prefix string
	// Tool is the tool's original name.
	Tool string
}

// target is what an exported name stands for.
type target struct{ server, tool string }

// Names maps exported names to tools and back.
type Names struct {
	// Warnings name entries that were left out, and why.
	Warnings []string

	tools    map[string]target
	exported map[target]string
}

// Table names every entry. A name depends on the entry and on those it collides with, never on the order of entries, so
// that it is the same after a restart:
//
//   - it is prefix and tool; where several servers without a prefix have the tool, server, "_" and tool;
//   - a character that models refuse becomes "_";
//   - a name that was changed by that, is too long, or is wanted by several entries gets a hash of server and tool at
//     its end, and is cut to fit.
//
// Entries without a tool name are left out with a warning. Of entries with one server and tool one is kept.
func Table(entries []Entry) *Names {
	n := &Names{tools: map[string]target{}, exported: map[target]string{}}
	entries = n.usable(entries)
	wanted := wants(entries)
	for i, name := range settle(entries, wanted) {
		t := target{entries[i].Server, entries[i].Tool}
		n.tools[name], n.exported[t] = t, name
	}
	return n
}

// Lookup returns the tool behind an exported name. Names match exactly.
func (n *Names) Lookup(exported string) (server, tool string, ok bool) {
	t, ok := n.tools[exported]
	return t.server, t.tool, ok
}

// Exported returns a tool's name for models, or "" when the table does not have the tool.
func (n *Names) Exported(server, tool string) string { return n.exported[target{server, tool}] }

// Len is the number of exported names.
func (n *Names) Len() int { return len(n.tools) }

// usable returns the entries that can be named, in an order of their own and each server and tool once.
func (n *Names) usable(entries []Entry) []Entry {
	sorted := slices.SortedFunc(slices.Values(entries), func(a, b Entry) int {
		return cmp.Or(cmp.Compare(a.Server, b.Server), cmp.Compare(a.Tool, b.Tool), cmp.Compare(a.Prefix, b.Prefix))
	})
	sorted = slices.CompactFunc(sorted, func(a, b Entry) bool { return a.Server == b.Server && a.Tool == b.Tool })
	return slices.DeleteFunc(sorted, func(e Entry) bool {
		if e.Tool == "" {
			n.Warnings = append(n.Warnings, fmt.Sprintf("server %q has a tool without a name; it is left out", e.Server))
		}
		return e.Tool == ""
	})
}

// wants returns the names the entries would have if models took anything.
func wants(entries []Entry) []string {
	servers := map[string]int{} // by bare tool name
	for _, e := range entries {
		if e.Prefix == "" {
			servers[e.Tool]++
		}
	}
	wanted := make([]string, len(entries))
	for i, e := range entries {
		wanted[i] = e.Prefix + e.Tool
		if e.Prefix == "" && servers[e.Tool] > 1 {
			wanted[i] = e.Server + "_" + e.Tool
		}
	}
	return wanted
}

// hashLengths are tried in turn while names still collide: somebody may call a tool by the hashed name of another.
var hashLengths = []int{0, 8, 16, 32, 60}

// settle makes wanted names legal and unique. An entry whose name is not legal starts with a hash; of entries with one
// name all get a longer one. Only a broken SHA-256 could leave two alike.
func settle(entries []Entry, wanted []string) []string {
	level := make([]int, len(entries))
	names := make([]string, len(entries))
	for i := range entries {
		if sanitise(wanted[i]) != wanted[i] || len(wanted[i]) > MaxLen {
			level[i] = 1
		}
	}
	for collides := true; collides; {
		owners := map[string][]int{}
		for i, e := range entries {
			names[i] = hashed(wanted[i], e, hashLengths[level[i]])
			owners[names[i]] = append(owners[names[i]], i)
		}
		collides = false
		for _, owner := range owners {
			if len(owner) > 1 {
				collides = raise(level, owner) || collides
			}
		}
	}
	return names
}

// raise gives each of the entries a longer hash and reports whether it could.
func raise(level, owners []int) bool {
	raised := false
	for _, i := range owners {
		if level[i] < len(hashLengths)-1 {
			level[i]++
			raised = true
		}
	}
	return raised
}

// hashed is a wanted name made legal, with so many digits of hash at its end.
func hashed(wanted string, e Entry, digits int) string {
	name := sanitise(wanted)
	if digits == 0 {
		return name
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%q/%q", e.Server, e.Tool))
	suffix := "_" + hex.EncodeToString(sum[:])[:digits]
	return name[:min(len(name), MaxLen-len(suffix))] + suffix
}

// sanitise replaces each character that models refuse by "_".
func sanitise(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', r == '_', r == '-':
			return r
		}
		return '_'
	}, name)
}
