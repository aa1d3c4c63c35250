package mcp

import (
	"os/exec"
	"sync"
	"syscall"

	"github.com/mcp-supervisor/supervisor/mcp/spec"
)

// process is a started command that leads its own process group.
type process struct {
	cmd       *exec.Cmd
	guard     *Guardian
	cookie    string
	fence     fence
	container *container    // nil for most
	exited    chan struct{} // closed when the leader has ended and its group was killed

	mu     sync.Mutex
	reaped bool // the group's id may belong to somebody else now
}

func startProcess(cmd *exec.Cmd, g *Guardian) (*process, error) {
	ownGroup(cmd)
	p := &process{guard: g, cookie: g.cookie(), container: contain(cmd), exited: make(chan struct{})}
	cmd.Env = append(cmd.Env, cookieName+"="+p.cookie) // the last one of a name wins
	var err error
	if p.cmd, err = p.fence.start(cmd, g.box); err != nil {
		p.container.forget()
		return nil, startError(cmd.Path, err)
	}
	g.add(p.cmd.Process.Pid)
	return p, nil
}

// signal signals the group, unless its leader was reaped.
func (p *process) signal(sig syscall.Signal) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.reaped {
		signalGroup(p.cmd, sig)
	}
}

// watch returns when the leader has ended, by itself or by a signal, and all that was left of it was killed; it reports
// whether nothing is left. The order is what counts: wait, kill, sweep, tell the guardian, reap.
func (p *process) watch() (gone bool) {
	pid := p.cmd.Process.Pid
	awaitExit(p.cmd)
	signalGroup(p.cmd, sigKill)
	close(p.exited)
	gone = p.fence.sweep(pid, p.cookie)
	p.guard.remove(pid)
	p.mu.Lock()
	reap(p.cmd)
	p.reaped = true
	p.mu.Unlock()
	p.fence.close()
	p.container.kill()
	return gone
}

// exit is how the leader ended; valid after watch.
func (p *process) exit() spec.Exit { return postMortem(p.cmd) }
