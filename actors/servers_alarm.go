package actors

import (
	"runtime"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/mcp-supervisor/supervisor/supervision"
)

// slowStart is how long a start takes one of the places among max_starts. What takes longer waits for something else
// than this machine's processors most often: a download, a peer, a person.
const slowStart = 2 * time.Second

// defaultMaxStarts is how many processes start at the same time: starting node or python is processor-bound for the
// most part, so more of them make each one slower and nothing faster; four are enough to hide the disk.
func defaultMaxStarts() int { return max(8, 2*runtime.GOMAXPROCS(0)) }

// alarm is the end of a server's delay. Seq tells which: an older one that fires late means nothing.
type alarm struct {
	Server string
	Kind   supervision.Kind
	Seq    int
}

// alarms is the one timer that a server has.
type alarms struct {
	timer *time.Timer
	seq   int
}

func (a alarms) stop() {
	if a.timer != nil {
		a.timer.Stop()
	}
}

func (s *servers) setAlarm(ctx actor.Context, id string, kind supervision.Kind, d time.Duration) {
	a := s.alarms[id]
	a.stop()
	a.seq++
	a.timer = s.env.after(d, ctx.Self(), alarm{Server: id, Kind: kind, Seq: a.seq})
	s.alarms[id] = a
}

func (s *servers) onAlarm(ctx actor.Context, m alarm) {
	if s.alarms[m.Server].seq == m.Seq {
		s.decide(ctx, supervision.Event{Child: m.Server, Kind: m.Kind})
	}
}
