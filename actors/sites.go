package actors

import (
	"context"
	"maps"
	"sync/atomic"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/mcp-supervisor/supervisor/config"
)

// site is what stays of a server, whatever becomes of its actors and its process. A server that is declared again after
// it was removed gets its old site back, so that its numbers go on.
type site struct {
	// The addresses of its actors. Each is made once, because it remembers what it stands for.
	server, instance *actor.PID
	number           atomic.Int64  // of the last session, over all instances
	births           atomic.Int64  // of instances
	turn             chan struct{} // is full while a session lives, or is being opened or killed
	log              *serverLog    // of its stderr
}

// sites are all servers that ever were declared. It is read by many and has one writer at a time.
type sites struct {
	byID atomic.Pointer[map[string]*site]
	make func(id string) *site
}

func newSites(a addresses, stateDir string) *sites {
	return &sites{make: func(id string) *site {
		at := "servers/" + id
		return &site{server: a.at(at), instance: a.at(at + "/shared"), turn: make(chan struct{}, 1), log: newServerLog(stateDir, id)}
	}}
}

// build adds the sites of servers that have none.
func (s *sites) build(ws *config.Workspace) {
	next := maps.Clone(s.all())
	if next == nil {
		next = map[string]*site{}
	}
	for _, declared := range ws.Servers {
		if next[declared.ID] == nil {
			next[declared.ID] = s.make(declared.ID)
		}
	}
	s.byID.Store(&next)
}

func (s *sites) all() map[string]*site {
	if p := s.byID.Load(); p != nil {
		return *p
	}
	return nil
}

// instance is the address of a server's instance; nil for a server that was never declared.
func (s *sites) instance(server string) *actor.PID {
	if at := s.all()[server]; at != nil {
		return at.instance
	}
	return nil
}

// serverPID is the address of a server's actor; nil for a server that was never declared.
func (s *sites) serverPID(server string) *actor.PID {
	if at := s.all()[server]; at != nil {
		return at.server
	}
	return nil
}

// enter waits until nothing is left of a server's last session, whoever owned it, and takes the place of the next one,
// until leave. It ends early with ctx.
func (a *site) enter(ctx context.Context) error {
	select {
	case a.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (a *site) leave() { <-a.turn }
