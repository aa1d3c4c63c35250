package mcp

import (
	"fmt"

	"github.com/mcp-supervisor/supervisor/internal/safe"
	"github.com/mcp-supervisor/supervisor/mcp/spec"
)

// A session ends in two steps. Dead comes as soon as how it ended is known and what the server had written was read, so
// that nobody waits longer than he must; Done comes when nothing of it is left, which takes a hunt for its processes.

// Dead is closed when the session can do no more: every pending call has ended, and Exit is valid. What it owned may
// still be cleaned up; whoever starts a replacement waits for Done.
func (s *Session) Dead() <-chan struct{} { return s.dead }

// Done is closed when the session is over and nothing of it is left: its process group is gone, and its leader was
// reaped. It is closed after Dead, right away for remote sessions.
func (s *Session) Done() <-chan struct{} { return s.done }

// Exit returns how the session ended. It is valid once Dead is closed, and does not change any more; before, it is an
// Exit without a code.
func (s *Session) Exit() spec.Exit {
	if s.over() {
		return s.exit
	}
	return spec.Exit{Code: -1}
}

func (s *Session) over() bool {
	select {
	case <-s.dead:
		return true
	default:
		return false
	}
}

// Close ends the session in good order: stdin is closed, after StopGrace the group gets SIGTERM, after another StopGrace
// SIGKILL; a remote session is deleted. Calls without an answer by then end with an *ExitError.
//
// It blocks until Done, at most two graces and a second, and may be called by many and again.
func (s *Session) Close() {
	s.refuse()
	s.stop.Do(s.link.close)
	<-s.done
}

// Kill ends the session by force (OTP's brutal_kill): SIGKILL to the group at once. It blocks until Done.
func (s *Session) Kill() {
	s.refuse()
	s.link.kill()
	s.Close()
}

func (s *Session) refuse() {
	s.closing.Store(true)
	s.pending.refuse(ErrClosed)
}

// because notes why the session is ended by us; the first reason stays.
func (s *Session) because(reason string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.reason == "" {
		s.reason = s.opts.Mask(reason)
	}
}

// die tells everybody that the session is dead. The link calls it once, when no answer can come any more.
func (s *Session) die(exit spec.Exit) {
	defer close(s.dead)
	s.mu.Lock()
	exit.Reason = s.reason
	s.mu.Unlock()
	s.exit = exit
	s.changed.stop()
	_ = s.conn.Close()
	s.pending.failAll(&ExitError{Exit: exit})
}

// end closes the books. The link calls it once, after die, when all it started is gone.
func (s *Session) end() { close(s.done) }

// crashed ends a session one of whose goroutines panicked: a bug of ours, or of a callback.
func (s *Session) crashed(c *safe.Crash) {
	s.because(fmt.Sprintf("internal error: %v", c))
	s.link.kill()
}
