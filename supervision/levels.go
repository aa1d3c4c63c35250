package supervision

// StopLevels returns the order of a stop: all children of a level may go down at the same time, and each level goes
// once the one before it is gone. Nobody in level 0 is a prerequisite of another child; each other level holds the
// prerequisites of those before it, by DependsOn and by the order of one_for_all and rest_for_one groups. Inside a
// level children are in the order of their declaration. It expects specs that Check accepts.
func (s Specs) StopLevels() [][]string {
	o := newOrder(s)
	level := make(map[string]int, len(s.Children))
	deepest := -1
	sorted, _ := o.sort()
	for i := len(sorted) - 1; i >= 0; i-- { // dependents first, so that a child's level is final when it comes
		id := sorted[i]
		deepest = max(deepest, level[id])
		for _, prerequisite := range o.before(id) {
			level[prerequisite] = max(level[prerequisite], level[id]+1)
		}
	}
	levels := make([][]string, deepest+1)
	for _, child := range s.Children {
		at := level[child.ID]
		levels[at] = append(levels[at], child.ID)
	}
	return levels
}
