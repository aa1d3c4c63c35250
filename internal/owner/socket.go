package owner

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"
)

// maxSocketPath is below what every Unix takes as a socket's path: macOS has 104 bytes with the final zero.
const maxSocketPath = 100

// SocketPath returns where the owner of stateDir listens: a path of less than 100 bytes, the same for the same
// absolute stateDir and environment.
//
// The socket lies in mcp-supervisor below $XDG_RUNTIME_DIR, or else in mcp-supervisor-<uid> in the folder for temporary
// files. That folder is created (0700) when it is missing; one that is a symlink or belongs to somebody else is
// refused. A client should use the path that HeldError carries, because its own environment may differ.
func SocketPath(stateDir string) (string, error) {
	dir, err := filepath.Abs(stateDir)
	if err != nil {
		return "", fmt.Errorf("socket for %s: %w", stateDir, err)
	}
	sum := sha256.Sum256([]byte(dir))
	return socketIn(socketFolders(), hex.EncodeToString(sum[:8])+".sock")
}

func socketIn(folders []string, name string) (string, error) {
	var faults []error
	for _, folder := range folders {
		path := filepath.Join(folder, name)
		if len(path) >= maxSocketPath {
			faults = append(faults, fmt.Errorf("%s is too long for a socket (%d bytes)", path, len(path)))
			continue
		}
		if err := private(folder); err != nil {
			faults = append(faults, err)
			continue
		}
		return path, nil
	}
	return "", fmt.Errorf("no folder for the control socket: %w", errors.Join(faults...))
}

func socketFolders() []string {
	var folders []string
	// The XDG specification says that a relative path is to be ignored.
	if runtime := os.Getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(runtime) {
		folders = append(folders, filepath.Join(runtime, "mcp-supervisor"))
	}
	ours := "mcp-supervisor-" + strconv.Itoa(os.Getuid())
	return append(folders, filepath.Join(os.TempDir(), ours), filepath.Join("/tmp", ours))
}

// private makes sure that folder is a folder of ours alone. The parent may be open to everybody, so what lies there
// already proves nothing until it was looked at.
func private(folder string) error {
	if err := os.Mkdir(folder, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	var st unix.Stat_t
	if err := unix.Lstat(folder, &st); err != nil {
		return fmt.Errorf("look at %s: %w", folder, err)
	}
	switch {
	case st.Mode&unix.S_IFMT != unix.S_IFDIR:
		return fmt.Errorf("%s is not a folder (a symlink is refused): remove it", folder)
	case int(st.Uid) != os.Getuid():
		return fmt.Errorf("%s belongs to user %d, not to us: remove it or set XDG_RUNTIME_DIR", folder, st.Uid)
	case st.Mode&0o077 != 0:
		return os.Chmod(folder, 0o700)
	}
	return nil
}
