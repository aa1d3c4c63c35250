package mcp

import (
	"os/exec"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/mcp-supervisor/supervisor/mcp/spec"
)

// awaitExit returns when the process has ended, and says how. It leaves the process unreaped: as long as it is, its id
// and its group's are not given to anybody else.
func awaitExit(cmd *exec.Cmd) spec.Exit {
	var info unix.Siginfo
	for {
		switch unix.Waitid(unix.P_PID, cmd.Process.Pid, &info, unix.WEXITED|unix.WNOWAIT, nil) {
		case nil:
			return postMortem(&info)
		case unix.EINTR:
		default: // somebody else reaped it
			return spec.Exit{Code: -1}
		}
	}
}

// What si_code says of a child that has ended; sigaction(2).
const (
	cldExited = 1
	cldKilled = 2
	cldDumped = 3
)

// childInfo is a siginfo_t that tells of a child. Package unix leaves out what comes after the first three numbers.
type childInfo struct {
	_     [3]int32 // signo, errno and code
	child struct {
		_      [0]uintptr // it begins where a pointer could, since it shares its place with other kinds that have one
		pid    int32
		uid    uint32
		status int32 // the exit code or the signal
	}
}

// postMortem reads how a process ended.
func postMortem(info *unix.Siginfo) spec.Exit {
	status := int((*childInfo)(unsafe.Pointer(info)).child.status)
	switch info.Code {
	case cldExited:
		return spec.Exit{Code: status}
	case cldKilled, cldDumped:
		return spec.Exit{Code: -1, Signal: unix.SignalName(syscall.Signal(status))}
	}
	return spec.Exit{Code: -1}
}

// reap takes the exit status of a process that has ended.
func reap(cmd *exec.Cmd) { await(cmd) }
