package mcp

import (
	"os/exec"
	"sync"
	"syscall"

	"github.com/mcp-supervisor/supervisor/mcp/spec"
)

// process is a started command that leads its own process group.
type process struct {
	cmd    *exec.Cmd
	exited chan struct{} // closed when the leader has ended and its group was killed

	mu     sync.Mutex
	reaped bool // the group's id may belong to somebody else now
}

func startProcess(cmd *exec.Cmd) (*process, error) {
	ownGroup(cmd)
	if err := cmd.Start(); err != nil {
		return nil, startError(cmd.Path, err)
	}
	return &process{cmd: cmd, exited: make(chan struct{})}, nil
}

// signal signals the group, unless its leader was reaped.
func (p *process) signal(sig syscall.Signal) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.reaped {
		signalGroup(p.cmd, sig)
	}
}

// watch returns when the leader has ended, by itself or by a signal, and what was left of its group was killed. The
// order is what counts: wait, kill, reap.
func (p *process) watch() {
	awaitExit(p.cmd)
	p.mu.Lock()
	signalGroup(p.cmd, sigKill)
	reap(p.cmd)
	p.reaped = true
	p.mu.Unlock()
	close(p.exited)
	awaitGroup(p.cmd.Process.Pid)
}

// exit is how the leader ended; valid after watch.
func (p *process) exit() spec.Exit { return postMortem(p.cmd) }
