package config

import "github.com/mcp-supervisor/supervisor/supervision"

var (
	supervisionShape = shape{known: "max_starts groups"}
	groupShape       = shape{known: "group strategy members max_restarts within"}
)

// supervision reads how servers are supervised together, and checks the order in which they start.
func (l *loader) supervision(v value) {
	for _, item := range l.list(l.groupsOf(v)) {
		l.group(item)
	}
	l.checkOrder()
}

// groupsOf finds the list of groups: it is all there is, or one field of a mapping.
func (l *loader) groupsOf(v value) value {
	if v.kind == mapping {
		l.check(v, supervisionShape)
		l.ws.MaxStarts = l.int(v.get("max_starts"), 0, 0)
		return v.get("groups")
	}
	if v.given() && v.kind != list {
		l.wrong(v, "a list of groups, or a mapping with max_starts and groups")
		return value{}
	}
	return v
}

// group reads one group. One whose members are all disabled has nothing to do and is left out.
func (l *loader) group(v value) {
	l.check(v, groupShape)
	if v.kind != mapping {
		if !v.given() {
			l.wrong(v, "a mapping")
		}
		return
	}
	d := supervision.DefaultRestart()
	g := supervision.Group{
		Name:        l.id(v.get("group"), "group"),
		Strategy:    oneOf(&l.report, v.get("strategy"), supervision.OneForOne, supervision.OneForOne, supervision.OneForAll, supervision.RestForOne),
		MaxRestarts: l.int(v.get("max_restarts"), d.MaxRestarts, 0),
		Within:      l.duration(v.get("within"), d.Within, 1),
	}
	if g.Name != "" {
		l.claim(v.get("group"), "group", g.Name)
	}
	if g.Members = l.members(v.get("members")); len(g.Members) > 0 {
		l.ws.Groups = append(l.ws.Groups, g)
		l.startsInOrder(g, v.get("members"))
	}
}

// members reads the ids of a group's servers, without those that are disabled.
func (l *loader) members(v value) []string {
	if len(l.list(v)) == 0 && (!v.given() || v.kind == list) {
		l.fault(v, "write `members: [<server id>, ...]`", "missing: a group needs at least one server")
	}
	var ids []string
	for _, entry := range v.items {
		if l.member(entry) {
			ids = append(ids, entry.text)
		}
	}
	return ids
}

// member reports whether an entry names an enabled server that no group has yet.
func (l *loader) member(entry value) bool {
	id := l.str(entry)
	if entry.kind != text || len(entry.problems) > 0 {
		if !entry.given() {
			l.wrong(entry, "the id of a server")
		}
		return false
	}
	server, known := l.ws.Server(id)
	first, taken := l.claims["member "+id]
	switch {
	case !known:
		l.fault(entry, orElse(didYouMean(entry.raw, l.serverIDs()), "add it under mcp_servers in "+l.main),
			"server %s is not declared", entry.quote())
	case taken:
		l.fault(entry, "remove it from one of them", "server %q is a member twice, first in %s on line %d",
			id, first.path, first.line)
	case server.Disabled:
		l.warn(entry, "", "server %q is disabled: left out of the group", id)
	default:
		l.claims["member "+id] = entry
		return true
	}
	return false
}

// startsInOrder notes the order that a group implies: where a member is restarted for another's sake, it is started
// after those before it.
func (l *loader) startsInOrder(g supervision.Group, said value) {
	if g.Strategy == supervision.OneForOne {
		return
	}
	for i := 1; i < len(g.Members); i++ {
		l.order.add(g.Members[i], wait{on: g.Members[i-1], group: g.Name, said: said})
	}
}
