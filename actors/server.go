package actors

import (
	"github.com/asynkron/protoactor-go/actor"

	"github.com/mcp-supervisor/supervisor/config"
	"github.com/mcp-supervisor/supervisor/internal/safe"
	"github.com/mcp-supervisor/supervisor/messages"
	"github.com/mcp-supervisor/supervisor/supervision"
)

// statusQuery is answered with a messages.ServerStatus.
type statusQuery struct{}

// server is the stable address of one declared MCP server. It keeps the catalogue and tells the gates of a new one.
type server struct {
	env      *env
	declared config.Server
	offer    offer
	crew     supervision.Record // of the instance actor, not of the process
	stopper  *actor.PID         // who waits for the stop
	closing  bool
	gone     bool // the instance is not replaced any more
}

func newServer(e *env, declared config.Server) *server { return &server{env: e, declared: declared} }

func (s *server) Receive(ctx actor.Context) {
	switch m := ctx.Message().(type) {
	case *actor.Started:
		s.spawn(ctx)
	case *actor.Terminated:
		s.onTerminated(ctx)
	case ready:
		ctx.Respond(m)
	case offer:
		s.offer = m
		s.env.toGates(s.known())
		ctx.Send(s.env.pins, toolsSeen{Server: s.declared.ID, offer: m})
	case redeclared:
		s.declared = m.Server
	case sendCatalogues:
		s.onSendCatalogues(ctx)
	case stopServers:
		s.onStop(ctx, m)
	case statusQuery:
		ctx.Respond(s.status())
	case skipDrain:
		ctx.Send(s.env.instance(s.declared.ID), m)
	case instanceStopped:
		s.onStopped(ctx, m)
	default:
		s.env.unexpected("server", m)
	}
}

func (s *server) spawn(ctx actor.Context) {
	birth := s.env.birth(s.declared.ID)
	props := s.env.props("instance "+s.declared.ID, func() behaviour { return newInstance(s.env, s.declared, s.offer, birth) })
	if _, err := ctx.SpawnNamed(props, "shared"); err != nil {
		panic("actors: spawn instance: " + err.Error()) // the name is free: the one before has terminated
	}
	ctx.Send(ctx.Parent(), present{Server: s.declared.ID, Birth: birth})
}

// onTerminated replaces an instance that crashed. It never ends by itself otherwise.
func (s *server) onTerminated(ctx actor.Context) {
	if s.closing {
		s.onStopped(ctx, instanceStopped{Server: s.declared.ID})
		return
	}
	again, r := respawn(s.crew)
	s.crew, s.gone = r, !again
	if again {
		s.spawn(ctx)
		return
	}
	ctx.Send(ctx.Parent(), beyondHelp{Server: s.declared.ID})
	s.env.hub.publish(messages.Event{
		Kind: messages.ServerFailed, Server: s.declared.ID, Detail: "its instance actor crashed too often and is not replaced",
	})
}

func (s *server) onStop(ctx actor.Context, m stopServers) {
	s.stopper, s.closing = ctx.Sender(), true
	if s.gone {
		s.onStopped(ctx, instanceStopped{Server: s.declared.ID})
		return
	}
	ctx.Request(s.env.instance(s.declared.ID), stopInstance(m))
}

// status stands in for an instance that is not replaced any more.
func (s *server) status() messages.ServerStatus { return brokenStatus(s.declared.ID) }

func (s *server) known() catalogueKnown {
	return catalogueKnown{Server: s.declared.ID, offer: s.offer}
}

func (s *server) onSendCatalogues(ctx actor.Context) {
	if s.offer.Catalogue != nil {
		ctx.Send(ctx.Sender(), s.known())
	}
}

func (s *server) onStopped(ctx actor.Context, m instanceStopped) {
	if s.stopper != nil {
		ctx.Send(s.stopper, m)
		s.stopper = nil
	}
}

func (s *server) letGo(actor.Context, *safe.Crash) {}

func (s *server) refuse(ctx actor.Context, _ *safe.Crash) {
	switch m := ctx.Message().(type) {
	case stopServers:
		ctx.Respond(instanceStopped{Server: s.declared.ID})
	case ready:
		ctx.Respond(m)
	case statusQuery:
		ctx.Respond(s.status())
	}
}

// brokenStatus is the status of a server whose actors crashed, and are not replaced, or not yet.
func brokenStatus(id string) messages.ServerStatus {
	return messages.ServerStatus{ID: id, State: messages.StateFailed, LastExit: "internal error"}
}

// disabledStatus is the status of a server that is declared and never started.
func disabledStatus(s config.Server) messages.ServerStatus {
	return messages.ServerStatus{ID: s.ID, State: messages.StateDisabled, Budget: s.Restart.MaxRestarts}
}
