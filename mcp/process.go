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
	exited    chan struct{} // closed when the leader has ended and its group was killed; see wait

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

// The end of a process is the work of two methods, in this order: wait, kill the group, and, while the post-mortem is
// told already, sweep, tell the guardian, reap. The order is what counts: until the leader is reaped, the ids of its
// group and session are not given to anybody else.

// wait returns when the leader has ended, by itself or by a signal, and its group was killed. It says how the leader
// ended; what the group wrote before is in the pipes.
func (p *process) wait() spec.Exit {
	exit := awaitExit(p.cmd)
	signalGroup(p.cmd, sigKill)
	close(p.exited)
	return exit
}

// bury kills all else that is left after wait, and reaps the leader. It reports whether nothing is left.
func (p *process) bury() (gone bool) {
	pid := p.cmd.Process.Pid
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
