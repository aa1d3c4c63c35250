package supervision

import "time"

// Next says what becomes of one child that is on its own: a member of no group, with nobody to wait for. It answers
// Up, Ended and Needed; other kinds are for [Decide]. random is in [0,1) and only lengthens a delay.
//
// It reads and writes the budget in rec (Restarts, Streak, UpSince, Failed) and no more. It is pure: equal arguments
// give equal results, and rec is not changed.
func (r Restart) Next(rec Record, e Event, now time.Time, random float64) (Verdict, Record) {
	switch e.Kind {
	case Up:
		rec.UpSince, rec.Failed = now, false
		return Verdict{}, rec
	case Needed:
		return Verdict{Verb: Open}, rec // the past counts: being needed is no reason to crash more often
	case Ended:
		return r.ended(r.settle(rec, now), e, now, random)
	default:
		return Verdict{}, rec
	}
}

// settle ends an incarnation in the books: a long healthy life ends the streak, and old restarts leave the window.
func (r Restart) settle(rec Record, now time.Time) Record {
	if !rec.UpSince.IsZero() && now.Sub(rec.UpSince) >= r.ResetAfter {
		rec.Streak = 0
	}
	rec.UpSince = time.Time{}
	rec.Restarts = recent(rec.Restarts, now.Add(-r.Within))
	return rec
}

func (r Restart) ended(rec Record, e Event, now time.Time, random float64) (Verdict, Record) {
	switch {
	case e.Hopeless:
		rec.Failed = true
		return Verdict{Verb: Fail}, rec
	case e.Denied:
		return r.giveUp(rec)
	case r.Mode == Temporary, r.Mode == Transient && !e.Abnormal:
		return Verdict{Verb: Rest}, rec
	case rec.Failed, len(rec.Restarts) >= r.MaxRestarts:
		return r.giveUp(rec)
	}
	rec.Streak++
	rec.Restarts = append(rec.Restarts, now) // settle made a copy
	if delay := max(r.Backoff.Delay(rec.Streak, random), e.NotBefore); delay > 0 {
		return Verdict{Verb: Wait, Delay: delay}, rec
	}
	return Verdict{Verb: Open}, rec
}

// giveUp fails a child until its cooldown is over. Nothing is charged: there is no restart.
func (r Restart) giveUp(rec Record) (Verdict, Record) {
	rec.Failed = true
	return Verdict{Verb: Fail, Delay: r.Cooldown}, rec
}

// recent returns a copy of the times after cut.
func recent(times []time.Time, cut time.Time) []time.Time {
	var kept []time.Time
	for _, t := range times {
		if t.After(cut) {
			kept = append(kept, t)
		}
	}
	return kept
}
