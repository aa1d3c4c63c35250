package actors

import (
	"context"
	"errors"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/mcp-supervisor/supervisor/internal/safe"
	mcpspec "github.com/mcp-supervisor/supervisor/mcp/spec"
)

// life opens the session and waits for its death, off the mailbox. The actor hears at once when the session can do no
// more, so that its callers do, and whatever happens again when nothing of it is left. An instance that crashed may have
// left a session behind that is still being killed: this one waits for its end.
func (s *session) life(ctx context.Context, self *actor.PID) {
	at := s.env.all()[s.declared.ID]
	if err := at.enter(ctx); err != nil {
		s.env.send(self, opened{n: s.n, instance: s.instance, exit: mcpspec.Exit{Code: -1, Reason: err.Error()}})
		return
	}
	defer at.leave()
	crash := safe.Run("session of "+s.declared.ID, func() {
		start := s.open(ctx, self)
		start.n, start.instance = s.n, s.instance
		s.env.send(self, start)
		if start.session != nil {
			s.remember(start.session.Catalogue())
			<-start.session.Dead()
			s.env.send(self, dead{n: s.n, instance: s.instance, Exit: start.session.Exit()})
			<-start.session.Done()
			s.env.send(self, over{n: s.n, instance: s.instance, Exit: start.session.Exit()})
		}
	})
	if crash == nil {
		return
	}
	s.env.crashed(crash)
	if live := s.custody.release(); live != nil {
		live.Kill()
	}
	s.env.send(self, over{n: s.n, instance: s.instance, Exit: bugged})
}

func (s *session) open(ctx context.Context, self *actor.PID) opened {
	live, err := s.dial(ctx, self)
	if err == nil {
		return opened{session: live, offer: s.offer(live.Catalogue())}
	}
	exit := mcpspec.Exit{Code: -1, Reason: err.Error()}
	var failed *DialError
	if errors.As(err, &failed) {
		exit = failed.Exit
		if exit.Reason == "" && exit.Code < 0 && exit.Signal == "" {
			exit.Reason = failed.Error()
		}
	}
	return opened{exit: exit}
}

// dialSlack lets a dialer end by the server's start time-out, which it knows, and say so, before its context ends.
const dialSlack = time.Second

func (s *session) dial(ctx context.Context, self *actor.PID) (Session, error) {
	ctx, cancel := context.WithTimeout(ctx, s.declared.StartTimeout+dialSlack)
	defer cancel()
	spec, err := s.env.resolve(ctx, s.declared)
	if err != nil {
		return nil, &DialError{Exit: mcpspec.Exit{Code: -1, Reason: err.Error(), Hopeless: true}, Err: err}
	}
	live, err := s.env.dial(ctx, spec, s.hooks(self))
	if err != nil {
		return nil, err
	}
	if !s.custody.keep(live) {
		live.Kill()
		return nil, context.Canceled
	}
	return live, nil
}

// offer compiles what the server offers into what the gate needs, and tells what was left out.
func (s *session) offer(c *mcpspec.Catalogue) offer {
	built := newOffer(c, s.declared.Rules)
	for _, text := range built.Catalogue.Warnings {
		s.env.send(s.instance, warned{Text: text})
	}
	return built
}

func (s *session) hooks(self *actor.PID) Hooks {
	return Hooks{
		Mask:         s.env.keeper.Mask,
		Stderr:       s.env.stderr(s.declared.ID),
		Warn:         func(text string) { s.env.send(s.instance, warned{Text: s.env.keeper.Mask(text)}) },
		ToolsChanged: func() { s.env.send(self, refresh{}) },
		Roots:        s.env.roots(),
	}
}
