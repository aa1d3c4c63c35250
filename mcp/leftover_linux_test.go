package mcp

import (
	"context"
	"os"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestLeftOverFindsWhatCarriesOurCookie(t *testing.T) {
	mark := mark(t)
	s, err := Open(context.Background(), scripted(t, "ok", marking(`setsid sleep MARK & exec "$0"`, mark)), Options{Guardian: guard(t, GuardianOptions{bare: true})})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	eventually(t, "the helper runs", func() bool { return len(marked(mark)) == 1 })
	ours := append(marked(mark), s.PID())
	if got := leftOver(t); !contains(got, ours) {
		t.Errorf("%v are ours, found were %v", ours, got)
	}
	s.Close()
	if got := leftOver(t); slices.Contains(got, ours[0]) || slices.Contains(got, ours[1]) {
		t.Errorf("of %v some are left: %v", ours, got)
	}
}

// A supervisor beside us is not us, though it may be the same program.
func TestLeftOverLeavesOtherSupervisorsAlone(t *testing.T) {
	other := startHost(t, "bare", `exec "$0"`)
	got := leftOver(t)
	if slices.Contains(got, other.server) || slices.Contains(got, other.guardian) || slices.Contains(got, os.Getpid()) {
		t.Errorf("the other's server %d and guardian %d, and us, %d: found %v", other.server, other.guardian, os.Getpid(), got)
	}
}

func leftOver(t *testing.T) []int {
	t.Helper()
	list, err := LeftOver()
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func contains(all, some []int) bool {
	return !slices.ContainsFunc(some, func(pid int) bool { return !slices.Contains(all, pid) })
}

func TestDescendantsFindTheServerBehindItsLaunchers(t *testing.T) {
	s := openFake(t, scripted(t, "hang-call", `sh -c 'sh -c "\"\$0\"; true" "$0"; true' "$0"; true`), &notes{})
	chain := Descendants(s.PID())
	if len(chain) != 3 {
		t.Fatalf("two launchers and a server are below the first launcher, found were %v", chain)
	}
	end, _ := begin(s, "echo", "")
	if err := killOne(chain[len(chain)-1]); err != nil {
		t.Fatal(err)
	}
	if r := wait(t, end); r.Err == nil {
		t.Errorf("the server behind the launchers lives: %+v", r)
	}
	ended(t, s)
	if left := Descendants(s.PID()); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

func TestDescend(t *testing.T) {
	for name, test := range map[string]struct {
		children map[int][]int
		want     []int
	}{
		"none":            {nil, nil},
		"others'":         {map[int][]int{2: {3}}, nil},
		"a chain":         {map[int][]int{1: {5}, 5: {4}, 4: {9}}, []int{5, 4, 9}},
		"a tree":          {map[int][]int{1: {2, 3}, 2: {7, 8}, 3: {4}, 4: {5}}, []int{2, 3, 7, 8, 4, 5}},
		"a circle":        {map[int][]int{1: {2}, 2: {1, 3}, 3: {2}}, []int{2, 3}},
		"its own parent":  {map[int][]int{1: {1, 2}}, []int{2}},
		"seen from below": {map[int][]int{9: {1}, 1: {2}}, []int{2}},
	} {
		if diff := cmp.Diff(test.want, descend(test.children, 1)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}
