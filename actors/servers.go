package actors

import (
	"github.com/asynkron/protoactor-go/actor"

	"github.com/mcp-supervisor/supervisor/config"
	"github.com/mcp-supervisor/supervisor/internal/safe"
	"github.com/mcp-supervisor/supervisor/supervision"
)

// sendCatalogues asks every server to send its catalogue to the sender.
type sendCatalogues struct{}

// servers is the supervisor of all declared servers, in OTP's sense: it decides what is started, when, and with whom.
// The instances tell it what happened and do what it says. It is also the parent of their actors: one that crashes is
// replaced, and no other notices.
type servers struct {
	env     *env
	specs   supervision.Specs
	history supervision.History
	orders  map[string]order // the last of each, for an instance that is not there yet, or lost it
	there   map[string]int   // the instances there are, by their births; orders are for one of them
	alarms  map[string]alarms
	askers  map[string][]*actor.PID // who waits for what was asked by hand to be done
	wishes  *wishes
	crew    map[string]supervision.Record
	leaving map[string]bool // actors of removed servers that have not ended yet
	beyond  map[string]bool // servers whose actors crashed too often to be replaced
	ending  *ending
}

// wishes are what people want of servers: a crash of their supervisor does not forget it.
type wishes struct {
	eager bool            // servers with `start: eager` are started, those of later reloads too
	held  map[string]bool // stopped by hand
}

func newServers(e *env, w *wishes) *servers {
	return &servers{
		env: e, wishes: w, specs: specs(e.ws()), orders: map[string]order{}, there: map[string]int{}, alarms: map[string]alarms{},
		askers: map[string][]*actor.PID{}, crew: map[string]supervision.Record{}, leaving: map[string]bool{}, beyond: map[string]bool{},
	}
}

func (s *servers) Receive(ctx actor.Context) {
	switch m := ctx.Message().(type) {
	case *actor.Started:
		s.onStarted(ctx)
	case *actor.Terminated:
		s.onTerminated(ctx, childName(m.Who))
	case ready:
		ctx.Respond(m)
	case sendCatalogues:
		s.toAll(ctx, m, ctx.Sender())
	case happened:
		s.decide(ctx, m.Event)
	case alarm:
		s.onAlarm(ctx, m)
	case present:
		s.onPresent(ctx, m)
	case beyondHelp:
		s.giveUp(ctx, m.Server)
	case byHand:
		s.onByHand(ctx, m)
	case startEager:
		s.onStartEager(ctx)
	case reload:
		s.onReload(ctx, m)
	case refreeze:
		s.onRefreeze(ctx, m)
	case stopServers:
		s.onStop(ctx, m)
	case skipDrain:
		s.onSkipDrain(ctx, m)
	case instanceStopped:
		s.stopped(ctx, m.Server)
	default:
		s.env.unexpected("servers", m)
	}
}

func (s *servers) onStarted(ctx actor.Context) {
	for _, declared := range s.env.ws().Servers {
		if !declared.Disabled {
			s.spawn(ctx, declared)
		}
	}
	for id := range s.wishes.held {
		s.decide(ctx, supervision.Event{Child: id, Kind: supervision.StopAsked})
	}
	if s.wishes.eager {
		s.onStartEager(ctx)
	}
}

func (s *servers) spawn(ctx actor.Context, declared config.Server) {
	delete(s.there, declared.ID)
	delete(s.beyond, declared.ID)
	props := s.env.props("server "+declared.ID, func() behaviour { return newServer(s.env, declared) })
	if _, err := ctx.SpawnNamed(props, declared.ID); err != nil {
		panic("actors: spawn server " + declared.ID + ": " + err.Error()) // ids are unique
	}
}

// onTerminated replaces an actor that crashed. That of a removed server is not: unless it is declared again by now.
func (s *servers) onTerminated(ctx actor.Context, id string) {
	if s.ending != nil {
		s.stopped(ctx, id)
		return
	}
	delete(s.there, id)
	left := s.leaving[id]
	delete(s.leaving, id)
	declared, ok := s.env.ws().Server(id)
	switch {
	case !ok || declared.Disabled:
		if s.incarnationLost(ctx, id) { // it crashed while it was being removed
			delete(s.leaving, id)
		}
	case left:
		s.spawn(ctx, declared)
	default:
		s.replace(ctx, declared)
	}
}

// replace makes new actors for a server whose actors crashed.
func (s *servers) replace(ctx actor.Context, declared config.Server) {
	again, r := respawn(s.crew[declared.ID])
	s.crew[declared.ID] = r
	if again {
		s.spawn(ctx, declared)
		s.incarnationLost(ctx, declared.ID)
		return
	}
	s.giveUp(ctx, declared.ID)
}

func (s *servers) toAll(ctx actor.Context, message any, sender *actor.PID) {
	for _, child := range ctx.Children() {
		ctx.RequestWithCustomSender(child, message, sender)
	}
}

func (s *servers) letGo(actor.Context, *safe.Crash) {
	for _, a := range s.alarms {
		a.stop()
	}
	for _, list := range s.askers {
		for _, asker := range list {
			s.env.send(asker, handled{})
		}
	}
	s.askers = nil
}

func (s *servers) refuse(ctx actor.Context, _ *safe.Crash) {
	switch m := ctx.Message().(type) {
	case stopServers:
		ctx.Request(ctx.Sender(), serversStopped{})
	case byHand:
		ctx.Respond(handled{})
	case ready, refreeze:
		ctx.Respond(m)
	case reload:
		ctx.Respond(reloaded{Error: "internal error: the supervisor of the servers crashed; try again"})
	}
}
