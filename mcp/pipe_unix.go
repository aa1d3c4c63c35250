//go:build unix

package mcp

import (
	"os"

	"golang.org/x/sys/unix"
)

// readerGone reports whether nobody can read any more what is written into a pipe.
func readerGone(pipe *os.File) bool { return poll(pipe, 0)&(unix.POLLERR|unix.POLLHUP) != 0 }

// readable reports whether a read would not block: something is in the pipe, or nobody can write into it any more.
func readable(pipe *os.File) bool { return poll(pipe, unix.POLLIN) != 0 }

// poll looks at a pipe without waiting; 0 when there is nothing to see, or the pipe is closed on our side.
func poll(pipe *os.File, events int16) (seen int16) {
	raw, err := pipe.SyscallConn()
	if err != nil {
		return 0
	}
	_ = raw.Control(func(fd uintptr) {
		fds := []unix.PollFd{{Fd: int32(fd), Events: events}}
		if n, err := unix.Poll(fds, 0); err == nil && n > 0 {
			seen = fds[0].Revents
		}
	})
	return seen
}
