package control

import (
	"net"
	"os"

	"golang.org/x/sys/unix"
)

// isOurs reports whether the process at the other end runs as our own user.
func isOurs(conn *net.UnixConn) bool {
	raw, err := conn.SyscallConn()
	if err != nil {
		return false
	}
	var peer *unix.Ucred
	var peerErr error
	err = raw.Control(func(fd uintptr) {
		peer, peerErr = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED)
	})
	return err == nil && peerErr == nil && int(peer.Uid) == os.Geteuid()
}
