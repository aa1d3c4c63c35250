package chaos

import (
	"fmt"
	"os"
	"slices"
	"syscall"
)

// process is one process of a session of ours, held so that a signal cannot reach another one: on Linux os.Process holds a
// pidfd, which goes on naming it after its id was given away.
type process struct{ *os.Process }

// hold takes hold of one process of a session: its leader, or the one that serves. The check that it is the session's comes
// after it is held.
func hold(session opened, which func(leader int) int) (process, error) {
	leader := session.PID()
	pid := which(leader)
	p, err := os.FindProcess(pid)
	if err != nil {
		return process{}, err
	}
	if !session.alive() || pid <= 1 || pid != leader && !slices.Contains(descendants(leader), pid) {
		_ = p.Release()
		return process{}, fmt.Errorf("process %d is not the session's any more", pid)
	}
	return process{p}, nil
}

func (p process) kill() error { return p.Signal(syscall.SIGKILL) }
func (p process) stop() error { return p.Signal(syscall.SIGSTOP) }
func (p process) goOn() error { return p.Signal(syscall.SIGCONT) }
func (p process) release()    { _ = p.Release() }
func itself(leader int) int   { return leader }
func serving(leader int) int  { return servingOf(leader, descendants(leader), stdinOf) }

// servingOf is the process that serves: of the leader and its descendants, parents before their children, the last one that
// has the leader's stdin. Launchers pass theirs on; helpers that the server itself starts, such as a browser, have another.
func servingOf(leader int, below []int, stdin func(pid int) string) int {
	found, want := leader, stdin(leader)
	for _, pid := range below {
		if want != "" && stdin(pid) == want {
			found = pid
		}
	}
	return found
}

// stdinOf names the pipe that a process reads; "" where that cannot be known.
func stdinOf(pid int) string {
	name, _ := os.Readlink(fmt.Sprintf("/proc/%d/fd/0", pid))
	return name
}
