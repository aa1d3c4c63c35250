package actors

import (
	"github.com/asynkron/protoactor-go/actor"

	"github.com/mcp-supervisor/supervisor/config"
	"github.com/mcp-supervisor/supervisor/supervision"
)

type (
	// byHand is what a person wants of a server; the sender gets handled when it is done, or cannot be for now.
	byHand struct {
		Server string
		Kind   supervision.Kind
	}
	handled struct{}
	// startEager starts the servers with `start: eager`.
	startEager struct{}
)

func (s *servers) onByHand(ctx actor.Context, m byHand) {
	if s.ending != nil {
		ctx.Respond(handled{})
		return
	}
	s.askers[m.Server] = append(s.askers[m.Server], ctx.Sender())
	s.decide(ctx, supervision.Event{Child: m.Server, Kind: m.Kind})
}

// answerAskers tells those who asked by hand that their server has come to rest, one way or the other.
func (s *servers) answerAskers(ctx actor.Context) {
	for id, list := range s.askers {
		if s.ending == nil && onItsWay(s.history.Child(id).Phase) {
			continue
		}
		for _, asker := range list {
			ctx.Send(asker, handled{})
		}
		delete(s.askers, id)
	}
}

func onItsWay(p supervision.Phase) bool {
	return p == supervision.PhaseWaiting || p == supervision.PhaseStarting || p == supervision.PhaseClosing
}

func (s *servers) onStartEager(ctx actor.Context) {
	s.wishes.eager = true
	for _, declared := range s.env.ws().Servers {
		s.startIfEager(ctx, declared)
	}
}

func (s *servers) startIfEager(ctx actor.Context, declared config.Server) {
	if s.wishes.eager && !declared.Disabled && declared.Start == config.StartEager {
		s.decide(ctx, supervision.Event{Child: declared.ID, Kind: supervision.Needed})
	}
}
