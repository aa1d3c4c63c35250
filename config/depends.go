package config

import (
	"slices"
	"strings"
)

// checkDependencies reports depends_on entries that name nothing, or go round in a circle, in which no server could
// start.
func (l *loader) checkDependencies(items []value) {
	at := map[string]value{}
	after := map[string][]string{}
	for _, item := range items {
		id := l.idOf(item)
		list := item.get("depends_on")
		for _, entry := range list.items {
			l.checkDependency(entry, id)
			after[id] = append(after[id], entry.text)
		}
		at[id] = list
	}
	for _, s := range l.ws.Servers {
		for _, circle := range circlesFrom(s.ID, after) {
			l.fault(at[circle[0]], "", "a circle: %s", strings.Join(circle, " -> "))
		}
	}
}

func (l *loader) idOf(item value) string {
	if id := item.get("id"); id.given() {
		return id.text
	}
	return item.get("name").text
}

func (l *loader) checkDependency(entry value, id string) {
	if entry.kind != text || len(entry.problems) > 0 {
		return // reported already
	}
	server, known := l.ws.Server(entry.text)
	switch {
	case entry.text == id:
		l.fault(entry, "remove it", "server %q depends on itself", id)
	case !known:
		l.fault(entry, didYouMean(entry.raw, l.serverIDs()), "server %s is not declared", entry.quote())
	case server.Disabled:
		l.warn(entry, "", "server %q is disabled: nobody waits for it", server.ID)
	}
}

// circlesFrom returns the circles that can be reached from id, and takes all edges it walked out of after, so that each
// circle is found once, however many servers one starts from.
func circlesFrom(id string, after map[string][]string) [][]string {
	var found [][]string
	var way []string
	var walk func(string)
	walk = func(at string) {
		edges := after[at]
		delete(after, at)
		way = append(way, at)
		for _, next := range edges {
			if i := slices.Index(way, next); i >= 0 && next != at {
				found = append(found, append(slices.Clone(way[i:]), next))
			} else if next != at {
				walk(next)
			}
		}
		way = way[:len(way)-1]
	}
	walk(id)
	return found
}
