package actors

import (
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/mcp-supervisor/supervisor/internal/safe"
	"github.com/mcp-supervisor/supervisor/supervision"
)

// Messages of the servers actor.
type (
	// sendCatalogues asks every server to send its catalogue to the sender.
	sendCatalogues struct{}
	// stopServers stops all servers at the same time; the sender gets serversStopped when nothing of them is left.
	stopServers struct{ Drain time.Time }
	// instanceStopped reports that an instance let go of all it owned.
	instanceStopped struct{ Server string }
)

// servers is the parent of all declared servers. One that crashes is replaced; no other notices.
type servers struct {
	env      *env
	history  map[string]supervision.Record
	stopping map[string]bool // servers that are not stopped yet
	replyTo  *actor.PID
}

func newServers(e *env) *servers { return &servers{env: e, history: map[string]supervision.Record{}} }

func (s *servers) Receive(ctx actor.Context) {
	switch m := ctx.Message().(type) {
	case *actor.Started:
		s.onStarted(ctx)
	case *actor.Terminated:
		s.onTerminated(ctx, childName(m.Who))
	case ready:
		ctx.Respond(m)
		s.toAll(ctx, m, ctx.Sender())
	case sendCatalogues:
		s.toAll(ctx, m, ctx.Sender())
	case stopServers:
		s.onStop(ctx, m)
	case skipDrain:
		s.toAll(ctx, m, nil)
	case instanceStopped:
		s.stopped(ctx, m.Server)
	default:
		s.env.unexpected("servers", m)
	}
}

func (s *servers) onStarted(ctx actor.Context) {
	for _, server := range s.env.ws.Servers {
		if !server.Disabled {
			s.spawn(ctx, server.ID)
		}
	}
}

func (s *servers) spawn(ctx actor.Context, id string) {
	declared, _ := s.env.ws.Server(id)
	props := s.env.props("server "+id, func() behaviour { return newServer(s.env, declared) })
	if _, err := ctx.SpawnNamed(props, id); err != nil {
		panic("actors: spawn server " + id + ": " + err.Error()) // ids are unique
	}
}

func (s *servers) onTerminated(ctx actor.Context, id string) {
	if s.stopping != nil {
		s.stopped(ctx, id)
		return
	}
	again, h := respawn(s.history[id])
	s.history[id] = h
	if again {
		s.spawn(ctx, id)
	}
}

func (s *servers) toAll(ctx actor.Context, message any, sender *actor.PID) {
	for _, child := range ctx.Children() {
		ctx.RequestWithCustomSender(child, message, sender)
	}
}

func (s *servers) onStop(ctx actor.Context, m stopServers) {
	s.stopping, s.replyTo = map[string]bool{}, ctx.Sender()
	for _, child := range ctx.Children() {
		s.stopping[childName(child)] = true
		ctx.Request(child, m)
	}
	s.stopped(ctx, "")
}

func (s *servers) stopped(ctx actor.Context, id string) {
	delete(s.stopping, id)
	if len(s.stopping) == 0 && s.replyTo != nil {
		ctx.Request(s.replyTo, serversStopped{})
		s.replyTo = nil
	}
}

func (s *servers) letGo(actor.Context, *safe.Crash) {}

func (s *servers) refuse(ctx actor.Context, _ *safe.Crash) {
	if _, ok := ctx.Message().(stopServers); ok {
		ctx.Request(ctx.Sender(), serversStopped{})
	}
}
