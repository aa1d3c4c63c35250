package chaos

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-supervisor/supervisor/messages"
)

var t0 = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func after(ms int) time.Time { return t0.Add(time.Duration(ms) * time.Millisecond) }

func answeredBy(incarnation int, o messages.Outcome) messages.CallResult {
	return messages.CallResult{Server: "a", Incarnation: incarnation, Outcome: o}
}

func TestRecoveryIsTheNextGoodAnswerOfALaterIncarnation(t *testing.T) {
	b := newBooks()
	b.strike(blow{Kill, "a", 1, after(0)})
	b.ended(answeredBy(1, messages.OK), after(1)) // it was on its way
	b.ended(answeredBy(0, messages.Unavailable), after(2))
	b.ended(answeredBy(2, messages.Timeout), after(40))
	b.ended(messages.CallResult{Server: "b", Incarnation: 2, Outcome: messages.OK}, after(45))
	if len(b.unrecovered("a")) != 1 {
		t.Fatalf("recovered already: %v", b.back)
	}
	b.ended(answeredBy(2, messages.OK), after(50))
	b.ended(answeredBy(2, messages.OK), after(60))
	want := []recovery{{Kill, "a", 50 * time.Millisecond}}
	if diff := cmp.Diff(want, b.back, cmp.AllowUnexported(recovery{})); diff != "" {
		t.Errorf("recoveries (-want +got):\n%s", diff)
	}
}

func TestOneAnswerMayEndSeveralBlows(t *testing.T) {
	b := newBooks()
	b.strike(blow{Kill, "a", 1, after(0)})
	b.strike(blow{Pipe, "a", 2, after(30)})
	b.strike(blow{Slow, "a", 3, after(35)}) // ends no session
	b.ended(answeredBy(3, messages.OK), after(50))
	want := []recovery{{Kill, "a", 50 * time.Millisecond}, {Pipe, "a", 20 * time.Millisecond}}
	if diff := cmp.Diff(want, b.back, cmp.AllowUnexported(recovery{})); diff != "" {
		t.Errorf("recoveries (-want +got):\n%s", diff)
	}
}

func TestAMissedStrikeLeavesNoTrace(t *testing.T) {
	b := newBooks()
	b.strike(blow{Kill, "a", 1, after(0)})()
	b.ended(answeredBy(1, messages.Lost), after(5))
	b.ended(answeredBy(2, messages.OK), after(50))
	if b.struck("a") || len(b.back)+len(b.heard)+len(b.unrecovered("a")) > 0 {
		t.Errorf("hits %v, recoveries %v, heard %v", b.hits, b.back, b.heard)
	}
}

// A call is told that it is lost because of the kill that hit its own incarnation, and of no other.
func TestHeard(t *testing.T) {
	b := newBooks()
	b.strike(blow{Kill, "a", 1, after(0)})
	b.strike(blow{Pipe, "a", 2, after(100)})
	b.strike(blow{Wrapper, "a", 3, after(200)})
	for _, end := range []struct {
		incarnation int
		outcome     messages.Outcome
		at          int
	}{
		{1, messages.Lost, 5}, {1, messages.Lost, 7}, {2, messages.Lost, 103}, {3, messages.Lost, 211}, {3, messages.Timeout, 220}, {4, messages.Lost, 300},
	} {
		b.ended(answeredBy(end.incarnation, end.outcome), after(end.at))
	}
	want := []time.Duration{5 * time.Millisecond, 7 * time.Millisecond, 11 * time.Millisecond}
	if diff := cmp.Diff(want, b.heard); diff != "" {
		t.Errorf("heard (-want +got):\n%s", diff)
	}
}

func TestAnIncarnationIsKnownOnceItsEventCame(t *testing.T) {
	b := newBooks()
	b.see(messages.Event{Kind: messages.ServerUp, Server: "a", Incarnation: 1, Time: after(10), Duration: messages.Millis(time.Second)})
	for opened, want := range map[int]int{9: 1, 10: 1, 11: 0} { // opened at 11: another session, whose event is on its way
		if got := b.incarnation("a", after(opened)); got != want {
			t.Errorf("opened at %d: incarnation %d, want %d", opened, got, want)
		}
	}
	b.see(messages.Event{Kind: messages.ServerExited, Server: "a", Time: after(20)})
	if got := b.incarnation("a", after(9)); got != 0 {
		t.Errorf("after its end: incarnation %d", got)
	}
	b.see(messages.Event{Kind: messages.ServerRestarting, Server: "a"})
	want := map[string][]time.Duration{"a": {time.Second}}
	if diff := cmp.Diff(want, b.coldStarts()); diff != "" {
		t.Errorf("cold starts (-want +got):\n%s", diff)
	}
	if b.again["a"] != 0 {
		t.Error("a restart before the load is counted")
	}
}

func TestWhyAway(t *testing.T) {
	kill := []blow{{Kill, "a", 4, t0}}
	status := func(s messages.ServerState, n int) messages.ServerStatus {
		return messages.ServerStatus{State: s, Incarnation: n}
	}
	for _, tt := range []struct {
		name   string
		status messages.ServerStatus
		open   []blow
		called bool
		want   string
	}{
		{"up, and answered", status(messages.StateUp, 5), nil, true, ""},
		{"up, and not answered yet", status(messages.StateUp, 5), kill, true, "up, and has not answered since a kill"},
		{"up again, and not called", status(messages.StateUp, 5), kill, false, ""},
		{"still the one that was struck", status(messages.StateUp, 4), kill, false, "up, and has not been replaced since a kill"},
		{"resting until it is called", status(messages.StateStopped, 4), kill, true, "stopped"},
		{"resting for good", status(messages.StateStopped, 4), kill, false, ""},
		{"failed", messages.ServerStatus{State: messages.StateFailed, LastExit: "killed by SIGKILL"}, nil, true, "failed; killed by SIGKILL"},
		{"backing off", status(messages.StateBackoff, 4), nil, true, "backoff"},
	} {
		if got := whyAway(tt.status, tt.open, tt.called); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestGivenUp(t *testing.T) {
	for _, tt := range []struct {
		state messages.ServerState
		retry time.Duration
		want  bool
	}{
		{messages.StateFailed, 0, true},
		{messages.StateFailed, time.Minute, true},
		{messages.StateFailed, 5 * time.Second, false},
		{messages.StateBackoff, time.Minute, false},
		{messages.StateUp, 0, false},
	} {
		s := messages.ServerStatus{State: tt.state, RetryAfter: messages.Millis(tt.retry)}
		if got := givenUp(s, 10*time.Second); got != tt.want {
			t.Errorf("%s, retry in %s: %v, want %v", tt.state, tt.retry, got, tt.want)
		}
	}
}
