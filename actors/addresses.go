package actors

import (
	"hash/fnv"
	"strconv"

	"github.com/asynkron/protoactor-go/actor"
)

// addresses are where the actors of one supervisor are found. Names do not change when an actor is replaced, so that
// the addresses hold for the supervisor's life. Those of servers are in sites.
type addresses struct {
	prefix    string
	journal   *actor.PID
	servers   *actor.PID
	agents    *actor.PID
	approvals *actor.PID
	budget    *actor.PID
	pins      *actor.PID
	gates     []*actor.PID
	at        func(path string) *actor.PID
}

func newAddresses(system *actor.ActorSystem, root string, shards int) addresses {
	at := func(path string) *actor.PID { return actor.NewPID(system.Address(), root+"/"+path) }
	a := addresses{
		prefix: root + "/", journal: at("journal"), servers: at("servers"), agents: at("agents"),
		approvals: at("approvals"), budget: at("budget"), pins: at("pins"), at: at,
	}
	for n := range shards {
		a.gates = append(a.gates, at(gateName(n)))
	}
	return a
}

func gateName(n int) string { return "gate-" + strconv.Itoa(n) }

// gate returns the shard that owns an agent's state.
func (a addresses) gate(agent string) *actor.PID {
	h := fnv.New32a()
	_, _ = h.Write([]byte(agent))
	return a.gates[int(h.Sum32()%uint32(len(a.gates)))]
}
