package owner

import (
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// shortDir is a folder with a short path, which t.TempDir does not promise.
func shortDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "own")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

func socketPath(t *testing.T, stateDir string) string {
	t.Helper()
	path, err := SocketPath(stateDir)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func TestSocketPathIsShortPrivateAndUsable(t *testing.T) {
	runtime := shortDir(t)
	t.Setenv("XDG_RUNTIME_DIR", runtime)
	path := socketPath(t, "/"+strings.Repeat("deep/", 200)+".supervisor")
	if dir := filepath.Dir(path); dir != filepath.Join(runtime, "mcp-supervisor") {
		t.Errorf("folder = %s", dir)
	}
	if !regexp.MustCompile(`^[0-9a-f]{16}\.sock$`).MatchString(filepath.Base(path)) {
		t.Errorf("name = %s", filepath.Base(path))
	}
	info, err := os.Stat(filepath.Dir(path))
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("folder is %v, %v", info, err)
	}
	listener, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	_ = listener.Close()
}

func TestSocketPathNamesTheWorkspace(t *testing.T) {
	t.Setenv("XDG_RUNTIME_DIR", shortDir(t))
	t.Chdir(t.TempDir())
	wd, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	if socketPath(t, ".supervisor") != socketPath(t, filepath.Join(wd, "x", "..", ".supervisor")) {
		t.Error("one folder has two sockets")
	}
	if socketPath(t, "/a/.supervisor") == socketPath(t, "/b/.supervisor") {
		t.Error("two folders share a socket")
	}
}

func TestSocketPathFallsBackToTheTemporaryFolder(t *testing.T) {
	tests := map[string]string{
		"not set":  "",
		"relative": "run",
		"missing":  "/nowhere/at/all",
		"too long": "/" + strings.Repeat("x", 90),
	}
	for name, runtime := range tests {
		t.Run(name, func(t *testing.T) {
			temp := shortDir(t)
			t.Setenv("TMPDIR", temp)
			t.Setenv("XDG_RUNTIME_DIR", runtime)
			if path := socketPath(t, "/w/.supervisor"); !strings.HasPrefix(path, temp+"/mcp-supervisor-") {
				t.Errorf("path = %s, want it below %s", path, temp)
			}
		})
	}
}

func TestSocketFolderIsRefusedWhenItIsNotOurs(t *testing.T) {
	tests := map[string]func(t *testing.T, folder string){
		"a symlink": func(t *testing.T, folder string) {
			if err := os.Symlink(t.TempDir(), folder); err != nil {
				t.Fatal(err)
			}
		},
		"a file": func(t *testing.T, folder string) {
			if err := os.WriteFile(folder, nil, 0o600); err != nil {
				t.Fatal(err)
			}
		},
		"somebody else's": func(t *testing.T, folder string) {
			if os.Getuid() != 0 {
				t.Skip("only root can give a folder away")
			}
			if err := os.Mkdir(folder, 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.Chown(folder, 1, 1); err != nil {
				t.Fatal(err)
			}
		},
	}
	for name, squat := range tests {
		t.Run(name, func(t *testing.T) {
			folder := filepath.Join(shortDir(t), "mcp-supervisor")
			squat(t, folder)
			path, err := socketIn([]string{folder}, "0.sock")
			if err == nil || !strings.Contains(err.Error(), folder) {
				t.Errorf("socketIn = %q, %v; want an error that names the folder", path, err)
			}
		})
	}
}

func TestSocketFolderOfOursIsMadePrivate(t *testing.T) {
	folder := filepath.Join(shortDir(t), "mcp-supervisor")
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := socketIn([]string{folder}, "0.sock"); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(folder); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("folder is %v, %v", info, err)
	}
}
