package mcp

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/mcp-supervisor/supervisor/mcp/spec"
)

var errStartTimeout = errors.New("start_timeout")

// Open starts s's process, or connects to its endpoint, shakes hands and lists its tools, all inside ctx and
// s.StartTimeout. ctx bounds only the opening, not the session.
//
// When it fails, everything it started is gone, and the error is an *OpenError that says why. Zero values of s stand for
// the defaults of package spec.
func Open(ctx context.Context, server spec.Server, o Options) (*Session, error) {
	server, o = withDefaults(server), o.withDefaults()
	ctx, cancel := context.WithTimeoutCause(ctx, server.StartTimeout, errStartTimeout)
	defer cancel()
	s, err := open(ctx, server, o)
	if err != nil && server.Transport == spec.HTTP && onlySSE(err) {
		return openSSE(ctx, server, o, err)
	}
	return s, err
}

func open(ctx context.Context, server spec.Server, o Options) (*Session, error) {
	s := newSession(server, o)
	var err error
	switch server.Transport {
	case spec.Stdio:
		s.link, err = spawn(s)
	case spec.HTTP:
		s.link, err = dial(s)
	case spec.SSE:
		s.link, err = subscribe(ctx, s)
	default:
		err = hopeless{fmt.Errorf("transport %q is unknown; use stdio, http or sse", server.Transport)}
	}
	if err != nil {
		return nil, s.openError(ctx, "connecting", err, spec.Exit{Code: -1})
	}
	s.link.open()
	if step, err := s.handshake(ctx); err != nil {
		return nil, s.abandon(ctx, step, err)
	}
	return s, nil
}

// onlySSE reports whether a server's answer to initialize is that of one that knows only the older HTTP transport.
func onlySSE(err error) bool {
	var status *StatusError
	if !errors.As(err, &status) {
		return false
	}
	return status.initialize && (status.Status == http.StatusBadRequest || status.Status == http.StatusNotFound || status.Status == http.StatusMethodNotAllowed)
}

// openSSE tries the older transport on the same URL. When that fails too, the first error is the one to tell.
func openSSE(ctx context.Context, server spec.Server, o Options, first error) (*Session, error) {
	server.Transport = spec.SSE
	s, err := open(ctx, server, o)
	if err != nil {
		return nil, first
	}
	return s, nil
}

// handshake initializes the session and lists the tools; step names what was going on when it failed.
func (s *Session) handshake(ctx context.Context) (step string, err error) {
	if step, err = s.agree(ctx); err != nil {
		return step, err
	}
	s.link.ready()
	_, err = s.Refresh(ctx)
	return "tools/list", err
}

// abandonGrace bounds each step of stopping a server whose handshake failed: there is nothing to lose in it.
const abandonGrace = 500 * time.Millisecond

// abandon ends a session that did not come up, and says why it did not.
func (s *Session) abandon(ctx context.Context, step string, err error) error {
	if ctx.Err() == nil && !isAnswer(err) && s.PID() != 0 {
		select { // a dying process is about to say how
		case <-s.dead:
		case <-time.After(time.Second):
		}
	}
	died := s.over()
	if !died {
		s.because(explain(ctx, step, s.server.StartTimeout, err).Error())
	}
	s.server.StopGrace = min(s.server.StopGrace, abandonGrace)
	s.Close()
	if died && !isAnswer(err) {
		err = fmt.Errorf("%w before it answered %s", errors.New(status(s.exit)), step)
	}
	return s.openError(ctx, step, err, s.exit)
}

// status is how a session ended, without its stderr: that is told once, in the whole error.
func status(exit spec.Exit) string {
	exit.StderrTail = nil
	return exit.String()
}

// isAnswer reports whether err is what the server itself said.
func isAnswer(err error) bool {
	var rpc *spec.RPCError
	var status *StatusError
	return errors.As(err, &rpc) || errors.As(err, &status) || isHopeless(err)
}

func (s *Session) openError(ctx context.Context, step string, err error, exit spec.Exit) *OpenError {
	exit.Hopeless = isHopeless(err)
	exit.Denied, exit.RetryAfter = verdict(err)
	return &OpenError{Server: s.server.ID, Exit: exit, Err: s.masked(explain(ctx, step, s.server.StartTimeout, err))}
}

// explain puts the end of the time before everything that followed from it.
func explain(ctx context.Context, step string, limit time.Duration, err error) error {
	switch {
	case errors.Is(context.Cause(ctx), errStartTimeout):
		return &startTimeoutError{step: step, limit: limit}
	case ctx.Err() != nil:
		return fmt.Errorf("%s was given up: %w", step, context.Cause(ctx))
	case isAnswer(err) && !isHopeless(err):
		return fmt.Errorf("refused %s: %w", step, err)
	}
	return err
}
