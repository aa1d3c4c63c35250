package chaos

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/mcp-supervisor/supervisor/messages"
)

func TestSpread(t *testing.T) {
	hundred := make([]time.Duration, 100)
	for i := range hundred {
		hundred[i] = time.Duration(100-i) * time.Second // not in order
	}
	s := func(n int) messages.Millis { return messages.Millis(time.Duration(n) * time.Second) }
	for _, tt := range []struct {
		name  string
		times []time.Duration
		want  Spread
	}{
		{"none", nil, Spread{}},
		{"one is all of them", []time.Duration{3 * time.Second}, Spread{1, s(3), s(3), s(3), s(3)}},
		{"of two the lower one is the median", []time.Duration{2 * time.Second, time.Second}, Spread{2, s(1), s(2), s(2), s(2)}},
		{"a hundred", hundred, Spread{100, s(50), s(95), s(99), s(100)}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, spread(tt.times)); diff != "" {
				t.Errorf("spread (-want +got):\n%s", diff)
			}
		})
	}
}

func TestAPercentileIsATimeThatSoManyAreNotAbove(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		times := rapid.SliceOfN(rapid.Map(rapid.IntRange(0, 1000), func(n int) time.Duration { return time.Duration(n) }), 1, 300).Draw(t, "times")
		percent := rapid.IntRange(1, 100).Draw(t, "percent")
		slices.Sort(times)
		p := percentile(times, percent)
		notAbove := 0
		for _, d := range times {
			if d <= p {
				notAbove++
			}
		}
		if notAbove*100 < percent*len(times) || !slices.Contains(times, p) {
			t.Fatalf("percentile %d of %v is %v", percent, times, p)
		}
	})
}
