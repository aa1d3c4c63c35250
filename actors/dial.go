package actors

import (
	"context"
	"errors"

	"github.com/mcp-supervisor/supervisor/mcp"
	mcpspec "github.com/mcp-supervisor/supervisor/mcp/spec"
)

// Session is one open session with one incarnation of a server, as the actors use it. *mcp.Session is one.
type Session interface {
	// Catalogue is what the server offered last.
	Catalogue() *mcpspec.Catalogue
	// Refresh asks the server again.
	Refresh(ctx context.Context) (*mcpspec.Catalogue, error)
	// PID is the process's id, or 0.
	PID() int
	// Call starts a call and returns at once; done is called exactly once, from any goroutine. cancel tells the
	// server to cancel and retires the call.
	Call(r mcpspec.CallRequest, done func(mcpspec.Reply)) (cancel func(reason string))
	// Ping asks the server for a sign of life.
	Ping(ctx context.Context) error
	// Dead is closed when the session can do no more: every call has ended, and Exit says why. Done is closed when what it
	// owned is gone too; only then the next one may be opened.
	Dead() <-chan struct{}
	Done() <-chan struct{}
	Exit() mcpspec.Exit
	// Close ends the session step by step and returns when nothing of it is left. Kill does so without grace.
	Close()
	Kill()
}

// Hooks are what a session tells while it lives. They are called from the session's goroutines and must not block.
type Hooks struct {
	Mask         func(string) string
	Stderr       func(line string)
	Warn         func(text string)
	ToolsChanged func()
	Roots        []string
}

// Dialer opens a session: it starts the process or connects, initializes, and lists the tools, inside ctx and the
// server's start time-out. When it fails nothing it started is left, and the error may be a [DialError].
type Dialer func(ctx context.Context, s mcpspec.Server, h Hooks) (Session, error)

// DialError is a failed start with its post-mortem.
type DialError struct {
	Exit mcpspec.Exit
	Err  error
}

func (e *DialError) Error() string { return e.Err.Error() }
func (e *DialError) Unwrap() error { return e.Err }

// dialMCP opens real sessions, watched over by g, which may be nil. Each session is told what is missing, if anything is.
func dialMCP(g *mcp.Guardian, missing string) Dialer {
	return func(ctx context.Context, s mcpspec.Server, h Hooks) (Session, error) {
		if missing != "" && s.Transport == mcpspec.Stdio && h.Warn != nil {
			h.Warn(missing)
		}
		session, err := mcp.Open(ctx, s, mcp.Options{
			Mask: h.Mask, Stderr: h.Stderr, Warn: h.Warn, ToolsChanged: h.ToolsChanged, Roots: h.Roots, Guardian: g,
		})
		if err != nil {
			var open *mcp.OpenError
			if errors.As(err, &open) {
				return nil, &DialError{Exit: open.Exit, Err: open.Err} // whoever reads it knows the server's name
			}
			return nil, &DialError{Exit: mcpspec.Exit{Code: -1, Reason: err.Error()}, Err: err}
		}
		return session, nil
	}
}

// guard starts the guardian of the sessions that dialMCP will open. Where there can be none it is nil, and servers run
// without: missing says why.
func (o *options) guard() (g *mcp.Guardian, missing string) {
	if o.dial != nil || o.unguarded {
		return nil, ""
	}
	g, err := mcp.NewGuardian(mcp.GuardianOptions{Warn: func(text string) { o.log.Warn(text) }})
	if err != nil {
		missing = "nobody ends this server if the supervisor is killed: " + err.Error()
	}
	return g, missing
}

// guarantee says what is surely gone when a session is done; empty for remote ones.
func guarantee(live Session) string {
	if local, ok := live.(interface{ Guarantee() mcp.Guarantee }); ok {
		return string(local.Guarantee())
	}
	return ""
}
