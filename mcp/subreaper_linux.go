package mcp

import (
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/mcp-supervisor/supervisor/internal/safe"
)

// reapPause is how long dead orphans may wait for others to die: one look at all processes reaps them all.
const reapPause = 100 * time.Millisecond

// AdoptOrphans makes this process the new parent of descendants that lose theirs, and reaps them when they end, as
// process 1 has to do anyway, until stop is called.
//
// It is for a program that is a supervisor and nothing else: each child that this package did not start is taken for an
// orphan, and its exit status is taken. A program that starts children by itself must not call it.
func AdoptOrphans() (stop func()) {
	_ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) // it can only fail on kernels before 3.4
	died, quit, ended := make(chan os.Signal, 1), make(chan struct{}), make(chan struct{})
	signal.Notify(died, syscall.SIGCHLD)
	safe.Go("reaper of orphans", nil, func() {
		defer close(ended)
		reapUntil(quit, died)
	})
	return sync.OnceFunc(func() {
		signal.Stop(died)
		close(quit)
		<-ended
		_ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)
	})
}

func reapUntil(quit <-chan struct{}, died <-chan os.Signal) {
	var due <-chan time.Time
	for {
		select {
		case <-quit:
			return
		case <-died:
			if due == nil {
				due = time.After(reapPause)
			}
		case <-due:
			due = nil
			if !reapOrphans() {
				due = time.After(reapPause)
			}
		}
	}
}

// reapOrphans reaps the dead children that nobody waits for, each by its pid: a wait for any child would take the exit
// status of a server from whoever waits for that. It does nothing, and says so, while a process is being started, which
// is not known for ours yet.
func reapOrphans() bool {
	if !started.TryLock() {
		return false
	}
	defer started.Unlock()
	for _, pid := range pids() {
		stat, ok := readStat(pid)
		if !ok || stat.parent != os.Getpid() || stat.alive() {
			continue
		}
		if _, ours := started.pids.Load(pid); !ours {
			_, _ = unix.Wait4(pid, nil, unix.WNOHANG, nil)
		}
	}
	return true
}
