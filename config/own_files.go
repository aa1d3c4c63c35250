package config

import (
	"cmp"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	gov "github.com/mcp-supervisor/supervisor/governance/spec"
	mcpspec "github.com/mcp-supervisor/supervisor/mcp/spec"
)

// harmless variables say where programs and their settings are, not what a server works on; HOME and PATH it has anyway.
var harmless = []string{"HOME", "PATH", "PWD", "NODE_PATH", "PYTHONPATH"}

// warnOfOwnFiles warns of a server that may write and is pointed at what decides about it: an agent could edit the
// workspace's files, its policies or its state through it. The working directory alone is no sign of that, as the
// workspace is its default.
func (l *loader) warnOfOwnFiles(v value, s Server) {
	if s.Transport != mcpspec.Stdio || s.Disabled || onlyReads(s.Rules) {
		return
	}
	said := wordPlaces(v.get("command"), v.get("args"), len(s.Command))
	for i := 1; i < len(s.Command); i++ {
		l.warnOfOwnFile(said[i], s.Command[i], s)
	}
	for _, f := range v.get("env").fields {
		if !slices.Contains(harmless, f.key) {
			l.warnOfOwnFile(f.value, f.text, s)
		}
	}
}

// onlyReads reports whether no tool of the server can be one that writes.
func onlyReads(r gov.Server) bool {
	for _, tier := range r.Overrides {
		if tier != gov.Readonly {
			return false
		}
	}
	return r.Tier == gov.Readonly
}

// wordPlaces says where each of n words of a command was written.
func wordPlaces(command, args value, n int) []value {
	places := make([]value, 0, n)
	for i := range n - len(args.items) {
		if command.kind == list {
			places = append(places, command.items[i])
		} else {
			places = append(places, command)
		}
	}
	return append(places, args.items...)
}

func (l *loader) warnOfOwnFile(said value, word string, s Server) {
	for _, written := range pathsIn(word) {
		path := filepath.Clean(written)
		if !filepath.IsAbs(path) {
			path = filepath.Join(s.Cwd, path)
		}
		what := cmp.Or(reaches(l.root, l.ownFolders, path), reaches(resolved(l.root), l.ownFolders, resolved(path)))
		if what == "" {
			continue
		}
		shown := said.quote() // not what a variable stands for
		if said.raw == said.text {
			shown = strconv.Quote(written)
		}
		l.warn(said, "give it another folder, or declare `permission: readonly`",
			"server %q is given %s, which %s: agents could edit through it what decides about them", s.ID, shown, what)
		return
	}
}

// pathsIn returns what may be paths in an argument or a variable: all of it, what follows the = of a flag, and the
// entries of a list.
func pathsIn(word string) []string {
	_, flag, _ := strings.Cut(word, "=")
	var paths []string
	for _, w := range []string{word, flag} {
		for _, path := range append(filepath.SplitList(w), strings.Split(w, ",")...) {
			if path != "" {
				paths = append(paths, path)
			}
		}
	}
	return paths
}

// stateFolder holds what we write about agents and their calls.
const stateFolder = ".supervisor"

// reaches says what a server that is given the folder path can reach of the workspace at root, or of the folders in it
// that decide about agents, or "". Root and path are absolute.
func reaches(root string, ownFolders []string, path string) string {
	switch {
	case path == root:
		return "is the workspace"
	case within(path, root):
		return "holds the workspace"
	}
	for _, folder := range ownFolders {
		if within(filepath.Join(root, folder), path) {
			return "is in the workspace's " + folder + "/"
		}
	}
	return ""
}

// within reports whether path is folder or lies below it.
func within(folder, path string) bool {
	rel, err := filepath.Rel(folder, path)
	return err == nil && filepath.IsLocal(rel)
}

// resolved follows the links of a path; one that is not there leads nowhere else.
func resolved(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}
