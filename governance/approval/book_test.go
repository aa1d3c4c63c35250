package approval

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var start = time.Date(2026, 11, 30, 10, 0, 0, 0, time.UTC)

func at(d time.Duration) time.Time { return start.Add(d) }

func request(callID string) Request {
	return Request{
		Binding: Binding{
			Topology: "swarm", Agent: "worker", Server: "files", Tool: "wipe", Digest: "d1", ToolHash: "h1", PolicyVersion: "p1",
		},
		CallID: callID, Run: "run-1", Arguments: []byte(`{"path":"/"}`), Reason: "it deletes", Rule: "ask-wipes", Timeout: time.Minute,
	}
}

func remembered(callID string) Request {
	r := request(callID)
	r.Remember = true
	return r
}

func ask(t *testing.T, b *Book, now time.Time, r Request) Pending {
	t.Helper()
	p, err := b.Ask(now, r)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestAskAndAnswer(t *testing.T) {
	for _, verdict := range []Verdict{Allow, Deny} {
		var b Book
		r := request("call-1")
		p := ask(t, &b, at(0), r)
		if diff := cmp.Diff(Pending{Request: r, ID: p.ID, Asked: at(0), Expires: at(time.Minute)}, p); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
		if diff := cmp.Diff([]Pending{p}, b.List()); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
		got, err := b.Answer(at(time.Second), p.ID, verdict, "ada", "fine")
		if err != nil {
			t.Fatal(err)
		}
		want := Outcome{Pending: p, Verdict: verdict, By: "ada", Comment: "fine", Answered: at(time.Second)}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
		if got.Allowed() != (verdict == Allow) || got.Covers("call-1", r.Binding) != (verdict == Allow) {
			t.Errorf("%s: allowed %v", verdict, got.Allowed())
		}
		if len(b.List()) != 0 || !b.Next().IsZero() {
			t.Error("it is still in the book")
		}
	}
}

// What was approved is what the person saw, in each of its parts.
func TestAnApprovalIsBound(t *testing.T) {
	r := remembered("call-1")
	for _, tt := range []struct {
		name   string
		change func(*Request)
	}{
		{"topology", func(r *Request) { r.Topology = "x" }},
		{"agent", func(r *Request) { r.Agent = "x" }},
		{"server", func(r *Request) { r.Server = "x" }},
		{"tool", func(r *Request) { r.Tool = "x" }},
		{"arguments", func(r *Request) { r.Digest = "x" }},
		{"tool hash", func(r *Request) { r.ToolHash = "x" }},
		{"policies", func(r *Request) { r.PolicyVersion = "x" }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var b Book
			o, err := b.Answer(at(0), ask(t, &b, at(0), r).ID, Allow, "ada", "")
			if err != nil {
				t.Fatal(err)
			}
			other := r
			tt.change(&other)
			if o.Covers("call-1", other.Binding) {
				t.Error("it covers another call")
			}
			if _, ok := b.Recall(other); ok {
				t.Error("it is remembered for another call")
			}
			if o.Covers("call-2", r.Binding) {
				t.Error("it covers a call by another id")
			}
		})
	}
}

func TestAnswerFaults(t *testing.T) {
	var b Book
	answered := ask(t, &b, at(0), request("answered")).ID
	if _, err := b.Answer(at(0), answered, Deny, "", ""); err != nil {
		t.Fatal(err)
	}
	withdrawn := ask(t, &b, at(0), request("withdrawn")).ID
	b.Withdraw("withdrawn")
	late := ask(t, &b, at(0), request("late")).ID
	gone := request("gone")
	gone.Timeout = time.Second
	expired := ask(t, &b, at(0), gone).ID
	b.Expire(at(time.Second))
	waiting := ask(t, &b, at(time.Second), request("waiting")).ID
	now := at(time.Minute)
	for _, tt := range []struct {
		name, id string
		verdict  Verdict
		want     error
	}{
		{"answered", answered, Allow, ErrAnswered},
		{"withdrawn", withdrawn, Allow, ErrWithdrawn},
		{"expired", expired, Allow, ErrExpired},
		{"over, but still in the book", late, Allow, ErrExpired},
		{"unknown", "zzzzzz", Allow, ErrUnknown},
		{"nothing", "", Allow, ErrUnknown},
		{"no verdict", waiting, "", ErrVerdict},
		{"another verdict", waiting, "Allow", ErrVerdict},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o, err := b.Answer(now, tt.id, tt.verdict, "ada", "")
			if !errors.Is(err, tt.want) || o.Allowed() {
				t.Errorf("got %v and %v, want %v", o, err, tt.want)
			}
		})
	}
	if o, err := b.Answer(now, waiting, Allow, "", ""); err != nil || !o.Allowed() {
		t.Errorf("a senseless verdict ended the request: %v", err)
	}
}

func TestTimeIsUp(t *testing.T) {
	var b Book
	for name, timeout := range map[string]time.Duration{"c": 3 * time.Second, "b": 2 * time.Second, "never": 0, "before": -time.Hour} {
		r := request(name)
		r.Timeout = timeout
		ask(t, &b, at(0), r)
	}
	if next := b.Next(); !next.Equal(at(0)) {
		t.Errorf("the next expires at %v", next)
	}
	if got := calls(b.Expire(at(0))); len(got) != 2 || got["c"] || got["b"] {
		t.Errorf("without a time-out it is over at once: %v", got)
	}
	if next := b.Next(); !next.Equal(at(2 * time.Second)) {
		t.Errorf("the next expires at %v", next)
	}
	if got := b.Expire(at(2*time.Second - 1)); got != nil {
		t.Errorf("too soon: %v", got)
	}
	if got := calls(b.Expire(at(2 * time.Second))); len(got) != 1 || !got["b"] {
		t.Errorf("got %v", got)
	}
}

func TestListAndRefuseGoByAge(t *testing.T) {
	var b Book
	var want []Pending
	for i := range 20 {
		want = append(want, ask(t, &b, at(time.Duration(i)*time.Second), request(fmt.Sprint(i))))
	}
	if diff := cmp.Diff(want, b.List()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if diff := cmp.Diff(want, b.Refuse()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if _, err := b.Answer(at(0), want[0].ID, Allow, "", ""); !errors.Is(err, ErrWithdrawn) || b.Refuse() != nil {
		t.Errorf("the book is not empty: %v", err)
	}
}

func TestWithdraw(t *testing.T) {
	var b Book
	p := ask(t, &b, at(0), request("call-1"))
	if _, ok := b.Withdraw("call-2"); ok {
		t.Error("a call that nobody asked about")
	}
	got, ok := b.Withdraw("call-1")
	if diff := cmp.Diff(p, got); !ok || diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if _, ok := b.Withdraw("call-1"); ok {
		t.Error("withdrawn twice")
	}
}

// Identical calls that wait side by side are questions of their own; a yes to one is none to the other.
func TestIdenticalCallsAreAskedEach(t *testing.T) {
	var b Book
	one, two := ask(t, &b, at(0), request("call-1")), ask(t, &b, at(0), request("call-2"))
	if one.ID == two.ID {
		t.Fatal("one id for two questions")
	}
	o, err := b.Answer(at(0), one.ID, Allow, "", "")
	if err != nil || o.CallID != "call-1" {
		t.Fatalf("%v, %v", o, err)
	}
	if diff := cmp.Diff([]Pending{two}, b.List()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if _, err := b.Ask(at(0), request("call-2")); !errors.Is(err, ErrAsked) {
		t.Errorf("one call with two questions: %v", err)
	}
}

func TestTheBookIsBounded(t *testing.T) {
	var b Book
	for i := range MaxPending {
		ask(t, &b, at(0), request(fmt.Sprint(i)))
	}
	if _, err := b.Ask(at(0), request("one more")); !errors.Is(err, ErrFull) {
		t.Fatalf("got %v", err)
	}
	b.Refuse()
	if n := len(b.ended.whys); n != maxEnded || len(b.ended.ids) != maxEnded {
		t.Errorf("%d ended requests are known, want %d", n, maxEnded)
	}
}

func TestIDsAreEasyToType(t *testing.T) {
	var b Book
	p := ask(t, &b, at(0), request("01981b4e-6a5f-7a31-9c0e-1f2d3c4b5a69"))
	if len(p.ID) != 6 || strings.ContainsAny(p.ID, "oil") || strings.ToLower(p.ID) != p.ID {
		t.Errorf("the id is %q", p.ID)
	}
	written := strings.NewReplacer("0", "O", "1", "l").Replace(" " + strings.ToUpper(p.ID) + "\n")
	if o, err := b.Answer(at(0), written, Allow, "", ""); err != nil || o.ID != p.ID {
		t.Errorf("typed as %q: %v", written, err)
	}
	if again := ask(t, &b, at(0), p.Request); again.ID == p.ID {
		t.Error("an answer to the old question would answer the new one")
	}
}

func TestRemember(t *testing.T) {
	with := func(change func(*Request)) Request {
		r := remembered("call-2")
		change(&r)
		return r
	}
	for _, tt := range []struct {
		name    string
		verdict Verdict
		first   Request
		second  Request
		want    bool
	}{
		{"a yes, for the same run", Allow, remembered("call-1"), remembered("call-2"), true},
		{"never a no", Deny, remembered("call-1"), remembered("call-2"), false},
		{"another run", Allow, remembered("call-1"), with(func(r *Request) { r.Run = "run-2" }), false},
		{"the first was not to be remembered", Allow, request("call-1"), remembered("call-2"), false},
		{"the rule changed its mind", Allow, remembered("call-1"), request("call-2"), false},
		{"calls outside a run", Allow, with(func(r *Request) { r.Run = "" }), with(func(r *Request) { r.Run = "" }), false},
		{"arguments without a digest", Allow, with(func(r *Request) { r.Digest = "" }), with(func(r *Request) { r.Digest = "" }), false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var b Book
			if _, err := b.Answer(at(0), ask(t, &b, at(0), tt.first).ID, tt.verdict, "ada", ""); err != nil {
				t.Fatal(err)
			}
			o, ok := b.Recall(tt.second)
			if ok != tt.want || o.Allowed() != tt.want {
				t.Fatalf("got %v, want %v", ok, tt.want)
			}
			if ok && (o.By != "ada" || o.CallID != "call-1" || o.Arguments != nil) {
				t.Errorf("it was %+v", o)
			}
			b.Forget(tt.first.Run)
			if _, ok := b.Recall(tt.second); ok {
				t.Error("it outlived its run")
			}
		})
	}
}

func TestAnAnswerAfterItsRunIsNotRemembered(t *testing.T) {
	var b Book
	p := ask(t, &b, at(0), remembered("call-1"))
	b.Forget("run-1")
	if _, err := b.Answer(at(0), p.ID, Allow, "", ""); err != nil {
		t.Fatal(err)
	}
	if _, ok := b.Recall(remembered("call-2")); ok || len(b.remembered) != 0 {
		t.Error("it is kept for a run that is over")
	}
}

func calls(list []Pending) map[string]bool {
	ids := map[string]bool{}
	for _, p := range list {
		ids[p.CallID] = true
	}
	return ids
}
