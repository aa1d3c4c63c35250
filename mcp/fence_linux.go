package mcp

import (
	"os/exec"
	"time"
)

// sweepTime bounds the hunt for what a server left behind. It takes some milliseconds; only what forks faster than it
// is killed, or sleeps where no signal wakes it, uses it up.
const sweepTime = time.Second

// fence is what holds the processes of one server together, beside their group.
type fence struct {
	cell *cell // nil where no cgroup is ours to make
}

// start starts the command inside the fence. It is another one than cmd when the kernel did not want it in a cgroup.
func (f *fence) start(cmd *exec.Cmd, b *box) (*exec.Cmd, error) {
	f.cell = b.cell()
	if f.cell == nil {
		return cmd, startOwn(cmd)
	}
	inside := *cmd
	attr := *cmd.SysProcAttr
	attr.UseCgroupFD, attr.CgroupFD = true, f.cell.fd()
	inside.SysProcAttr = &attr
	if startOwn(&inside) == nil {
		return &inside, nil
	}
	f.cell.remove()
	f.cell = nil
	return cmd, startOwn(cmd) // if it was not for the cgroup, this says why
}

// sweep kills all that is left of a server whose leader has ended and is not reaped: while it is not, the ids of its
// group and session are not given to anybody else. It reports whether nothing is left.
func (f *fence) sweep(leader int, cookie string) bool {
	f.cell.kill()
	_, gone := killAll(func(pid int) bool { return belongs(pid, leader, cookie) }, sweepTime)
	return f.cell.remove() && gone
}

// belongs reports whether a process is of a server: of its group, of its session, or with its cookie.
func belongs(pid, leader int, cookie string) bool {
	if stat, ok := readStat(pid); ok && (stat.group == leader || stat.leader == leader) {
		return true
	}
	return cookieOf(pid) == cookie
}

func (f *fence) close() {}

func (f *fence) guarantee() Guarantee {
	if f.cell != nil {
		return ByCgroup
	}
	return ByCookie
}
