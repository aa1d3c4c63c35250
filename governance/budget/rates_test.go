package budget

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"
)

var start = time.Date(2026, 11, 30, 10, 0, 0, 0, time.UTC)

var call = Call{Topology: "swarm", Agent: "worker", Server: "github", Tool: "search"}

func TestRateStartsFullAndRefillsEvenly(t *testing.T) {
	r := NewRates([]Rate{{Server: "github", Calls: 3, Per: time.Minute}})
	for _, step := range []struct {
		at   time.Duration
		wait time.Duration // 0 for a yes
	}{
		{0, 0},
		{0, 0},
		{time.Second, 0},
		{time.Second, 19 * time.Second},
		{20*time.Second - 1, 1},
		{20 * time.Second, 0},
		{20 * time.Second, 20 * time.Second},
		{10 * time.Second, 30 * time.Second}, // the clock went backwards
		{60 * time.Second, 0},
		{60 * time.Second, 0},
		{60 * time.Second, 20 * time.Second},
		{time.Hour, 0},
		{time.Hour, 0},
		{time.Hour, 0},
		{time.Hour, 20 * time.Second},
	} {
		ok, wait, rule := r.Take(start.Add(step.at), call)
		if ok != (step.wait == 0) || wait != step.wait {
			t.Errorf("at %v: %v, wait %v, want %v", step.at, ok, wait, step.wait)
		}
		if want := "rate: 3 calls per 1m0s of server github"; !ok && rule != want {
			t.Errorf("at %v: refused by %q, want %q", step.at, rule, want)
		}
	}
}

func TestWhomARateIsFor(t *testing.T) {
	other := Call{Topology: "other", Agent: "worker", Server: "files", Tool: "read"}
	for _, tt := range []struct {
		name   string
		rate   Rate
		first  Call
		second Call
		passes bool // the second call, after the first has taken the only token
		rule   string
	}{
		{"all share one", Rate{}, call, other, false, "rate: 1 calls per 1h0m0s"},
		{"an agent of any topology", Rate{Agent: "worker"}, call, other, false, "rate: 1 calls per 1h0m0s of agent worker"},
		{"an agent of one topology", Rate{Agent: "swarm/worker"}, call, other, true, ""},
		{"the same agent of one topology", Rate{Agent: "swarm/worker"}, call, Call{"swarm", "worker", "x", "y"}, false, "rate: 1 calls per 1h0m0s of agent swarm/worker"},
		{"another server", Rate{Server: "github"}, call, other, true, ""},
		{"another tool", Rate{Tool: "search"}, call, other, true, ""},
		{"a tool of two servers", Rate{Tool: "search"}, call, Call{"x", "y", "z", "search"}, false, "rate: 1 calls per 1h0m0s of tool search"},
		{"names match exactly", Rate{Server: "git"}, call, call, true, ""},
		{"each agent by itself", Rate{Agent: "*"}, call, other, true, ""},
		{"one of each agent", Rate{Agent: "*"}, call, Call{"swarm", "worker", "x", "y"}, false, "rate: 1 calls per 1h0m0s of every agent"},
		{"each tool of one server", Rate{Server: "github", Tool: "*"}, call, Call{"swarm", "worker", "github", "fork"}, true, ""},
		{"each tool of each server", Rate{Server: "*", Tool: "*"}, call, Call{"swarm", "worker", "x", "search"}, true, ""},
		{"each server, any tool", Rate{Server: "*"}, call, Call{"swarm", "worker", "github", "fork"}, false, "rate: 1 calls per 1h0m0s of every server"},
		{"all three", Rate{Agent: "worker", Server: "github", Tool: "search"}, call, call, false, "rate: 1 calls per 1h0m0s of agent worker, server github, tool search"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.rate.Calls, tt.rate.Per = 1, time.Hour
			r := NewRates([]Rate{tt.rate})
			if ok, _, rule := r.Take(start, tt.first); !ok {
				t.Fatalf("the first was refused by %q", rule)
			}
			if ok, _, rule := r.Take(start, tt.second); ok != tt.passes || rule != tt.rule {
				t.Errorf("the second: %v, %q", ok, rule)
			}
		})
	}
}

// A call that one rate refuses costs the others nothing.
func TestAllRatesOrNone(t *testing.T) {
	r := NewRates([]Rate{
		{Agent: "worker", Calls: 2, Per: time.Hour},
		{Server: "github", Calls: 1, Per: time.Minute},
		{Tool: "search", Calls: 1, Per: 10 * time.Minute},
	})
	if ok, _, _ := r.Take(start, call); !ok {
		t.Fatal("the first was refused")
	}
	for range 5 {
		ok, wait, rule := r.Take(start, call)
		if ok || wait != 10*time.Minute || rule != "rate: 1 calls per 10m0s of tool search" {
			t.Fatalf("%v, %v, %q: want the longest wait", ok, wait, rule)
		}
	}
	if ok, _, rule := r.Take(start, Call{Agent: "worker", Server: "files", Tool: "read"}); !ok {
		t.Errorf("what was refused was counted by %q", rule)
	}
}

func TestARateWithoutCallsRefusesAll(t *testing.T) {
	for _, rate := range []Rate{{Calls: 0, Per: time.Hour}, {Calls: -1, Per: time.Hour}, {Calls: 1}, {Calls: 1, Per: -1}} {
		r := NewRates([]Rate{{Calls: 1, Per: time.Hour}, rate})
		for range 2 {
			if ok, wait, rule := r.Take(start, call); ok || wait != 0 || rule != rate.String() {
				t.Errorf("%v: %v, %v, %q", rate, ok, wait, rule)
			}
		}
	}
}

func TestFullBucketsAreDropped(t *testing.T) {
	r := NewRates([]Rate{{Agent: "*", Calls: 1, Per: time.Second}})
	for i := range 10_000 {
		now := start.Add(time.Duration(i) * 100 * time.Millisecond) // ten are in use at any time
		if ok, _, _ := r.Take(now, Call{Agent: fmt.Sprint(i)}); !ok {
			t.Fatalf("agent %d was refused", i)
		}
		if len(r.full) > sweepAt {
			t.Fatalf("%d buckets after %d agents", len(r.full), i)
		}
	}
}

// However calls come: the bound holds in every window, a refused call is allowed after exactly the wait it was told, and
// dropping buckets changes nothing.
func TestRatesKeepTheirBound(t *testing.T) {
	gap := rapid.OneOf(rapid.Just(0), rapid.IntRange(0, 1), rapid.IntRange(0, 20)) // mostly a flood
	rapid.Check(t, func(rt *rapid.T) {
		rate := Rate{
			Agent: rapid.SampledFrom([]string{"", "*"}).Draw(rt, "agent"),
			Calls: rapid.IntRange(1, 7).Draw(rt, "calls"), Per: time.Duration(rapid.IntRange(1, 50).Draw(rt, "per")),
		}
		r, eager := NewRates([]Rate{rate}), NewRates([]Rate{rate})
		now, taken := start, []time.Time(nil)
		n := rapid.IntRange(1, 100).Draw(rt, "n")
		for range n {
			now = now.Add(time.Duration(gap.Draw(rt, "gap")))
			eager.sweep = 0
			ok, wait, _ := r.Take(now, call)
			if same, w, _ := eager.Take(now, call); same != ok || w != wait {
				rt.Fatalf("dropping made %v, %v of %v, %v", same, w, ok, wait)
			}
			if ok {
				taken = append(taken, now)
				continue
			}
			if w := r.wait(now.Add(wait), bucket{rate, rate.who(call)}); wait <= 0 || w != 0 {
				rt.Fatalf("told to wait %v, and then %v", wait, w)
			}
			if w := r.wait(now.Add(wait-1), bucket{rate, rate.who(call)}); w != 1 {
				rt.Fatalf("told to wait %v, which is too long", wait)
			}
		}
		if most := busiest(taken, rate.Per); most > 2*rate.Calls {
			rt.Fatalf("%d calls in a window of %v, at most %d may be", most, rate.Per, 2*rate.Calls)
		}
		if len(taken) < min(rate.Calls, n) {
			rt.Fatalf("%d of %d calls passed, but a full bucket holds %d", len(taken), n, rate.Calls)
		}
	})
}

// busiest is the largest number of calls in a window that has its beginning and not its end.
func busiest(taken []time.Time, window time.Duration) int {
	most := 0
	for i, from := range taken {
		n := 0
		for _, at := range taken[i:] {
			if at.Sub(from) < window {
				n++
			}
		}
		most = max(most, n)
	}
	return most
}

func BenchmarkTake(b *testing.B) {
	r := NewRates([]Rate{{Agent: "*", Calls: 1 << 40, Per: time.Hour}, {Server: "github", Calls: 1 << 40, Per: time.Hour}})
	b.ReportAllocs()
	for b.Loop() {
		r.Take(start, call)
	}
}

func TestAChangeKeepsWhatWasCountedUnderTheRatesThatStay(t *testing.T) {
	kept, other := Rate{Calls: 1, Per: time.Hour}, Rate{Server: "x", Calls: 1, Per: time.Minute}
	r := NewRates([]Rate{kept})
	if ok, _, _ := r.Take(start, Call{}); !ok {
		t.Fatal("the first call is refused")
	}
	for _, rates := range [][]Rate{{other, kept}, {kept, kept}, {kept}} {
		r.Change(rates)
		if ok, _, _ := r.Take(start, Call{}); ok {
			t.Errorf("%v gives a call back", rates)
		}
	}
	r.Change([]Rate{{Calls: 2, Per: time.Hour}})
	if ok, _, _ := r.Take(start, Call{}); !ok {
		t.Error("another rate counts by itself")
	}
}
