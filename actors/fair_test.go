package actors

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/mcp-supervisor/supervisor/config"
	mcpspec "github.com/mcp-supervisor/supervisor/mcp/spec"
	"github.com/mcp-supervisor/supervisor/messages"
)

func waitingCall(n int, agent string) *heldCall {
	return &heldCall{number: n, call: messages.Call{ID: fmt.Sprint(n), Agent: agent}}
}

func TestAgentsTakeTurns(t *testing.T) {
	q := newQueue()
	for n, agent := range strings.Split("greedy greedy greedy greedy quiet other quiet", " ") {
		q.add(waitingCall(n, agent))
	}
	var order []string
	for q.size > 0 {
		h := q.next()
		order = append(order, h.call.Agent+h.call.ID)
	}
	want := "greedy0 quiet4 other5 greedy1 quiet6 greedy2 greedy3"
	if got := strings.Join(order, " "); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}

func TestAFullQueueMakesRoomForWhoHasLess(t *testing.T) {
	q := newQueue()
	for n := range 4 {
		q.add(waitingCall(n, "greedy"))
	}
	if out := q.displace(waitingCall(0, "greedy").agent()); out != nil {
		t.Errorf("an agent displaced its own call %s", out.call.ID)
	}
	if out := q.displace(waitingCall(0, "quiet").agent()); out == nil || out.call.ID != "3" {
		t.Errorf("the newest call of the greedy agent goes, not %v", out)
	}
	q.add(waitingCall(9, "quiet"))
	q.add(waitingCall(10, "quiet"))
	if out := q.displace(waitingCall(0, "quiet").agent()); out != nil {
		t.Errorf("3 to 2 is fair enough, but call %s went", out.call.ID)
	}
}

// Whatever is added, taken and removed: nothing is lost or doubled, an agent's calls come in their order, and nobody
// waits for more than one call of each other agent.
func TestTheQueueIsFair(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q, waiting := newQueue(), map[int]string{}
		passed := map[string]map[string]int{} // since an agent got its turn: calls of the others
		for n := range rapid.IntRange(1, 80).Draw(t, "steps") {
			agent := rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "agent")
			if rapid.Bool().Draw(t, "add") {
				q.add(waitingCall(n, agent))
				waiting[n] = agent
				continue
			}
			h := q.next()
			if h == nil {
				if len(waiting) > 0 {
					t.Fatal("it says it is empty and is not")
				}
				continue
			}
			for number, other := range waiting {
				if other == h.call.Agent && number < h.number {
					t.Fatalf("call %d of %s came before its call %d", h.number, other, number)
				}
				if other != h.call.Agent {
					if passed[other] == nil {
						passed[other] = map[string]int{}
					}
				}
			}
			delete(waiting, h.number)
			for other, counts := range passed {
				if other == h.call.Agent || !slices.ContainsFunc(q.turns, func(a string) bool { return strings.Contains(a, other) }) {
					passed[other] = map[string]int{}
				} else if counts[h.call.Agent]++; counts[h.call.Agent] > 1 {
					t.Fatalf("%s waits while %s had two turns", other, h.call.Agent)
				}
			}
		}
		if q.size != len(waiting) {
			t.Fatalf("size %d, %d wait", q.size, len(waiting))
		}
	})
}

func TestAGreedyAgentDoesNotStarveTheOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeServer{answer: func(_ *fakeSession, r mcpspec.CallRequest, done func(mcpspec.Reply)) {
			go func() { time.Sleep(time.Second); done(echo(r)) }()
		}}
		ws := oneServer(t, func(s *config.Server) { s.MaxInFlight, s.Queue.Max, s.Queue.Wait = 1, 20, time.Hour })
		withScript(ws, `{}`)
		s := startFake(t, ws, f)
		for range 40 {
			begin(s, "greedy") // the operator
		}
		synctest.Wait()
		agent := ws.Agents()[0]
		began := time.Now()
		r := callOn(s, agent.Topology+"/"+agent.ID, "s", "quiet")
		want1(t, r, messages.OK, messages.RanYes)
		if took := time.Since(began); took > 3*time.Second {
			t.Errorf("it waited for %s behind the greedy agent", took)
		}
	})
}
