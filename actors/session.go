package actors

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/mcp-supervisor/supervisor/config"
	"github.com/mcp-supervisor/supervisor/internal/safe"
	"github.com/mcp-supervisor/supervisor/mcp"
	mcpspec "github.com/mcp-supervisor/supervisor/mcp/spec"
)

// Messages of a session, to it and from it. N is its number: the instance drops what an older session says.
type (
	perform struct {
		ID       string
		N        int
		Instance *actor.PID
		Request  mcpspec.CallRequest
	}
	abandon struct {
		ID     string
		Reason string
	}
	ping         struct{ Timeout time.Duration }
	refresh      struct{}
	closeSession struct{}
	killSession  struct{}

	// opened is the end of the start.
	opened struct {
		n        int
		instance *actor.PID
		session  Session
		offer    offer
		exit     mcpspec.Exit // when session is nil
	}
	// replied is the end of a call.
	replied struct {
		N     int
		ID    string
		Reply mcpspec.Reply
	}
	sessionUp struct {
		N         int
		PID       int
		Guarantee string
		Offer     offer
	}
	// sessionDead says that the session can do no more. What it said about its calls came before.
	sessionDead struct {
		N    int
		Exit mcpspec.Exit
	}
	// sessionEnded says that nothing of it is left.
	sessionEnded struct {
		N    int
		Exit mcpspec.Exit
	}
	toolsChanged struct {
		N     int
		Offer offer
	}
	// dead is the session's death, and over the end of all that it owned.
	dead struct {
		n        int
		instance *actor.PID
		Exit     mcpspec.Exit
	}
	over struct {
		n        int
		instance *actor.PID
		Exit     mcpspec.Exit
	}
)

// session owns one incarnation of a server: one process group, or one HTTP session. It is replaced, never restarted.
// Everything that may block runs in a goroutine that sends its end back here.
type session struct {
	env      *env
	declared config.Server
	n        int
	instance *actor.PID
	start    context.Context // of the start
	stop     func()          // calls the start off
	begun    bool            // its life will tell of its end
	live     Session
	custody  custody
	closing  bool
	handing  string // the call that is being handed to the session right now
	cancels  map[string]func(reason string)
}

// errCalledOff is why a start ends that a stop, or a reload, overtook.
var errCalledOff = errors.New("the server is being stopped")

func newSession(e *env, declared config.Server, n int, instance *actor.PID) *session {
	start, cancel := context.WithCancelCause(context.Background())
	stop := func() { cancel(errCalledOff) }
	return &session{env: e, declared: declared, n: n, instance: instance, start: start, stop: stop, cancels: map[string]func(string){}}
}

func (s *session) Receive(ctx actor.Context) {
	switch m := ctx.Message().(type) {
	case *actor.Started:
		s.onStarted(ctx)
	case opened:
		s.onOpened(ctx, m)
	case perform:
		s.onPerform(ctx, m)
	case replied:
		delete(s.cancels, m.ID)
		ctx.Send(s.instance, m)
	case abandon:
		s.onAbandon(m)
	case refresh:
		s.onRefresh(ctx)
	case ping:
		s.onPing(m)
	case closeSession:
		s.onClose()
	case killSession:
		s.onKill()
	case dead:
		ctx.Send(s.instance, sessionDead{N: s.n, Exit: m.Exit})
	case over:
		s.onOver(ctx, m)
	default:
		s.env.unexpected("session", m)
	}
}

func (s *session) onOver(ctx actor.Context, m over) {
	s.live = nil
	s.custody.release() // it is dead: there is nothing to kill
	ctx.Send(s.instance, sessionEnded{N: s.n, Exit: m.Exit})
	ctx.Stop(ctx.Self())
}

func (s *session) onStarted(ctx actor.Context) {
	self := ctx.Self()
	s.begun = true
	s.env.open.Add(1)
	safe.Go("session of "+s.declared.ID, nil, func() {
		defer s.env.open.Done()
		s.life(s.start, self)
	})
}

func (s *session) onOpened(ctx actor.Context, m opened) {
	s.stop()
	if m.session == nil {
		ctx.Send(s.instance, sessionEnded{N: s.n, Exit: m.exit})
		ctx.Stop(ctx.Self())
		return
	}
	s.live = m.session
	if s.closing {
		s.onClose()
		return
	}
	ctx.Send(s.instance, sessionUp{N: s.n, PID: s.live.PID(), Guarantee: guarantee(s.live), Offer: m.offer})
}

func (s *session) onPerform(ctx actor.Context, m perform) {
	self, e, n, id := ctx.Self(), s.env, s.n, m.ID
	s.handing = id
	s.cancels[id] = s.live.Call(m.Request, func(r mcpspec.Reply) { e.send(self, replied{N: n, ID: id, Reply: r}) })
	s.handing = ""
}

func (s *session) onAbandon(m abandon) {
	if cancel, ok := s.cancels[m.ID]; ok {
		delete(s.cancels, m.ID)
		cancel(m.Reason)
	}
}

func (s *session) onPing(m ping) {
	live, e, n, instance := s.live, s.env, s.n, s.instance
	crashed := func(c *safe.Crash) { e.send(instance, pinged{N: n, Text: c.Error()}) }
	s.run(crashed, func() {
		limit, cancel := context.WithTimeout(context.Background(), m.Timeout)
		defer cancel()
		text := ""
		if err := live.Ping(limit); errors.Is(err, context.DeadlineExceeded) {
			text = fmt.Sprintf("no answer to ping within %s", m.Timeout)
		} else if err != nil {
			text = err.Error()
		}
		e.send(instance, pinged{N: n, Text: text})
	})
}

// onClose ends the session step by step; its death is reported by watch. While it is still starting, the start is
// called off. One that cannot close in good order is killed.
func (s *session) onClose() {
	s.closing = true
	if s.live == nil {
		s.stop()
		return
	}
	kill := s.live.Kill
	s.run(func(*safe.Crash) { kill() }, s.live.Close)
}

func (s *session) onKill() {
	if s.live != nil {
		s.run(nil, s.live.Kill)
	}
}

// onRefresh asks for the tools again, because the server said that they changed.
func (s *session) onRefresh(ctx actor.Context) {
	live, e, n, instance := s.live, s.env, s.n, s.instance
	if live == nil {
		return // the start lists the tools anyway
	}
	failed := func(err error) {
		e.send(instance, warned{Text: "the tools changed, and listing them failed: " + err.Error()})
	}
	s.run(func(c *safe.Crash) { failed(c) }, func() {
		limit, cancel := context.WithTimeout(context.Background(), s.declared.StartTimeout)
		defer cancel()
		fresh, err := live.Refresh(limit)
		if errors.Is(err, mcp.ErrClosed) {
			return // it is being stopped
		}
		if err != nil {
			failed(err)
			return
		}
		e.send(instance, toolsChanged{N: n, Offer: s.offer(fresh)})
	})
}

// letGo is the end of the actor. If the session still lives then, its owner crashed: nothing of it may stay behind. The
// instance hears of the end when there is one; see undelivered.
func (s *session) letGo(actor.Context, *safe.Crash) {
	s.stop()
	if !s.begun {
		s.env.send(s.instance, sessionEnded{N: s.n, Exit: bugged})
	}
	if live := s.custody.release(); live != nil {
		safe.Go("kill of "+s.declared.ID, s.env.crashed, live.Kill)
	}
}

// refuse hands on what the instance must hear.
func (s *session) refuse(ctx actor.Context, _ *safe.Crash) {
	switch m := ctx.Message().(type) {
	case perform: // it was not written, unless it is the one that crashed us
		ctx.Send(s.instance, replied{N: s.n, ID: m.ID, Reply: mcpspec.Reply{Err: mcp.ErrClosed, Written: m.ID == s.handing}})
	case replied:
		ctx.Send(s.instance, m)
	case opened:
		if m.session == nil {
			ctx.Send(s.instance, sessionEnded{N: s.n, Exit: m.exit})
		}
	case dead:
		ctx.Send(s.instance, sessionDead{N: s.n, Exit: m.Exit})
	case over:
		ctx.Send(s.instance, sessionEnded{N: s.n, Exit: m.Exit})
	}
}

// bugged is the end of a session that a panic of ours, or of the dialer, ended.
var bugged = mcpspec.Exit{Code: -1, Reason: "internal error of the session"}

// run does something that may block, off the mailbox. After a panic of it comes what follows; nil is nothing.
func (s *session) run(follows func(*safe.Crash), do func()) {
	if s.live == nil {
		return
	}
	where, crashed := "session of "+s.declared.ID, s.env.crashed
	safe.Go(where, crashed, func() {
		if c := safe.Run(where, do); c != nil {
			crashed(c)
			if follows != nil {
				follows(c)
			}
		}
	})
}
