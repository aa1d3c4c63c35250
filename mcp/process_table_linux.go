package mcp

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// procStat is what /proc/PID/stat tells about a process.
type procStat struct {
	state                 string
	parent, group, leader int // leader is the session's id
	threads               int
	start                 string // in clock ticks since the boot
}

// alive is false for those that only wait to be reaped: dead orphans are for process 1, which may take its time. The
// threads of a process whose first one has ended go on.
func (s procStat) alive() bool { return s.state != "Z" && s.state != "X" || s.threads > 1 }

func readStat(pid int) (procStat, bool) {
	line, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return procStat{}, false
	}
	return parseStat(line)
}

// parseStat reads "pid (name) state ppid pgrp session ...": proc(5) counts the fields from 1. A name may hold anything,
// brackets and line ends too.
func parseStat(line []byte) (s procStat, ok bool) {
	field := bytes.Fields(line[bytes.LastIndexByte(line, ')')+1:])
	if len(field) < 20 {
		return s, false
	}
	number := func(n int) int { // field n of proc(5)
		v, err := strconv.Atoi(string(field[n-3]))
		ok = ok && err == nil
		return v
	}
	ok = true
	s = procStat{
		state: string(field[0]), parent: number(4), group: number(5), leader: number(6), threads: number(20),
		start: string(field[22-3]),
	}
	return s, ok
}

// pids lists all processes.
func pids() (list []int) {
	proc, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer func() { _ = proc.Close() }()
	names, _ := proc.Readdirnames(-1)
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil {
			list = append(list, pid)
		}
	}
	return list
}

// processes lists the living processes for which is holds, ourselves left out.
func processes(is func(pid int) bool) (list []int) {
	for _, pid := range pids() {
		if pid != os.Getpid() && is(pid) && breathes(pid) {
			list = append(list, pid)
		}
	}
	return list
}

func breathes(pid int) bool {
	stat, ok := readStat(pid)
	return ok && stat.alive()
}

// killAll kills all processes for which is holds, again and again until two looks in a row find none: one may fork while
// we look. It gives up after the limit, and says how many were hit and whether none is left.
func killAll(is func(pid int) bool, limit time.Duration) (killed int, gone bool) {
	hit := map[int]bool{}
	end := time.Now().Add(limit)
	for empty, pause := 0, time.Millisecond; empty < 2; {
		list := processes(is)
		if len(list) == 0 {
			empty++
			continue
		}
		if empty = 0; time.Now().After(end) {
			return len(hit), false
		}
		for _, pid := range list {
			hit[pid] = true
			killIf(pid, is)
		}
		time.Sleep(pause)
		pause = min(2*pause, 50*time.Millisecond)
	}
	return len(hit), true
}

// killIf kills a process if is still holds for it. With a pidfd, opened before the check, the signal can only meet the
// process that was checked, or nobody: the pid may be somebody else's by then.
func killIf(pid int, is func(pid int) bool) {
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil { // the process is gone, or the kernel is older than 5.3
		if !errors.Is(err, unix.ESRCH) && is(pid) {
			_ = unix.Kill(pid, unix.SIGKILL)
		}
		return
	}
	defer func() { _ = unix.Close(fd) }()
	if is(pid) {
		_ = unix.PidfdSendSignal(fd, unix.SIGKILL, nil, 0)
	}
}
