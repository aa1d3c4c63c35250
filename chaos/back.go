package chaos

import (
	"context"
	"fmt"
	"time"

	"github.com/mcp-supervisor/supervisor/messages"
)

// awaitBack waits until every struck server is back, for backBy at most, and reports those that are not. One that will not
// be tried again in time is not waited for.
func (r *run) awaitBack(ctx context.Context) {
	for deadline := time.Now().Add(backBy); ; pause(ctx, 20*time.Millisecond) {
		statuses, err := r.sup.Servers(ctx)
		if err != nil || ctx.Err() != nil {
			r.giveUp()
			return
		}
		left := time.Until(deadline)
		if waiting := r.away(statuses, left); waiting == 0 || left <= 0 {
			return
		}
	}
}

// giveUp is the end of a run that was not waited for: nobody can say any more whether a struck server would be back.
func (r *run) giveUp() {
	for i := range r.report.Servers {
		s := &r.report.Servers[i]
		if r.books.struck(s.ID) {
			s.Down = "nobody waited for it"
		}
	}
}

// away notes for each struck server how it is down, and counts those that are worth waiting for.
func (r *run) away(statuses []messages.ServerStatus, left time.Duration) (waiting int) {
	for i := range r.report.Servers {
		s := &r.report.Servers[i]
		for _, status := range statuses {
			if status.ID != s.ID || !r.books.struck(s.ID) {
				continue
			}
			s.Down = whyAway(status, r.books.unrecovered(s.ID), len(s.Tools) > 0)
			if s.Down != "" && !givenUp(status, left) {
				waiting++
			}
		}
	}
	return waiting
}

// whyAway says how a struck server is not back; "" when it is. Back is one that answered a call after each strike. One that
// is not called only has to be up again, or to rest until somebody needs it, by a later incarnation than what was struck.
func whyAway(s messages.ServerStatus, open []blow, called bool) string {
	resting := s.State == messages.StateStopped && !called
	if s.State != messages.StateUp && !resting {
		if s.LastExit != "" {
			return fmt.Sprintf("%s; %s", s.State, s.LastExit)
		}
		return string(s.State)
	}
	for _, hit := range open {
		switch {
		case called:
			return fmt.Sprintf("%s, and has not answered since a %s", s.State, hit.kind)
		case !resting && s.Incarnation <= hit.incarnation:
			return fmt.Sprintf("%s, and has not been replaced since a %s", s.State, hit.kind)
		}
	}
	return ""
}

// givenUp reports whether a server will not be started within the time that is left.
func givenUp(s messages.ServerStatus, left time.Duration) bool {
	return s.State == messages.StateFailed && (s.RetryAfter == 0 || time.Duration(s.RetryAfter) > left)
}
