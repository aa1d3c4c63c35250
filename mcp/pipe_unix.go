//go:build unix

package mcp

import (
	"os"

	"golang.org/x/sys/unix"
)

// readerGone reports whether nobody can read any more what is written into a pipe.
func readerGone(pipe *os.File) bool {
	raw, err := pipe.SyscallConn()
	if err != nil {
		return false
	}
	gone := false
	_ = raw.Control(func(fd uintptr) {
		fds := []unix.PollFd{{Fd: int32(fd)}}
		n, err := unix.Poll(fds, 0)
		gone = err == nil && n > 0 && fds[0].Revents&(unix.POLLERR|unix.POLLHUP) != 0
	})
	return gone
}
