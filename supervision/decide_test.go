package supervision

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

var t0 = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func TestDecide(t *testing.T) {
	rule := DefaultRestart()
	with := func(change func(*Restart)) Restart { r := rule; change(&r); return r }
	full := []time.Time{t0.Add(-50 * time.Second), t0.Add(-40 * time.Second), t0.Add(-30 * time.Second), t0.Add(-20 * time.Second), t0.Add(-10 * time.Second)}
	tests := []struct {
		name    string
		rule    Restart
		history History
		event   Event
		want    Action
		after   History
	}{
		{
			"the first restart of a streak comes at once", rule,
			History{UpSince: t0.Add(-time.Second)},
			Event{Kind: Ended, Abnormal: true},
			Action{Start, 0},
			History{Streak: 1, Restarts: []time.Time{t0}},
		},
		{
			"the second waits min", rule,
			History{Streak: 1},
			Event{Kind: Ended, Abnormal: true},
			Action{Start, 250 * time.Millisecond},
			History{Streak: 2, Restarts: []time.Time{t0}},
		},
		{
			"the third waits factor times as long", rule,
			History{Streak: 2},
			Event{Kind: Ended, Abnormal: true},
			Action{Start, 500 * time.Millisecond},
			History{Streak: 3, Restarts: []time.Time{t0}},
		},
		{
			"no wait is longer than max", rule,
			History{Streak: 60},
			Event{Kind: Ended, Abnormal: true},
			Action{Start, 30 * time.Second},
			History{Streak: 61, Restarts: []time.Time{t0}},
		},
		{
			"a server that was up for a moment does not reset its streak", rule,
			History{Streak: 3, UpSince: t0.Add(-29 * time.Second)},
			Event{Kind: Ended, Abnormal: true},
			Action{Start, time.Second},
			History{Streak: 4, Restarts: []time.Time{t0}},
		},
		{
			"healthy for reset_after, the streak starts anew", rule,
			History{Streak: 3, UpSince: t0.Add(-30 * time.Second)},
			Event{Kind: Ended, Abnormal: true},
			Action{Start, 0},
			History{Streak: 1, Restarts: []time.Time{t0}},
		},
		{
			"over the budget it is failed, with one probe after the cooldown", rule,
			History{Streak: 5, Restarts: full},
			Event{Kind: Ended, Abnormal: true},
			Action{Fail, 5 * time.Minute},
			History{Streak: 5, Restarts: full, Failed: true},
		},
		{
			"restarts that left the window count no more", rule,
			History{Restarts: append([]time.Time{t0.Add(-time.Minute)}, full[1:]...)},
			Event{Kind: Ended, Abnormal: true},
			Action{Start, 0},
			History{Streak: 1, Restarts: append(append([]time.Time(nil), full[1:]...), t0)},
		},
		{
			"a probe that fails is one cooldown more, whatever the window says", rule,
			History{Failed: true},
			Event{Kind: Ended, Abnormal: true},
			Action{Fail, 5 * time.Minute},
			History{Failed: true},
		},
		{
			"a cooldown of 0 waits for a hand", with(func(r *Restart) { r.Cooldown = 0; r.MaxRestarts = 0 }),
			History{},
			Event{Kind: Ended, Abnormal: true},
			Action{Fail, 0},
			History{Failed: true},
		},
		{
			"what a start cannot cure fails at once, and the cooldown does not probe it", rule,
			History{},
			Event{Kind: Ended, Abnormal: true, Hopeless: true},
			Action{Fail, 0},
			History{Failed: true},
		},
		{
			"who wants other credentials fails at once, and is probed after the cooldown", rule,
			History{},
			Event{Kind: Ended, Abnormal: true, Denied: true},
			Action{Fail, 5 * time.Minute},
			History{Failed: true},
		},
		{
			"a child that wants to be left alone is, even where the back-off is shorter", rule,
			History{Streak: 1},
			Event{Kind: Ended, Abnormal: true, NotBefore: 7 * time.Second},
			Action{Start, 7 * time.Second},
			History{Streak: 2, Restarts: []time.Time{t0}},
		},
		{
			"a back-off that is longer than what the child wants stays", rule,
			History{Streak: 60},
			Event{Kind: Ended, Abnormal: true, NotBefore: 7 * time.Second},
			Action{Start, 30 * time.Second},
			History{Streak: 61, Restarts: []time.Time{t0}},
		},
		{
			"permanent restarts after a clean exit too", rule,
			History{UpSince: t0},
			Event{Kind: Ended},
			Action{Start, 0},
			History{Streak: 1, Restarts: []time.Time{t0}},
		},
		{
			"transient rests after a clean exit", with(func(r *Restart) { r.Mode = Transient }),
			History{UpSince: t0},
			Event{Kind: Ended},
			Action{Rest, 0},
			History{},
		},
		{
			"transient restarts after an abnormal end", with(func(r *Restart) { r.Mode = Transient }),
			History{UpSince: t0},
			Event{Kind: Ended, Abnormal: true},
			Action{Start, 0},
			History{Streak: 1, Restarts: []time.Time{t0}},
		},
		{
			"temporary never restarts", with(func(r *Restart) { r.Mode = Temporary }),
			History{UpSince: t0},
			Event{Kind: Ended, Abnormal: true},
			Action{Rest, 0},
			History{},
		},
		{
			"up again, it is not failed any more", rule,
			History{Failed: true, Streak: 5},
			Event{Kind: Up},
			Action{Verb: None},
			History{Streak: 5, UpSince: t0},
		},
		{
			"needed by a call, a child that rests is started, and its past still counts", rule,
			History{Streak: 2, Restarts: full},
			Event{Kind: Needed},
			Action{Start, 0},
			History{Streak: 2, Restarts: full},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, after := Decide(tt.rule, tt.history, tt.event, t0, 0)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("action (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.after, after); diff != "" {
				t.Errorf("history (-want +got):\n%s", diff)
			}
		})
	}
}

func restarts(t *rapid.T) Restart {
	r := DefaultRestart()
	r.Mode = rapid.SampledFrom([]Mode{Permanent, Transient, Temporary}).Draw(t, "mode")
	r.MaxRestarts = rapid.IntRange(0, 8).Draw(t, "max_restarts")
	r.Within = time.Duration(rapid.Int64Range(1, int64(5*time.Minute)).Draw(t, "within"))
	r.Backoff.Jitter = rapid.Float64Range(0, 1).Draw(t, "jitter")
	r.Backoff.Factor = rapid.Float64Range(1, 10).Draw(t, "factor")
	return r
}

// step is an event and the time since the one before.
type step struct {
	event Event
	after time.Duration
}

func steps(t *rapid.T) []step {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) step {
		return step{
			event: Event{
				Kind:     rapid.SampledFrom([]Kind{Up, Ended, Ended, Ended, Needed}).Draw(t, "kind"),
				Abnormal: rapid.Bool().Draw(t, "abnormal"),
			},
			after: time.Duration(rapid.Int64Range(0, int64(time.Minute)).Draw(t, "after")),
		}
	}), 0, 60).Draw(t, "steps")
}

func TestTheBudgetIsNeverExceeded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rule, now := restarts(t), t0
		var h History
		var started []time.Time
		for _, s := range steps(t) {
			now = now.Add(s.after)
			var a Action
			a, h = Decide(rule, h, s.event, now, 0.5)
			if s.event.Kind == Ended && a.Verb == Start {
				started = append(started, now)
			}
			if n := len(recent(started, now.Add(-rule.Within))); n > rule.MaxRestarts {
				t.Fatalf("%d restarts within %s, %d are allowed", n, rule.Within, rule.MaxRestarts)
			}
		}
	})
}

func TestDelayGrowsToTheCap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := restarts(t).Backoff
		n := rapid.IntRange(1, 200).Draw(t, "n")
		if before, after := b.Delay(n, 0), b.Delay(n+1, 0); after < before || after > b.Max {
			t.Fatalf("delay %d is %s, delay %d is %s", n, before, n+1, after)
		}
		random := rapid.Float64Range(0, 1).Draw(t, "random")
		plain, jittered := b.Delay(n, 0), b.Delay(n, random)
		if jittered < plain || float64(jittered) > float64(plain)*(1+b.Jitter)+1 {
			t.Fatalf("jitter made %s of %s", jittered, plain)
		}
	})
}

func TestReplayGivesTheSameActions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rule, list := restarts(t), steps(t)
		play := func() (actions []Action) {
			var h History
			now := t0
			for _, s := range list {
				now = now.Add(s.after)
				kept := append([]time.Time(nil), h.Restarts...)
				a, next := Decide(rule, h, s.event, now, 0.25)
				if diff := cmp.Diff(kept, append([]time.Time(nil), h.Restarts...)); diff != "" {
					t.Fatalf("Decide changed its argument: %s", diff)
				}
				h = next
				actions = append(actions, a)
			}
			return actions
		}
		if diff := cmp.Diff(play(), play()); diff != "" {
			t.Fatal(diff)
		}
	})
}
