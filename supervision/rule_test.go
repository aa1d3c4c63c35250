package supervision

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

var t0 = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func TestNext(t *testing.T) {
	rule := DefaultRestart()
	with := func(change func(*Restart)) Restart { r := rule; change(&r); return r }
	full := []time.Time{t0.Add(-50 * time.Second), t0.Add(-40 * time.Second), t0.Add(-30 * time.Second), t0.Add(-20 * time.Second), t0.Add(-10 * time.Second)}
	tests := []struct {
		name   string
		rule   Restart
		record Record
		event  Event
		want   Verdict
		after  Record
	}{
		{
			"the first restart of a streak comes at once", rule,
			Record{UpSince: t0.Add(-time.Second)},
			Event{Kind: Ended, Abnormal: true},
			Verdict{Open, 0},
			Record{Streak: 1, Restarts: []time.Time{t0}},
		},
		{
			"the second waits min", rule,
			Record{Streak: 1},
			Event{Kind: Ended, Abnormal: true},
			Verdict{Wait, 250 * time.Millisecond},
			Record{Streak: 2, Restarts: []time.Time{t0}},
		},
		{
			"the third waits factor times as long", rule,
			Record{Streak: 2},
			Event{Kind: Ended, Abnormal: true},
			Verdict{Wait, 500 * time.Millisecond},
			Record{Streak: 3, Restarts: []time.Time{t0}},
		},
		{
			"no wait is longer than max", rule,
			Record{Streak: 60},
			Event{Kind: Ended, Abnormal: true},
			Verdict{Wait, 30 * time.Second},
			Record{Streak: 61, Restarts: []time.Time{t0}},
		},
		{
			"a server that was up for a moment does not reset its streak", rule,
			Record{Streak: 3, UpSince: t0.Add(-29 * time.Second)},
			Event{Kind: Ended, Abnormal: true},
			Verdict{Wait, time.Second},
			Record{Streak: 4, Restarts: []time.Time{t0}},
		},
		{
			"healthy for reset_after, the streak starts anew", rule,
			Record{Streak: 3, UpSince: t0.Add(-30 * time.Second)},
			Event{Kind: Ended, Abnormal: true},
			Verdict{Open, 0},
			Record{Streak: 1, Restarts: []time.Time{t0}},
		},
		{
			"over the budget it is failed, with one probe after the cooldown", rule,
			Record{Streak: 5, Restarts: full},
			Event{Kind: Ended, Abnormal: true},
			Verdict{Fail, 5 * time.Minute},
			Record{Streak: 5, Restarts: full, Failed: true},
		},
		{
			"restarts that left the window count no more", rule,
			Record{Restarts: append([]time.Time{t0.Add(-time.Minute)}, full[1:]...)},
			Event{Kind: Ended, Abnormal: true},
			Verdict{Open, 0},
			Record{Streak: 1, Restarts: append(append([]time.Time(nil), full[1:]...), t0)},
		},
		{
			"a probe that fails is one cooldown more, whatever the window says", rule,
			Record{Failed: true},
			Event{Kind: Ended, Abnormal: true},
			Verdict{Fail, 5 * time.Minute},
			Record{Failed: true},
		},
		{
			"a cooldown of 0 waits for a hand", with(func(r *Restart) { r.Cooldown = 0; r.MaxRestarts = 0 }),
			Record{},
			Event{Kind: Ended, Abnormal: true},
			Verdict{Fail, 0},
			Record{Failed: true},
		},
		{
			"what a start cannot cure fails at once, and the cooldown does not probe it", rule,
			Record{},
			Event{Kind: Ended, Abnormal: true, Hopeless: true},
			Verdict{Fail, 0},
			Record{Failed: true},
		},
		{
			"who wants other credentials fails at once, and is probed after the cooldown", rule,
			Record{},
			Event{Kind: Ended, Abnormal: true, Denied: true},
			Verdict{Fail, 5 * time.Minute},
			Record{Failed: true},
		},
		{
			"a child that wants to be left alone is, even where the back-off is shorter", rule,
			Record{Streak: 1},
			Event{Kind: Ended, Abnormal: true, NotBefore: 7 * time.Second},
			Verdict{Wait, 7 * time.Second},
			Record{Streak: 2, Restarts: []time.Time{t0}},
		},
		{
			"a back-off that is longer than what the child wants stays", rule,
			Record{Streak: 60},
			Event{Kind: Ended, Abnormal: true, NotBefore: 7 * time.Second},
			Verdict{Wait, 30 * time.Second},
			Record{Streak: 61, Restarts: []time.Time{t0}},
		},
		{
			"permanent restarts after a clean exit too", rule,
			Record{UpSince: t0},
			Event{Kind: Ended},
			Verdict{Open, 0},
			Record{Streak: 1, Restarts: []time.Time{t0}},
		},
		{
			"transient rests after a clean exit", with(func(r *Restart) { r.Mode = Transient }),
			Record{UpSince: t0},
			Event{Kind: Ended},
			Verdict{Rest, 0},
			Record{},
		},
		{
			"transient restarts after an abnormal end", with(func(r *Restart) { r.Mode = Transient }),
			Record{UpSince: t0},
			Event{Kind: Ended, Abnormal: true},
			Verdict{Open, 0},
			Record{Streak: 1, Restarts: []time.Time{t0}},
		},
		{
			"temporary never restarts", with(func(r *Restart) { r.Mode = Temporary }),
			Record{UpSince: t0},
			Event{Kind: Ended, Abnormal: true},
			Verdict{Rest, 0},
			Record{},
		},
		{
			"up again, it is not failed any more", rule,
			Record{Failed: true, Streak: 5},
			Event{Kind: Up},
			Verdict{},
			Record{Streak: 5, UpSince: t0},
		},
		{
			"what the rule does not know changes nothing", rule,
			Record{Streak: 2, UpSince: t0, Restarts: full},
			Event{Kind: Idle},
			Verdict{},
			Record{Streak: 2, UpSince: t0, Restarts: full},
		},
		{
			"needed by a call, a child that rests is started, and its past still counts", rule,
			Record{Streak: 2, Restarts: full},
			Event{Kind: Needed},
			Verdict{Open, 0},
			Record{Streak: 2, Restarts: full},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, after := tt.rule.Next(tt.record, tt.event, t0, 0)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("verdict (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.after, after, cmp.AllowUnexported(Record{})); diff != "" {
				t.Errorf("record (-want +got):\n%s", diff)
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

func TestTheRuleKeepsTheBudget(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rule, now := restarts(t), t0
		var h Record
		var started []time.Time
		for _, s := range steps(t) {
			now = now.Add(s.after)
			var v Verdict
			v, h = rule.Next(h, s.event, now, 0.5)
			if s.event.Kind == Ended && v.Restarts() {
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

func TestTheRuleIsPure(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rule, list := restarts(t), steps(t)
		play := func() (verdicts []Verdict) {
			var h Record
			now := t0
			for _, s := range list {
				now = now.Add(s.after)
				kept := append([]time.Time(nil), h.Restarts...)
				v, next := rule.Next(h, s.event, now, 0.25)
				if diff := cmp.Diff(kept, append([]time.Time(nil), h.Restarts...)); diff != "" {
					t.Fatalf("Next changed its argument: %s", diff)
				}
				h = next
				verdicts = append(verdicts, v)
			}
			return verdicts
		}
		if diff := cmp.Diff(play(), play()); diff != "" {
			t.Fatal(diff)
		}
	})
}
