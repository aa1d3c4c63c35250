//go:build !linux

package control

import "net"

// isOurs trusts the socket's mode: only its owner can connect.
func isOurs(*net.UnixConn) bool { return true }
