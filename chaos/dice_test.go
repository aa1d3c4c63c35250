package chaos

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func rolls(seed uint64, kinds []Kind, n int) []strike {
	d := newDice(seed, kinds, 200*time.Millisecond)
	var all []strike
	for range n {
		all = append(all, d.next())
	}
	return all
}

func TestEqualSeedsStrikeEqually(t *testing.T) {
	equal := cmp.AllowUnexported(strike{})
	if diff := cmp.Diff(rolls(7, Kinds, 1000), rolls(7, Kinds, 1000), equal); diff != "" {
		t.Errorf("seed 7, twice:\n%s", diff)
	}
	if cmp.Equal(rolls(7, Kinds, 10), rolls(8, Kinds, 10), equal) {
		t.Error("seeds 7 and 8 are the same sequence")
	}
}

func TestStrikesStayInTheirBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		servers := rapid.IntRange(1, 50).Draw(t, "servers")
		for _, s := range rolls(rapid.Uint64().Draw(t, "seed"), Kinds, 50) {
			switch {
			case s.after < 100*time.Millisecond || s.after > 300*time.Millisecond:
				t.Fatalf("a pause of %s, want 0.5 to 1.5 times 200ms", s.after)
			case s.length < shortest || s.length > longest:
				t.Fatalf("a stop of %s", s.length)
			case s.pick(servers) < 0 || s.pick(servers) >= servers:
				t.Fatalf("victim %d of %d", s.pick(servers), servers)
			}
		}
	})
}

func TestEveryKindAndPositionHasItsTurn(t *testing.T) {
	kinds, positions := map[Kind]int{}, map[int]int{}
	for _, s := range rolls(1, Kinds, 1000) {
		kinds[s.kind]++
		positions[s.pick(5)]++
	}
	for _, k := range Kinds {
		if kinds[k] < 100 {
			t.Errorf("%s came up %d times of 1000", k, kinds[k])
		}
	}
	for n := range 5 {
		if positions[n] < 100 {
			t.Errorf("position %d came up %d times of 1000", n, positions[n])
		}
	}
}
