package supervision

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Check returns everything that makes the specs impossible to supervise, joined into one error, or nil: ids and groups
// that are declared twice, members that are not declared or are in two groups, strategies that do not exist, and
// children that wait for each other. Of circles it names one, with the reason of each step.
func (s Specs) Check() error {
	var faults []error
	fault := func(format string, args ...any) { faults = append(faults, fmt.Errorf(format, args...)) }
	s.checkNames(fault)
	s.checkMembers(fault)
	o := newOrder(s)
	if _, circle := o.sort(); circle != nil {
		fault("children wait for each other: %s (take one of these away)", o.explain(circle))
	}
	return errors.Join(faults...)
}

func (s Specs) checkNames(fault func(string, ...any)) {
	ids, names := map[string]bool{}, map[string]bool{}
	for _, child := range s.Children {
		if ids[child.ID] {
			fault("child %q is declared twice", child.ID)
		}
		ids[child.ID] = true
	}
	for _, group := range s.Groups {
		if names[group.Name] {
			fault("group %q is declared twice", group.Name)
		}
		names[group.Name] = true
		if !slices.Contains([]Strategy{OneForOne, OneForAll, RestForOne}, group.Strategy) {
			fault("group %q: unknown strategy %q (%s, %s or %s)", group.Name, group.Strategy, OneForOne, OneForAll, RestForOne)
		}
	}
}

func (s Specs) checkMembers(fault func(string, ...any)) {
	o, home := newOrder(s), map[string]string{}
	for _, group := range s.Groups {
		for _, member := range group.Members {
			other, taken := home[member]
			switch {
			case !o.declared(member):
				fault("group %q: member %q is not declared", group.Name, member)
			case taken && other == group.Name:
				fault("group %q: member %q is listed twice", group.Name, member)
			case taken:
				fault("child %q is a member of the groups %q and %q (one at most)", member, other, group.Name)
			}
			home[member] = group.Name
		}
	}
}

// explain says in words why each child of the circle waits for the next one.
func (o order) explain(circle []string) string {
	steps := make([]string, 0, len(circle))
	for i, id := range circle[:len(circle)-1] {
		next := circle[i+1]
		if slices.Contains(o.spec(id).DependsOn, next) {
			steps = append(steps, fmt.Sprintf("%q depends on %q", id, next))
			continue
		}
		group, _ := o.groupOf(id)
		steps = append(steps, fmt.Sprintf("%q comes after %q in group %q", id, next, group.Name))
	}
	return strings.Join(steps, ", ")
}
