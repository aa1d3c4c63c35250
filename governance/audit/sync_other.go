//go:build !linux

package audit

import "golang.org/x/sys/unix"

// fdatasync waits until the file's content and size are on the disk. There is no fdatasync everywhere; fsync does more.
func fdatasync(fd int) error { return unix.Fsync(fd) }
