package mcp

import "slices"

// LeftOver lists the living processes that carry a cookie of this program: servers of its sessions and all that they
// started, as far as it kept its environment and we may read it. After the end of all sessions it is empty, or something
// was left.
//
// It looks through all processes of the system, which takes some milliseconds.
func LeftOver() ([]int, error) {
	us := whoWeAre()
	return processes(func(pid int) bool {
		carried, ok := parseInstance(cookieOf(pid))
		carried.random = "" // it tells guardians of one program apart
		return ok && carried == us
	}), nil
}

// Descendants lists the living children of a process, their children, and so on: nearer ones before those further down,
// so that the real server behind launchers such as npx comes after them. Those whose parent has ended already are not
// among them, and neither is anything on systems other than Linux.
func Descendants(pid int) []int { return descend(childrenOf(pids()), pid) }

// childrenOf maps parents to their living children, in ascending order.
func childrenOf(list []int) map[int][]int {
	children := map[int][]int{}
	for _, pid := range list {
		if stat, ok := readStat(pid); ok && stat.alive() {
			children[stat.parent] = append(children[stat.parent], pid)
		}
	}
	for _, c := range children {
		slices.Sort(c)
	}
	return children
}

// descend lists what is below root, level by level. The processes were not all looked at in the same moment, so that a
// reused id may close a circle.
func descend(children map[int][]int, root int) (list []int) {
	seen := map[int]bool{root: true}
	for level := []int{root}; len(level) > 0; {
		var below []int
		for _, parent := range level {
			for _, pid := range children[parent] {
				if !seen[pid] {
					seen[pid] = true
					below = append(below, pid)
				}
			}
		}
		list = append(list, below...)
		level = below
	}
	return list
}
