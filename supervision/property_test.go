package supervision

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// sets draws specs that Check accepts: whoever depends or comes later in a group has the higher rank, and ranks have
// nothing to do with the order of the declaration.
func sets(t *rapid.T) Specs {
	n := rapid.IntRange(1, 8).Draw(t, "children")
	ranked := make([]string, n)
	for i := range ranked {
		ranked[i] = string(rune('a' + i))
	}
	s := Specs{MaxStarts: rapid.IntRange(0, 3).Draw(t, "max_starts")}
	for i, id := range ranked {
		c := Spec{ID: id, Restart: restarts(t), Local: rapid.Bool().Draw(t, "local")}
		for _, other := range ranked[:i] {
			if rapid.IntRange(0, 3).Draw(t, "depends") == 0 {
				c.DependsOn = append(c.DependsOn, other)
			}
		}
		s.Children = append(s.Children, c)
	}
	s.Children = rapid.Permutation(s.Children).Draw(t, "declared")
	s.Groups = groups(t, ranked)
	if err := s.Check(); err != nil {
		t.Fatalf("%v", err)
	}
	return s
}

func groups(t *rapid.T, ranked []string) []Group {
	list := make([]Group, 2)
	for i := range list {
		list[i] = Group{
			Name: fmt.Sprint("g", i), MaxRestarts: rapid.IntRange(0, 6).Draw(t, "intensity"), Within: time.Minute,
			Strategy: rapid.SampledFrom([]Strategy{OneForOne, OneForAll, RestForOne}).Draw(t, "strategy"),
		}
	}
	for _, id := range ranked {
		if i := rapid.IntRange(0, 2).Draw(t, "group"); i < len(list) {
			list[i].Members = append(list[i].Members, id)
		}
	}
	return list
}

// events draws any event for any child, whether it fits or not, with the time since the one before.
func happenings(t *rapid.T, s Specs, kinds ...Kind) []step {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) step {
		e := Event{
			Child: rapid.SampledFrom(s.Children).Draw(t, "child").ID,
			Kind:  rapid.SampledFrom(kinds).Draw(t, "kind"),
		}
		if e.Kind == Ended {
			e.Abnormal = rapid.IntRange(0, 4).Draw(t, "clean") > 0
			e.Hopeless = rapid.IntRange(0, 19).Draw(t, "hopeless") == 0
			e.Denied = rapid.IntRange(0, 19).Draw(t, "denied") == 0
		}
		return step{event: e, after: time.Duration(rapid.Int64Range(0, int64(20*time.Second)).Draw(t, "after"))}
	}), 0, 80).Draw(t, "events")
}

var (
	lives = []Kind{Needed, Needed, Up, Up, Up, Ended, Ended, Due, Due, Slow, Idle}
	hands = []Kind{StopAsked, StartAsked, RestartAsked, Changed, Removed}
)

// run plays events on a world of its own. A removed child is not declared any more from then on.
func run(t *rapid.T, s Specs, list []step) (*world, [][]Action) {
	w := newWorld(s, t.Fatalf)
	w.everybody = true
	var all [][]Action
	for _, st := range list {
		w.now = w.now.Add(st.after)
		if st.event.Kind == Removed {
			w.declare(without(w.specs, st.event.Child))
		}
		all = append(all, w.step(st.event, 0.5))
	}
	return w, all
}

func without(s Specs, id string) Specs {
	u := &script{specs: s}
	u.undeclare(id)
	return u.specs
}

func TestWhateverHappensWithoutHands(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := sets(t)
		run(t, s, happenings(t, s, lives...)) // the world checks budgets, order, places and bystanders
	})
}

func TestWhateverHappensEndsWell(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := sets(t)
		w, _ := run(t, s, happenings(t, s, append(hands, lives...)...))
		for range 40 * len(s.Children) { // everybody answers now, and starts succeed
			e, more := answer(w)
			if !more {
				break
			}
			w.step(e, 0.5)
		}
		for id, rec := range w.past.children {
			if rec.comes() || rec.closing() {
				t.Fatalf("%s is %s for ever, because of %q", id, rec.Phase, rec.Because)
			}
		}
	})
}

// answer is an event that the outside owes: the end of what was closed, the start of what was opened, a delay.
func answer(w *world) (Event, bool) {
	for _, c := range "abcdefgh" {
		id := string(c)
		phase := w.past.Child(id).Phase
		switch {
		case w.closed[id]:
			return Event{Child: id, Kind: Ended}, true
		case phase == PhaseStarting:
			return Event{Child: id, Kind: Up}, true
		case phase == PhaseDelayed:
			return Event{Child: id, Kind: Due}, true
		}
	}
	return Event{}, false
}

func TestReplayGivesTheSameActions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := sets(t)
		list := happenings(t, s, append(hands, lives...)...)
		_, first := run(t, s, list)
		_, again := run(t, s, list)
		if diff := cmp.Diff(first, again); diff != "" {
			t.Fatal(diff)
		}
	})
}

func TestDecideKeepsItsArgument(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := sets(t)
		var h History
		now := t0
		for _, st := range happenings(t, s, append(hands, lives...)...) {
			now = now.Add(st.after)
			before, specs := show(h), fmt.Sprintf("%+v", s)
			_, next := Decide(s, h, st.event, now, 0.5)
			Decide(s, next, Event{Child: st.event.Child, Kind: Ended, Abnormal: true}, now, 0.5)
			if show(h) != before || fmt.Sprintf("%+v", s) != specs {
				t.Fatalf("%v changed what Decide was given", st.event)
			}
			h = next
		}
	})
}

// show is all that is in a history.
func show(h History) string {
	text := fmt.Sprintf("%+v", h.groups)
	for _, id := range slices.Sorted(maps.Keys(h.children)) {
		text += fmt.Sprintf(" %s:%+v", id, h.Child(id))
	}
	return text
}

func TestRestForOneRestartsExactlyThoseAfterIt(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 8).Draw(t, "members")
		g := Group{Name: "g", Strategy: RestForOne, MaxRestarts: 100, Within: time.Minute}
		s := Specs{}
		for i := range n {
			id := string(rune('a' + i))
			g.Members = append(g.Members, id)
			s.Children = append(s.Children, Spec{ID: id, Restart: DefaultRestart()})
		}
		s.Groups = []Group{g}
		w := newWorld(s, t.Fatalf)
		running := rapid.IntRange(1, n).Draw(t, "running")
		w.step(Event{Child: g.Members[running-1], Kind: Needed}, 0)
		for e, more := answer(w); more; e, more = answer(w) {
			w.step(e, 0)
		}
		failed := rapid.IntRange(0, running-1).Draw(t, "failed")
		var closed, opened []string
		for e, more := (Event{Child: g.Members[failed], Kind: Ended, Abnormal: true}), true; more; e, more = answer(w) {
			for _, a := range w.step(e, 0) {
				switch a.Verb {
				case Close:
					closed = append(closed, a.Child)
				case Open:
					opened = append(opened, a.Child)
				}
			}
		}
		slices.Reverse(closed)
		if !slices.Equal(closed, g.Members[failed+1:running]) || !slices.Equal(opened, g.Members[failed:running]) {
			t.Fatalf("%d of %d run and %s failed: closed %v (reversed), opened %v", running, n, g.Members[failed], closed, opened)
		}
	})
}

func TestStopLevelsKeepAllOrders(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := sets(t)
		level := map[string]int{}
		for i, ids := range s.StopLevels() {
			if len(ids) == 0 {
				t.Fatalf("level %d is empty", i)
			}
			for _, id := range ids {
				if _, twice := level[id]; twice {
					t.Fatalf("%s is in two levels", id)
				}
				level[id] = i
			}
		}
		if len(level) != len(s.Children) {
			t.Fatalf("%d of %d children have a level", len(level), len(s.Children))
		}
		for id, before := range newWorld(s, t.Fatalf).before {
			for other := range before {
				if level[other] <= level[id] {
					t.Fatalf("%s in level %d goes with or before %s in level %d", other, level[other], id, level[id])
				}
			}
		}
	})
}
