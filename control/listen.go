package control

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
)

// Listen opens the owner's socket at path, in a folder that is there, with mode 0600.
//
// A socket that an earlier owner left behind is removed first: the caller holds the workspace's lock, so nobody listens
// on it any more. Anything else at that path is an error and stays. Closing the listener removes the socket.
func Listen(path string) (*net.UnixListener, error) {
	if err := removeStale(path); err != nil {
		return nil, err
	}
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		return nil, err
	}
	// Between bind and chmod the mode is the umask's: the peer check in accept covers that moment.
	if err := os.Chmod(path, 0o600); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

func removeStale(path string) error {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if info.Mode().Type() != fs.ModeSocket {
		return fmt.Errorf("%s is in the way of the control socket: remove it", path)
	}
	return os.Remove(path)
}

// guarded accepts only connections of our own user.
type guarded struct {
	*net.UnixListener
	allowed func(*net.UnixConn) bool
}

func (g guarded) Accept() (net.Conn, error) {
	for {
		conn, err := g.AcceptUnix()
		if err != nil {
			return nil, err
		}
		if g.allowed(conn) {
			return conn, nil
		}
		_ = conn.Close() // a stranger gets no word, not even an error
	}
}
