package chaos

import (
	"context"
	"sync"
	"time"

	"github.com/mcp-supervisor/supervisor/actors"
	mcpspec "github.com/mcp-supervisor/supervisor/mcp/spec"
)

// sessions knows the sessions that this run opened. Whatever is signalled is found through them.
type sessions struct {
	mu   sync.Mutex
	live map[string]opened // by server: the newest
}

type opened struct {
	actors.Session
	at time.Time
}

func newSessions() *sessions { return &sessions{live: map[string]opened{}} }

// wrap is a dialer that remembers what it opened.
func (s *sessions) wrap(dial actors.Dialer) actors.Dialer {
	return func(ctx context.Context, server mcpspec.Server, h actors.Hooks) (actors.Session, error) {
		session, err := dial(ctx, server, h)
		if err == nil {
			s.mu.Lock()
			s.live[server.ID] = opened{session, time.Now()}
			s.mu.Unlock()
		}
		return session, err
	}
}

// of is the newest session of a server, if it is alive.
func (s *sessions) of(server string) (opened, bool) {
	s.mu.Lock()
	session, ok := s.live[server]
	s.mu.Unlock()
	return session, ok && session.alive()
}

func (o opened) alive() bool {
	select {
	case <-o.Done():
		return false
	default:
		return true
	}
}
