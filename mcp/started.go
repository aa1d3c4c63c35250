package mcp

import (
	"os/exec"
	"sync"
)

// started are the processes that this package started and waits for itself. The reaper of orphans must not take their
// exit status away.
var started struct {
	sync.RWMutex // held for reading while a process is started
	pids         sync.Map
}

func startOwn(cmd *exec.Cmd) error {
	started.RLock()
	defer started.RUnlock()
	err := cmd.Start()
	if err == nil {
		started.pids.Store(cmd.Process.Pid, true)
	}
	return err
}

// await reaps a process of startOwn.
func await(cmd *exec.Cmd) {
	_ = cmd.Wait()
	started.pids.Delete(cmd.Process.Pid)
}
