package mcp

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

func whoWeAre() instance {
	i := instance{pid: os.Getpid(), boot: bootID(), space: pidSpace()}
	if stat, ok := readStat(i.pid); ok {
		i.start = stat.start
	}
	return i
}

func bootID() string {
	id, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return strings.TrimSpace(string(id))
}

// pidSpace is the number of our pid namespace, from "pid:[4026531836]".
func pidSpace() string {
	link, _ := os.Readlink("/proc/self/ns/pid")
	return strings.Trim(strings.TrimPrefix(link, "pid:"), "[]")
}

// runs reports whether a process that started then may be alive. When in doubt it is.
func runs(pid int, start string) bool {
	stat, ok := readStat(pid)
	if !ok { // gone, or hidden from us
		return !errors.Is(unix.Kill(pid, 0), unix.ESRCH)
	}
	return stat.start == start && stat.alive()
}

// cookieOf reads the cookie of a process from the environment it was started with; it is empty for those that have
// none, or whose environment we may not read.
func cookieOf(pid int) string {
	env, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
	if err != nil || !bytes.Contains(env, []byte(cookieName+"=")) {
		return ""
	}
	for entry := range bytes.SplitSeq(env, []byte{0}) {
		if value, ok := bytes.CutPrefix(entry, []byte(cookieName+"=")); ok {
			return string(value)
		}
	}
	return ""
}

// sweepDead kills what is left of supervisors that are proven dead, and returns how many processes that were. It
// touches nothing of a living one.
func sweepDead() int {
	us := whoWeAre()
	leftover := func(pid int) bool {
		theirs, ok := parseInstance(cookieOf(pid))
		return ok && theirs.dead(us, runs)
	}
	killed, _ := killAll(leftover, sweepTime)
	return killed
}
