package approval

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// history is what an observer of a book writes down, to compare with what the book says later.
type history struct {
	book  Book
	now   time.Time
	calls int
	asked map[string]Pending         // by id: asked and not ended
	ended map[string]bool            // by id
	yes   map[string]map[Binding]int // by run: answers of allow that may be remembered
	ids   []string                   // all ids ever given out
}

// Whatever happens in whatever order: each question ends once, a yes comes from an answer to exactly that question or
// from one for exactly that binding in that run, and time that is over is a no.
func TestABookKeepsItsWord(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		h := &history{now: start, asked: map[string]Pending{}, ended: map[string]bool{}, yes: map[string]map[Binding]int{}}
		rt.Repeat(map[string]func(*rapid.T){
			"ask": h.ask, "answer": h.answer, "expire": h.expire, "withdraw": h.withdraw, "forget": h.forget,
			"refuse": h.refuse, "recall": h.recall, "": h.check,
		})
	})
}

// drawn is one of a few bindings that differ in one part each, so that they would mix if anything could.
func drawn(rt *rapid.T) Request {
	r := request("")
	r.Run = rapid.SampledFrom([]string{"", "run-1", "run-2"}).Draw(rt, "run")
	r.Remember = rapid.Bool().Draw(rt, "remember")
	r.Timeout = time.Duration(rapid.IntRange(0, 3).Draw(rt, "timeout")) * time.Second
	part := rapid.SampledFrom([]*string{nil, &r.Topology, &r.Agent, &r.Server, &r.Tool, &r.Digest, &r.ToolHash, &r.PolicyVersion}).Draw(rt, "part")
	if part != nil {
		*part = rapid.SampledFrom([]string{"", "x"}).Draw(rt, "value")
	}
	return r
}

func (h *history) ask(rt *rapid.T) {
	r := drawn(rt)
	h.calls++
	r.CallID = fmt.Sprint("call-", h.calls)
	p, err := h.book.Ask(h.now, r)
	if _, twice := h.asked[p.ID]; err != nil || twice || h.ended[p.ID] {
		rt.Fatalf("%v, id %s", err, p.ID)
	}
	h.asked[p.ID], h.ids = p, append(h.ids, p.ID)
}

func (h *history) answer(rt *rapid.T) {
	id := rapid.SampledFrom(append([]string{"nobody"}, h.ids...)).Draw(rt, "id")
	verdict := rapid.SampledFrom([]Verdict{Allow, Deny, "maybe"}).Draw(rt, "verdict")
	o, err := h.book.Answer(h.now, id, verdict, "ada", "")
	p, waits := h.asked[id]
	if may := waits && h.now.Before(p.Expires) && verdict != "maybe"; may != (err == nil) {
		rt.Fatalf("%s, waits %v: %v", id, waits, err)
	}
	if err != nil {
		if o.Allowed() {
			rt.Fatalf("an error and a yes: %+v", o)
		}
		return
	}
	if o.Allowed() != (verdict == Allow) || o.Covers(p.CallID, p.Binding) != (verdict == Allow) || o.ID != id {
		rt.Fatalf("answered %s to %+v: %+v", verdict, p, o)
	}
	if o.Allowed() && p.Remember && p.Run != "" && p.Digest != "" {
		if h.yes[p.Run] == nil {
			h.yes[p.Run] = map[Binding]int{}
		}
		h.yes[p.Run][p.Binding]++
	}
	h.end(rt, p)
}

func (h *history) expire(rt *rapid.T) {
	h.now = h.now.Add(time.Duration(rapid.IntRange(0, 2000).Draw(rt, "ms")) * time.Millisecond)
	for _, p := range h.book.Expire(h.now) {
		if h.now.Before(p.Expires) {
			rt.Fatalf("too soon: %+v", p)
		}
		h.end(rt, p)
	}
	if next := h.book.Next(); !next.IsZero() && !h.now.Before(next) {
		rt.Fatalf("what expired at %v is still there at %v", next, h.now)
	}
}

func (h *history) withdraw(rt *rapid.T) {
	if p, ok := h.book.Withdraw(fmt.Sprint("call-", rapid.IntRange(0, h.calls).Draw(rt, "call"))); ok {
		h.end(rt, p)
	}
}

func (h *history) refuse(rt *rapid.T) {
	if rapid.IntRange(0, 9).Draw(rt, "rarely") > 0 {
		return
	}
	for _, p := range h.book.Refuse() {
		h.end(rt, p)
	}
	if len(h.asked) > 0 {
		rt.Fatalf("left over: %v", h.asked)
	}
}

func (h *history) forget(rt *rapid.T) {
	run := rapid.SampledFrom([]string{"run-1", "run-2"}).Draw(rt, "run")
	h.book.Forget(run)
	delete(h.yes, run)
	for id, p := range h.asked {
		p.Remember = p.Remember && p.Run != run
		h.asked[id] = p
	}
}

func (h *history) recall(rt *rapid.T) {
	r := drawn(rt)
	o, ok := h.book.Recall(r)
	if want := r.Remember && h.yes[r.Run][r.Binding] > 0; ok != want {
		rt.Fatalf("%+v: recalled %v, want %v", r, ok, want)
	}
	if ok && (!o.Allowed() || o.Binding != r.Binding || o.Run != r.Run) {
		rt.Fatalf("%+v got the answer to %+v", r, o)
	}
}

func (h *history) end(rt *rapid.T, p Pending) {
	if _, waits := h.asked[p.ID]; !waits || h.ended[p.ID] || h.asked[p.ID].CallID != p.CallID {
		rt.Fatalf("it ended twice, or is another: %+v", p)
	}
	delete(h.asked, p.ID)
	h.ended[p.ID] = true
}

func (h *history) check(rt *rapid.T) {
	list := h.book.List()
	if len(list) != len(h.asked) {
		rt.Fatalf("%d wait, want %d", len(list), len(h.asked))
	}
	for _, p := range list {
		if h.asked[p.ID].CallID != p.CallID || h.asked[p.ID].Binding != p.Binding {
			rt.Fatalf("mixed up: %+v and %+v", p, h.asked[p.ID])
		}
	}
}
