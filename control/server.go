package control

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"time"

	"github.com/mcp-supervisor/supervisor/actors"
	"github.com/mcp-supervisor/supervisor/governance/audit"
	"github.com/mcp-supervisor/supervisor/internal/safe"
)

// Backend is what a workspace's owner offers. *actors.Supervisor is one, and so is [Client].
type Backend interface {
	actors.API
	actors.Gatekeeper
	// Audit lists the audit records that match the filter.
	Audit(ctx context.Context, f audit.Filter) ([]audit.Record, error)
	// VerifyAudit checks the whole audit chain.
	VerifyAudit(ctx context.Context) (audit.Report, error)
}

// Server answers the other commands of a workspace. Make one with [Serve].
type Server struct {
	http     http.Server
	api      Backend
	requests requests
	done     chan struct{} // closed when the listener is no longer served
}

// Serve answers requests on l, which is of [Listen], with api until Drain or Close. It returns at once.
func Serve(l *net.UnixListener, api Backend) *Server {
	s := &Server{api: api, done: make(chan struct{})}
	s.requests.cancel = map[string]context.CancelFunc{}
	s.http = http.Server{
		Handler:           s.handler(),
		ReadHeaderTimeout: 10 * time.Second,           // a local peer writes its header at once
		ErrorLog:          log.New(io.Discard, "", 0), // broken connections are the peer's to tell
	}
	safe.Go("control.Serve", nil, func() {
		defer close(s.done)
		_ = s.http.Serve(guarded{UnixListener: l, allowed: isOurs}) // always ErrServerClosed, or the listener broke
	})
	return s
}

// Active is the number of requests of other commands that are being answered.
func (s *Server) Active() int { return s.requests.count() }

// Drain closes the socket, so that new commands look for the next owner, and waits for the requests that are being
// answered. When ctx ends first it returns ctx's error, and the requests go on until Close.
func (s *Server) Drain(ctx context.Context) error { return s.http.Shutdown(ctx) }

// Close closes the socket and every connection; requests still being answered are cancelled. It may follow Drain and
// may be called twice.
func (s *Server) Close() error {
	err := s.http.Close()
	<-s.done
	if errors.Is(err, net.ErrClosed) { // Drain closed the listener before
		return nil
	}
	return err
}
