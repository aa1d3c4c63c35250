package mcp

import (
	"crypto/rand"
	"strconv"
	"strings"
)

// cookieName is the environment variable by which a server and all its descendants are known. An environment is
// inherited through fork, exec, setsid and a change of parents, so that it finds those that left the server's group.
const cookieName = "MCP_SUPERVISOR_COOKIE"

// instance is one supervisor, as its cookies name it: unique over all supervisors, boots and containers.
type instance struct {
	boot   string // the kernel's boot id
	space  string // the pid namespace in which pid counts
	pid    int
	start  string // the process's start time, in clock ticks since the boot: a reused pid has another
	random string
}

func newInstance() instance {
	i := whoWeAre()
	i.random = rand.Text()
	return i
}

// String has letters, digits, '-' and '.' only: the guardian's shell needs no quoting, and '/' ends it.
func (i instance) String() string {
	return strings.Join([]string{i.boot, i.space, strconv.Itoa(i.pid), i.start, i.random}, ".")
}

// parseInstance reads what String wrote, from a whole cookie or from its first part.
func parseInstance(cookie string) (i instance, ok bool) {
	name, _, _ := strings.Cut(cookie, "/")
	part := strings.Split(name, ".")
	if len(part) != 5 {
		return i, false
	}
	pid, err := strconv.Atoi(part[2])
	if err != nil || pid <= 0 {
		return i, false
	}
	return instance{boot: part[0], space: part[1], pid: pid, start: part[3], random: part[4]}, true
}

// cookie names incarnation n of the servers of an instance. A sweep compares the whole of it, so that 1 is not 11.
func (i instance) cookie(n int64) string { return i.String() + "/" + strconv.FormatInt(n, 10) }

// dead reports whether it is proven that the instance is no more, seen from us. Where pids count differently, as in
// another container, nothing is proven.
func (i instance) dead(us instance, runs func(pid int, start string) bool) bool {
	switch {
	case i.boot == "" || i.space == "" || i.start == "" || i.space != us.space:
		return false
	case i.boot != us.boot:
		return true
	}
	return !runs(i.pid, i.start)
}
