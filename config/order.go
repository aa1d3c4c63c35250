package config

import (
	"fmt"
	"slices"
	"strings"
)

// order says which servers each server is started after.
type order map[string][]wait

// wait is one server that another is started after, and who said so: the other's depends_on, or a group's members.
type wait struct {
	on    string
	group string // the group's name; "" for depends_on
	said  value
}

func (o order) add(id string, w wait) { o[id] = append(o[id], w) }

// link is one wait of a circle, with the server that waits.
type link struct {
	id string
	wait
}

func (k link) String() string {
	if k.group == "" {
		return fmt.Sprintf("%q depends on %q, line %d", k.id, k.on, k.said.line)
	}
	return fmt.Sprintf("%q comes after %q in group %q, line %d", k.id, k.on, k.group, k.said.line)
}

// checkOrder reports circles, in which no server could start.
func (l *loader) checkOrder() {
	for _, s := range l.ws.Servers {
		for _, circle := range l.order.circlesFrom(s.ID) {
			l.circle(circle)
		}
	}
}

// circle is a fault where the first group of the circle is declared, or else its first depends_on. One that depends_on
// makes alone needs no further words.
func (l *loader) circle(links []link) {
	way, sources := []string{links[0].id}, make([]string, len(links))
	for i, k := range links {
		way, sources[i] = append(way, k.on), k.String()
	}
	names := strings.Join(way, " -> ")
	i := slices.IndexFunc(links, func(k link) bool { return k.group != "" })
	if i < 0 {
		l.fault(links[0].said, "", "a circle: %s", names)
		return
	}
	l.fault(links[i].said, "change the order of the members, or drop the dependency", "a circle: %s: %s",
		names, strings.Join(sources, "; "))
}

// circlesFrom returns the circles that can be reached from id, and takes all waits it walked along out of o, so that
// each circle is found once, however many servers one starts from.
func (o order) circlesFrom(id string) [][]link {
	var found [][]link
	var walk func(string, []link)
	walk = func(at string, way []link) {
		waits := o[at]
		delete(o, at)
		for _, w := range waits {
			further := append(slices.Clip(way), link{at, w})
			i := slices.IndexFunc(further, func(k link) bool { return k.id == w.on })
			switch {
			case w.on == at: // reported already
			case i >= 0:
				found = append(found, further[i:])
			default:
				walk(w.on, further)
			}
		}
	}
	walk(id, nil)
	return found
}
