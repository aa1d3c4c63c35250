package supervision

import "slices"

// order answers who comes before whom: by DependsOn, and by the groups that keep their members in order.
type order struct {
	specs Specs
	at    map[string]int // a child's place in the declaration
	group map[string]int // the place of a member's group
}

func newOrder(s Specs) order {
	o := order{specs: s, at: make(map[string]int, len(s.Children)), group: make(map[string]int, len(s.Children))}
	for i, child := range s.Children {
		o.at[child.ID] = i
	}
	for i, group := range s.Groups {
		for _, member := range group.Members {
			o.group[member] = i
		}
	}
	return o
}

func (o order) declared(id string) bool {
	_, ok := o.at[id]
	return ok
}

// spec returns the child's spec, the zero one where it is not declared.
func (o order) spec(id string) Spec {
	if i, ok := o.at[id]; ok {
		return o.specs.Children[i]
	}
	return Spec{}
}

// groupOf returns the child's group, whatever its strategy.
func (o order) groupOf(id string) (Group, bool) {
	if i, ok := o.group[id]; ok {
		return o.specs.Groups[i], true
	}
	return Group{}, false
}

// team returns the declared members of the child's group, if the group shares their fate.
func (o order) team(id string) (Group, []string) {
	group, ok := o.groupOf(id)
	if !ok || group.Strategy != OneForAll && group.Strategy != RestForOne {
		return Group{}, nil
	}
	members := make([]string, 0, len(group.Members))
	for _, member := range group.Members {
		if o.declared(member) {
			members = append(members, member)
		}
	}
	return group, members
}

// scope returns who goes down and comes back with a member that failed.
func (o order) scope(id string) []string {
	group, members := o.team(id)
	at := slices.Index(members, id)
	switch {
	case at < 0:
		return nil
	case group.Strategy == RestForOne:
		return members[at+1:]
	default:
		return slices.Delete(members, at, at+1)
	}
}

// before returns the child's prerequisites: what it depends on, and the member before it.
func (o order) before(id string) []string {
	var ids []string
	for _, other := range o.spec(id).DependsOn {
		if o.declared(other) {
			ids = append(ids, other)
		}
	}
	_, members := o.team(id)
	if at := slices.Index(members, id); at > 0 {
		ids = append(ids, members[at-1])
	}
	return ids
}

// needs returns what has to run with the child: its prerequisites, and the whole of a one_for_all group.
func (o order) needs(id string) []string {
	ids := o.before(id)
	if group, members := o.team(id); group.Strategy == OneForAll {
		ids = append(ids, members...)
	}
	return ids
}

// reach returns what next leads to from the child, directly or not, the nearest first and without the child itself.
func reach(id string, next func(string) []string) []string {
	found, seen := []string{id}, map[string]bool{id: true}
	for i := 0; i < len(found); i++ {
		for _, other := range next(found[i]) {
			if !seen[other] {
				seen[other] = true
				found = append(found, other)
			}
		}
	}
	return found[1:]
}

// sort returns all children, prerequisites first, and the first circle that makes this impossible, or nil.
func (o order) sort() (sorted, circle []string) {
	done := make(map[string]bool, len(o.at))
	var path []string
	var visit func(string)
	visit = func(id string) {
		if at := slices.Index(path, id); at >= 0 {
			if circle == nil {
				circle = append(slices.Clone(path[at:]), id)
			}
			return
		}
		if done[id] {
			return
		}
		path = append(path, id)
		for _, other := range o.before(id) {
			visit(other)
		}
		path = path[:len(path)-1]
		done[id] = true
		sorted = append(sorted, id)
	}
	for _, child := range o.specs.Children {
		visit(child.ID)
	}
	return sorted, circle
}
