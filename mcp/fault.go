package mcp

import (
	"fmt"

	"github.com/mcp-supervisor/supervisor/internal/safe"
)

// Fault is something that breaks on purpose, in chaos runs; see [Session.Break].
type Fault string

const (
	CloseStdin  Fault = "close_stdin"  // our end of the server's stdin is closed: it reads the end of file
	CloseStdout Fault = "close_stdout" // our end of its stdout is closed: what it writes meets a broken pipe
)

// Break breaks something, for chaos runs only: what follows is what would follow if it broke by itself. It does not wait
// for that. It returns ErrClosed when the session is over or being closed, and an error for a fault that is none.
//
// A stdio server has 250 ms to end by itself and is killed then. Either way the session ends, calls without an answer end
// with an *ExitError, and the exit's Reason names the fault. To a remote server all open connections are broken, whichever
// fault it is: requests in flight fail, and so does a session over the older HTTP transport, which is one connection.
func (s *Session) Break(f Fault) error {
	switch f {
	case CloseStdin, CloseStdout:
	default:
		return fmt.Errorf("fault %q is unknown; use %s or %s", f, CloseStdin, CloseStdout)
	}
	if s.closing.Load() || s.over() {
		return ErrClosed
	}
	s.link.breakOff(f)
	return nil
}

func (l *stdio) breakOff(f Fault) {
	reason := fmt.Sprintf("was broken on purpose (%s)", f)
	l.s.because(reason)
	if f == CloseStdin {
		_ = l.writer.file.Close()
	} else {
		l.stdout.close()
	}
	safe.Go("mcp fault", l.s.crashed, func() { l.halfDead(reason) })
}

func (r *remote) breakOff(Fault) { r.conns.breakAll() }
