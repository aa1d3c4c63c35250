package actors

import (
	"hash/fnv"
	"strconv"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/mcp-supervisor/supervisor/config"
)

// addresses are where the actors of one supervisor are found. Names do not change when an actor is replaced, so that
// the addresses hold for the supervisor's life; each is made once, because it remembers what it stands for.
type addresses struct {
	prefix    string
	journal   *actor.PID
	servers   *actor.PID
	agents    *actor.PID
	gates     []*actor.PID
	instances map[string]*actor.PID // by server
	parents   map[string]*actor.PID // the server actors, likewise
}

func newAddresses(system *actor.ActorSystem, root string, ws *config.Workspace, shards int) addresses {
	at := func(path string) *actor.PID { return actor.NewPID(system.Address(), root+"/"+path) }
	a := addresses{
		prefix: root + "/", journal: at("journal"), servers: at("servers"), agents: at("agents"),
		instances: map[string]*actor.PID{}, parents: map[string]*actor.PID{},
	}
	for n := range shards {
		a.gates = append(a.gates, at(gateName(n)))
	}
	for _, s := range ws.Servers {
		a.parents[s.ID] = at("servers/" + s.ID)
		a.instances[s.ID] = at("servers/" + s.ID + "/shared")
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

func (a addresses) serverPID(server string) *actor.PID { return a.parents[server] }

// instance returns nil for a server that is not declared.
func (a addresses) instance(server string) *actor.PID { return a.instances[server] }
