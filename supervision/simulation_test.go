package supervision

import (
	"container/heap"
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"
)

var seed = flag.Uint64("supervision.seed", 1, "seed of the simulated day")

// simulation is a day in the life of many servers, without waiting for it: a queue of events that are still to happen.
type simulation struct {
	*world
	random *rand.Rand
	queue  queue
	epoch  map[string]int // of an incarnation or a delay; what belongs to an older one does not happen
	mtbf   map[string]time.Duration
	counts map[string]int
	events int
}

type future struct {
	at    time.Time
	order int
	epoch int
	event Event
}

type queue []future

func (q queue) Len() int { return len(q) }
func (q queue) Less(i, j int) bool {
	return q[i].at.Before(q[j].at) || q[i].at.Equal(q[j].at) && q[i].order < q[j].order
}
func (q queue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *queue) Push(x any)   { *q = append(*q, x.(future)) }
func (q *queue) Pop() any {
	last := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	return last
}

func (s *simulation) later(d time.Duration, e Event) {
	s.events++
	heap.Push(&s.queue, future{at: s.now.Add(d), order: s.events, epoch: s.epoch[e.Child], event: e})
}

// about draws a time around a mean, exponentially distributed.
func (s *simulation) about(mean time.Duration) time.Duration {
	return time.Duration(s.random.ExpFloat64() * float64(mean))
}

func (s *simulation) carryOut(a Action) {
	s.counts[string(a.Verb)]++
	if a.Charged {
		s.counts["charged"]++
	}
	id := a.Child
	if a.Verb != Await {
		s.epoch[id]++ // what was to happen to the child before is off
	}
	switch a.Verb {
	case Open:
		s.start(id)
	case Wait, Fail:
		if a.Delay > 0 {
			s.later(a.Delay, Event{Child: id, Kind: Due})
		}
	case Close:
		s.later(s.about(500*time.Millisecond), Event{Child: id, Kind: Ended, Abnormal: s.random.IntN(3) == 0})
	case Rest:
		s.later(s.about(time.Hour), Event{Child: id, Kind: Needed})
	default:
	}
}

// start comes up after some seconds, or does not; some are slow, and wait for something else.
func (s *simulation) start(id string) {
	took := s.about(2 * time.Second)
	if took > 5*time.Second {
		s.later(5*time.Second, Event{Child: id, Kind: Slow})
	}
	switch s.random.IntN(40) {
	case 0:
		s.later(took, Event{Child: id, Kind: Ended, Abnormal: true, Denied: s.random.IntN(10) == 0, Hopeless: s.random.IntN(50) == 0})
	default:
		s.later(took, Event{Child: id, Kind: Up})
	}
}

// live is what happens to a server that came up: one day it ends, or nobody uses it.
func (s *simulation) live(id string) {
	if s.random.IntN(10) == 0 {
		s.later(s.about(2*time.Hour), Event{Child: id, Kind: Idle})
	}
	s.later(s.about(s.mtbf[id]), Event{Child: id, Kind: Ended, Abnormal: s.random.IntN(10) > 0})
}

func (s *simulation) run(until time.Time) {
	for len(s.queue) > 0 && !s.queue[0].at.After(until) {
		next := heap.Pop(&s.queue).(future)
		e := next.event
		if next.epoch != s.epoch[e.Child] {
			continue
		}
		s.now = next.at
		s.counts[string(e.Kind)+" events"]++
		actions := s.step(e, s.random.Float64())
		if e.Kind == Up && s.past.Child(e.Child).Phase == PhaseUp {
			s.live(e.Child)
		}
		for _, a := range actions {
			s.carryOut(a)
		}
	}
}

// swarm makes n servers; dependencies lead to earlier ones, so that there is no circle.
func swarm(random *rand.Rand, n int) Specs {
	s := Specs{MaxStarts: 8}
	for i := range n {
		c := Spec{ID: fmt.Sprintf("server-%03d", i), Restart: DefaultRestart(), Local: random.IntN(4) > 0}
		c.Restart.Mode = []Mode{Permanent, Permanent, Permanent, Transient, Temporary}[random.IntN(5)]
		for range random.IntN(3) {
			if i > 0 {
				c.DependsOn = append(c.DependsOn, s.Children[random.IntN(i)].ID)
			}
		}
		s.Children = append(s.Children, c)
	}
	for i := 0; i < n; {
		size := min(n-i, random.IntN(5)+1)
		g := Group{Name: fmt.Sprint("group-", i), MaxRestarts: 5, Within: time.Minute}
		g.Strategy = []Strategy{OneForOne, OneForAll, RestForOne}[random.IntN(3)]
		for _, c := range s.Children[i : i+size] {
			g.Members = append(g.Members, c.ID)
		}
		i += size
		if size > 1 {
			s.Groups = append(s.Groups, g)
		}
	}
	return s
}

// A thousand servers for a day: most crash now and then, some flap. The world checks each decision.
func TestADayOfAThousandServers(t *testing.T) {
	began := time.Now()
	random := rand.New(rand.NewPCG(*seed, 0))
	specs := swarm(random, 1000)
	if err := specs.Check(); err != nil {
		t.Fatal(err)
	}
	s := &simulation{world: newWorld(specs, t.Fatalf), random: random, epoch: map[string]int{}, mtbf: map[string]time.Duration{}, counts: map[string]int{}}
	for i, c := range specs.Children {
		s.mtbf[c.ID] = 72 * time.Hour
		if i%500 == 499 {
			s.mtbf[c.ID] = time.Minute
		}
		s.later(0, Event{Child: c.ID, Kind: Needed})
	}
	s.run(t0.Add(24 * time.Hour))
	phases := map[string]int{}
	for _, c := range specs.Children {
		phases[s.past.Child(c.ID).Phase.String()]++
	}
	t.Logf("seed %d: 1,000 servers, %d groups, one day in %s", *seed, len(specs.Groups), time.Since(began).Round(time.Millisecond))
	t.Logf("happened and done: %v", s.counts)
	t.Logf("in the evening: %v", phases)
	if s.counts["charged"] == 0 || s.counts[string(Close)] == 0 || s.counts[string(Fail)] == 0 || phases["up"] < 500 {
		t.Error("this was no ordinary day")
	}
}
