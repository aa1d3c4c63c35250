package audit

import "golang.org/x/sys/unix"

// fdatasync waits until the file's content and size are on the disk.
func fdatasync(fd int) error { return unix.Fdatasync(fd) }
