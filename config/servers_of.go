package config

import (
	"fmt"
	"maps"
	"slices"

	"github.com/mcp-supervisor/supervisor/supervision"
)

// WithServersOf returns w with the servers of next: which there are, how they are reached and supervised, their groups
// and MaxStarts. The gate stays w's, so that an edit of a file which nobody approved widens nobody's rights:
// Compare(w, the result).Gate is empty, and Compare(w, next).Gate names what waits.
//
//   - A server that both know keeps its rules, prefix, retry and credentials. Where next gives it other credentials, it
//     also stays reached as before: the old secret is not for the new command or endpoint.
//   - A server that is gone is remembered. When it comes back, it comes back with the gate it had.
//   - A server that w never knew is left out while a grant of w's agents reaches it already (of all servers, or of its
//     name), or while it is given a credential that w does not have just so. Nobody waits for what is left out.
//
// It does not make an edit safe: a new command of a server that agents may call is run, with the credentials that the
// server had. Digest is next's once nothing waits, and w's until then.
//
// It is pure, and safe for concurrent use. The result can be reloaded as w can.
func (w *Workspace) WithServersOf(next *Workspace) *Workspace {
	mixed := *w
	mixed.Servers, mixed.gone = nil, map[string]Server{}
	for _, s := range next.Servers {
		if was, known := w.knew(s.ID); known {
			mixed.Servers = append(mixed.Servers, withGateOf(was, s))
		} else if w.holdsBack(next, s) == "" {
			mixed.Servers = append(mixed.Servers, s)
		}
	}
	maps.Copy(mixed.gone, w.gone)
	for _, s := range w.Servers {
		mixed.gone[s.ID] = s
	}
	mixed.leaveOut(next.Groups)
	mixed.MaxStarts, mixed.Files, mixed.Warnings = next.MaxStarts, next.Files, next.Warnings
	if len(gateChanges(w, next)) == 0 {
		mixed.Digest = next.Digest
	}
	return &mixed
}

// withGateOf is s as far as the gate of was goes.
func withGateOf(was, s Server) Server {
	if s.CredentialsRef != was.CredentialsRef || !slices.Equal(credentialsOf(s), credentialsOf(was)) {
		s.Server, s.CredentialsRef = was.Server, was.CredentialsRef
	}
	s.Rules, s.Prefix, s.Retry = was.Rules, was.Prefix, was.Retry
	return s
}

// leaveOut sets the groups and drops from them, and from depends_on, all servers that are not there.
func (w *Workspace) leaveOut(groups []supervision.Group) {
	missing := func(id string) bool { _, known := w.Server(id); return !known }
	for i := range w.Servers {
		s := &w.Servers[i]
		s.DependsOn = slices.DeleteFunc(slices.Clone(s.DependsOn), missing)
	}
	w.Groups = nil
	for _, g := range groups {
		if g.Members = slices.DeleteFunc(slices.Clone(g.Members), missing); len(g.Members) > 0 {
			w.Groups = append(w.Groups, g)
		}
	}
}

// knew returns the server of that id, declared or gone.
func (w *Workspace) knew(id string) (Server, bool) {
	if s, known := w.Server(id); known {
		return s, true
	}
	s, known := w.gone[id]
	return s, known
}

// holdsBack says why a server that w never knew has to wait for somebody who approves it, or "".
func (w *Workspace) holdsBack(next *Workspace, s Server) string {
	for _, a := range w.Agents() {
		for _, g := range a.Grants {
			if g.Server == "*" || g.Server == s.ID {
				return fmt.Sprintf("agent `%s/%s` holds `%s`", a.Topology, a.ID, g.Via)
			}
		}
	}
	for _, name := range credentialsOf(s) {
		if c, known := w.Credentials[name]; !known || !same(c, next.Credentials[name]) {
			return fmt.Sprintf("credential `%s` is new or changed", name)
		}
	}
	return ""
}
