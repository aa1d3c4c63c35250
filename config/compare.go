package config

import (
	"maps"
	"reflect"
	"slices"

	gov "github.com/mcp-supervisor/supervisor/governance/spec"
	mcpspec "github.com/mcp-supervisor/supervisor/mcp/spec"
	"github.com/mcp-supervisor/supervisor/supervision"
)

// Changes is what differs between two workspaces, as far as it matters to a supervisor that runs. Servers are named by
// id, in the order of the newer workspace and Removed in that of the older. Each server that is enabled in one of the two
// is in exactly one of the first five lists.
type Changes struct {
	// Added servers are to be started: they are new, or were disabled.
	Added []string
	// Removed servers are to be stopped: they are gone, or disabled now.
	Removed []string
	// Changed servers have to be replaced: their process or connection is another one.
	Changed []string
	// Tuned servers go on running: only how they are supervised changed.
	Tuned []string
	// Unchanged servers go on running as they are.
	Unchanged []string
	// Supervision names what changed of how servers are supervised together: "max_starts", "group `data`".
	Supervision []string
	// Gate names every difference in what the gate decides by, in words for people: "server `db`: tools",
	// "agent `swarm/root`: base_scope".
	Gate []string
}

// Compare says what it takes to go from one workspace to another. It is pure, and equal workspaces give equal lists.
//
// It compares values as they were loaded, placeholders filled in. It resolves no credential and reads no file, so that it
// does not see another secret behind the same name, or a renewed certificate.
func Compare(old, next *Workspace) Changes {
	var c Changes
	for _, s := range next.Servers {
		was, known := old.Server(s.ID)
		switch {
		case s.Disabled: // removed, if it ran: see below
		case !known || was.Disabled:
			c.Added = append(c.Added, s.ID)
		case !same(process(old, was), process(next, s)):
			c.Changed = append(c.Changed, s.ID)
		case !same(tuning(old, was), tuning(next, s)):
			c.Tuned = append(c.Tuned, s.ID)
		default:
			c.Unchanged = append(c.Unchanged, s.ID)
		}
	}
	for _, was := range old.Servers {
		if s, known := next.Server(was.ID); !was.Disabled && (!known || s.Disabled) {
			c.Removed = append(c.Removed, was.ID)
		}
	}
	c.Supervision = supervisionChanges(old, next)
	c.Gate = gateChanges(old, next)
	return c
}

func supervisionChanges(old, next *Workspace) []string {
	var names []string
	if old.MaxStarts != next.MaxStarts {
		names = append(names, "max_starts")
	}
	return append(names, eachByName("group", groupsByName(old), groupsByName(next), func(name string, was, is supervision.Group) []string {
		if same(was, is) {
			return nil
		}
		return []string{"group `" + name + "`"}
	})...)
}

func groupsByName(w *Workspace) map[string]supervision.Group {
	groups := map[string]supervision.Group{}
	for _, g := range w.Groups {
		groups[g.Name] = g
	}
	return groups
}

// process is what a server's process or connection is made from: it cannot be changed while it runs.
func process(w *Workspace, s Server) []any {
	parts := []any{s.Server, s.CredentialsRef}
	for _, name := range credentialsOf(s) {
		parts = append(parts, w.Credentials[name])
	}
	return parts
}

// tuning is what can be changed while a server runs: all that is declared of it but its process and its gate.
func tuning(w *Workspace, s Server) []any {
	id := s.ID
	s.Server, s.CredentialsRef = mcpspec.Server{}, ""
	s.Rules, s.Prefix = gov.Server{}, ""
	return []any{s, groupOf(w, id)}
}

func groupOf(w *Workspace, id string) supervision.Group {
	for _, g := range w.Groups {
		if slices.Contains(g.Members, id) {
			return g
		}
	}
	return supervision.Group{}
}

// credentialsOf are the names of the credentials that a server is given, sorted.
func credentialsOf(s Server) []string {
	names := map[string]bool{}
	if s.CredentialsRef != "" {
		names[s.CredentialsRef] = true
	}
	for _, block := range []map[string]string{s.Env, s.Headers} {
		for _, text := range block {
			for _, m := range credentialTemplate.FindAllStringSubmatch(text, -1) {
				names[m[1]] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(names))
}

func same(a, b any) bool { return reflect.DeepEqual(a, b) }
