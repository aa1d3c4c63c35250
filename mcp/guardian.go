package mcp

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcp-supervisor/supervisor/internal/safe"
)

// Guardian sees to it that no server outlives this program, even when it is killed with SIGKILL: a small shell process
// in a session of its own knows our servers, waits for our end, and kills what is left of them within two seconds.
//
// A program needs one for all its sessions ([Options].Guardian). It is watched, and replaced when it dies. All methods
// are safe for concurrent use. On Windows no such process is needed: the system ends a server's job object with us.
type Guardian struct {
	instance instance
	warn     func(string)
	last     atomic.Int64 // number of the last incarnation
	box      *box
	stop     chan struct{}
	watched  chan struct{} // closed when the watcher has ended

	mu     sync.Mutex
	groups map[int]bool
	shell  *exec.Cmd // nil while there is none
	pipe   *os.File
	closed bool
}

// GuardianOptions are what a guardian needs from its owner. The zero value works.
type GuardianOptions struct {
	// Warn is told when the guardian died and was replaced, or could not be, and when processes of a dead supervisor
	// were found. It is called from a goroutine. Nil drops it.
	Warn func(text string)

	bare bool // no cgroups; for tests of what holds without
}

// NewGuardian starts a guardian. First it kills what supervisors left that are provably dead; see the package's
// documentation.
//
// It fails where there is no POSIX shell with its usual tools. Servers do without a guardian then: what holds while this
// program lives still holds, but its SIGKILL leaves the servers that do not end by themselves when their stdin closes.
func NewGuardian(o GuardianOptions) (*Guardian, error) {
	if o.Warn == nil {
		o.Warn = func(string) {}
	}
	if err := guardianTools(guardianPath()); err != nil {
		return nil, fmt.Errorf("guardian: %w", err)
	}
	if n := sweepDead(); n > 0 {
		o.Warn(fmt.Sprintf("killed %d processes that a dead supervisor had left", n))
	}
	g := newUnguarded()
	g.warn = o.Warn
	g.stop, g.watched = make(chan struct{}), make(chan struct{})
	if !o.bare {
		g.box = newBox("mcp-supervisor-" + g.instance.random)
	}
	shell, err := g.spawn()
	if err != nil {
		g.box.remove()
		return nil, fmt.Errorf("guardian: %w", err)
	}
	if shell == nil {
		close(g.watched)
		return g, nil
	}
	safe.Go("guardian", func(c *safe.Crash) { g.warn("the guardian is not watched any more: " + c.Error()) }, func() {
		defer close(g.watched)
		g.watch(shell)
	})
	return g, nil
}

// newUnguarded makes a guardian without a process: it only hands out cookies.
func newUnguarded() *Guardian {
	return &Guardian{instance: newInstance(), groups: map[int]bool{}}
}

// unguarded is for sessions without a guardian.
var unguarded = sync.OnceValue(newUnguarded)

// Cookie is what the cookies of this guardian's servers begin with: the value of MCP_SUPERVISOR_COOKIE in their
// environment, up to its slash.
func (g *Guardian) Cookie() string { return g.instance.String() }

// PID is the id of the guardian's process: 0 while it has none.
func (g *Guardian) PID() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.shell == nil {
		return 0
	}
	return g.shell.Process.Pid
}

// Close ends the guardian, which kills nobody then. Call it when all sessions are over. It returns when the process is
// gone, after a second at the latest, and may be called again. It does nothing on nil.
func (g *Guardian) Close() {
	if g == nil || g.stop == nil {
		return
	}
	g.mu.Lock()
	if !g.closed {
		g.closed = true
		g.tell("end")
		g.disconnect()
		close(g.stop)
	}
	shell := g.shell
	g.mu.Unlock()
	select {
	case <-g.watched:
	case <-time.After(time.Second):
		if shell != nil {
			_ = shell.Process.Kill()
		}
		<-g.watched
	}
	g.box.remove()
}

// cookie returns a new one.
func (g *Guardian) cookie() string { return g.instance.cookie(g.last.Add(1)) }

// add registers a process group. When it returns the guardian will know, even if we end now: it is in the pipe. What we
// start between its start and this is known by its cookie.
func (g *Guardian) add(pgid int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.groups[pgid] = true
	g.tell("add " + strconv.Itoa(pgid))
}

// remove takes a group out. Call it before its leader is reaped: later its id may be somebody else's.
func (g *Guardian) remove(pgid int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.groups, pgid)
	g.tell("del " + strconv.Itoa(pgid))
}
