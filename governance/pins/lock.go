package pins

import (
	"maps"
	"slices"
	"strings"

	"github.com/mcp-supervisor/supervisor/governance/exact"
)

// FileName is the lock's name beside workspace.yaml.
const FileName = "tools.lock"

// Lock is the set of approved tools. The zero value has approved none.
type Lock struct {
	servers map[string]map[string]Pin
	extra   []exact.Member // what a newer version wrote, sorted by name
}

// Servers returns the ids of the servers that were ever pinned, sorted; one may have no tools.
func (l *Lock) Servers() []string { return slices.Sorted(maps.Keys(l.servers)) }

// Has reports whether a server was ever pinned. The tools of one that never was are new, and so are those of a server
// that had none.
func (l *Lock) Has(server string) bool {
	_, ok := l.servers[server]
	return ok
}

// Tools returns the names of a server's approved tools, sorted.
func (l *Lock) Tools(server string) []string { return slices.Sorted(maps.Keys(l.servers[server])) }

// Find returns the pin of one tool.
func (l *Lock) Find(server, tool string) (Pin, bool) {
	p, ok := l.servers[server][tool]
	return p, ok
}

// With returns a lock in which these tools of a server are approved as they are now, and the server is known even when
// there are none. Other tools stay as they were, those that are gone too: see [Lock.Without]. Of two tools with one name
// the first counts.
func (l *Lock) With(server string, tools ...Seen) *Lock {
	pins := maps.Clone(l.servers[server])
	if pins == nil {
		pins = map[string]Pin{}
	}
	for _, t := range slices.Backward(tools) {
		if old, ok := pins[t.Name]; ok && old.Hash == t.Hash {
			continue // approved already; what others wrote beside it stays
		}
		pins[strings.ToValidUTF8(t.Name, "\uFFFD")] = PinOf(t)
	}
	return l.replace(server, pins)
}

// Without returns a lock that has forgotten these tools of a server; without any, the whole server.
func (l *Lock) Without(server string, tools ...string) *Lock {
	if len(tools) == 0 || !l.Has(server) {
		return l.replace(server, nil)
	}
	pins := maps.Clone(l.servers[server])
	for _, name := range tools {
		delete(pins, name)
	}
	return l.replace(server, pins)
}

// replace returns a lock with other pins for one server; nil removes it.
func (l *Lock) replace(server string, pins map[string]Pin) *Lock {
	servers := maps.Clone(l.servers)
	if servers == nil {
		servers = map[string]map[string]Pin{}
	}
	delete(servers, server)
	if pins != nil {
		servers[strings.ToValidUTF8(server, "\uFFFD")] = pins
	}
	return &Lock{servers: servers, extra: l.extra}
}
