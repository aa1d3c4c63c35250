package policy

import "slices"

// Redacts are the paths that any permit with the tool in its scope would redact, whoever calls and whatever its conditions
// say. They are for calls that were refused, before the policies decided or by them: no permit speaks for such a call, and
// its arguments are as secret as those of one that is let through.
func (s *Set) Redacts(server, tool string) []string {
	e := newEntities(Request{Server: server, Tool: tool})
	var paths []string
	for _, r := range s.rules {
		if len(r.redact) > 0 && r.facts.resource.covers(e.tool, e.server) {
			paths = append(paths, r.redact...)
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}
