package mcp

import (
	"context"
	"errors"
	"io"
	"os"
	"sync"
	"time"

	"github.com/mcp-supervisor/supervisor/internal/safe"
)

const (
	// exitTime is how long a process may take to end after it closed a pipe: the pipes of a dying process close first.
	exitTime = 250 * time.Millisecond
	// flushTime bounds writing what is queued before stdin is closed.
	flushTime = 250 * time.Millisecond
)

// stdio is the link to a server that is a subprocess of ours.
//
// Its goroutines: the writer (stdin), the reader (stdout), the drainer (stderr) and the watcher, which waits for the
// process, then for the others, and then ends the session, while a last one clears up.
type stdio struct {
	s           *Session
	proc        *process
	writer      *writer
	stdout, err *output
	stderr      *stderr
	readers     sync.WaitGroup
}

// spawn starts the server's process. Nothing is read or written before open.
func spawn(s *Session) (link, error) {
	cmd, err := command(s.server)
	if err != nil {
		return nil, err
	}
	var pipes pipes
	stdin, err := pipes.in(&cmd.Stdin)
	if err != nil {
		return nil, err
	}
	stdout, err := pipes.out(&cmd.Stdout)
	if err != nil {
		return nil, err
	}
	stderr, err := pipes.out(&cmd.Stderr)
	if err != nil {
		return nil, err
	}
	proc, err := startProcess(cmd, s.opts.Guardian)
	if err != nil {
		pipes.closeAll()
		return nil, err
	}
	pipes.closeTheirs()
	l := &stdio{s: s, proc: proc, stdout: newOutput(stdout), err: newOutput(stderr), stderr: newStderr(s.opts)}
	l.writer = newWriter(stdin, l.halfDead)
	return l, nil
}

func (l *stdio) open() {
	l.readers.Add(2)
	safe.Go("mcp writer", l.s.crashed, func() { l.writer.run(l.proc.exited) })
	safe.Go("mcp reader", l.s.crashed, func() {
		if l.read() {
			l.halfDead("closed its stdout")
		}
	})
	safe.Go("mcp stderr", l.s.crashed, func() { defer l.readers.Done(); l.stderr.drain(l.err) })
	safe.Go("mcp watcher", l.s.crashed, l.watch)
}

func (l *stdio) ready() {}

func (l *stdio) pid() int { return l.proc.cmd.Process.Pid }

func (l *stdio) send(c *call, data []byte) { l.writer.push(frame{data: data, call: c}) }

func (l *stdio) cancel(_ *call, data []byte) { l.writer.push(frame{data: data}) }

func (l *stdio) write(_ context.Context, data []byte, _ frameKind) error {
	l.writer.push(frame{data: data})
	return nil
}

// read reads stdout to its end and reports whether that is what ended it, or else ends the session.
func (l *stdio) read() (closed bool) {
	defer l.readers.Done()
	in := newInput(l.stdout, l.s)
	for {
		switch err := in.next(); {
		case err == nil:
		case errors.Is(err, io.EOF), errors.Is(err, os.ErrClosed): // the latter on purpose; see Break
			return true
		default:
			l.fail(err.Error())
			return false
		}
	}
}

// halfDead sees to a closed pipe: most often the process is dying and will say how; if it lives on, no other sign would
// ever come.
func (l *stdio) halfDead(reason string) {
	select {
	case <-l.proc.exited:
	case <-time.After(exitTime):
		if !l.s.closing.Load() {
			l.fail(reason)
		}
	}
}

func (l *stdio) fail(reason string) {
	l.s.because(reason)
	l.kill()
}

func (l *stdio) kill() { l.proc.signal(sigKill) }

// close goes from asking to forcing: stdin closed, SIGTERM, SIGKILL.
func (l *stdio) close() {
	l.writer.finish()
	if !l.exits(l.writer.done, min(flushTime, l.s.server.StopGrace)) {
		_ = l.writer.file.Close() // it is stuck in a write
	}
	if !l.exits(nil, l.s.server.StopGrace) {
		l.s.because("was stopped with SIGTERM")
		l.proc.signal(sigTerm)
		if !l.exits(nil, l.s.server.StopGrace) {
			l.proc.signal(sigKill)
		}
	}
	<-l.s.done
}

// exits waits for the process to end, at most for grace, or for other.
func (l *stdio) exits(other <-chan struct{}, grace time.Duration) bool {
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case <-l.proc.exited:
		return true
	case <-other:
		return true
	case <-timer.C:
		return false
	}
}

// watch waits for the process's end and then closes the books. Callers hear of it first; clearing up goes on meanwhile
// and takes longer.
func (l *stdio) watch() {
	exit := l.proc.wait()
	cleared := make(chan bool, 1)
	safe.Go("mcp burial", l.s.crashed, func() { defer close(cleared); cleared <- l.proc.bury() })
	l.hangUp()
	exit.StderrTail = l.stderr.last()
	l.s.die(exit)
	if !<-cleared {
		l.s.warn("processes of the server may be left: not all were gone a second after they were killed")
	}
	l.s.end()
}

// hangUp reads what the dead process left in its pipes, and closes them: a whole answer may be among it, and the reason
// of its death. When it returns nobody reads or writes any more.
func (l *stdio) hangUp() {
	l.stdout.finish()
	l.err.finish()
	l.readers.Wait()
	_ = l.writer.file.Close() // somebody outside the group may hold the other end and not read
	<-l.writer.done
	l.stdout.close()
	l.err.close()
}
