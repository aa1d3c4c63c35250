package demoserver

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// playground is a root folder inside a folder that holds a secret.
func playground(t *testing.T) (root string) {
	t.Helper()
	outside := t.TempDir()
	root = filepath.Join(outside, "root")
	put := func(path, content string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	put(filepath.Join(outside, "secret"), "secret")
	put(filepath.Join(root, "a.txt"), "a")
	put(filepath.Join(root, "sub", "b.txt"), "b")
	put(filepath.Join(root, "binary"), "\xff\xfe")
	put(filepath.Join(root, "large"), strings.Repeat("x", maxFile+1))
	put(filepath.Join(root, "full"), strings.Repeat("x", maxFile))
	for link, target := range map[string]string{"out": "../secret", "up": "..", "in": "a.txt", "loop": "loop"} {
		if err := os.Symlink(target, filepath.Join(root, link)); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(filepath.Join(root, "fifo"), 0o644); err != nil {
		t.Fatal(err)
	}
	return root
}

const outside = "leads out of the root folder"

func TestFiles(t *testing.T) {
	root := playground(t)
	session := connect(t, "files", root)
	secret := filepath.Join(filepath.Dir(root), "secret")
	for _, tc := range []struct {
		tool string
		args args
		want string // the answer, or a part of it if it is an error
	}{
		{"read_file", args{"path": "a.txt"}, "a"},
		{"read_file", args{"path": "./sub/../a.txt"}, "a"},
		{"read_file", args{"path": "in"}, "a"},
		{"read_file", args{"path": "full"}, strings.Repeat("x", maxFile)},
		{"read_file", args{"path": "large"}, "error: it is larger than 1 MiB"},
		{"read_file", args{"path": "binary"}, "error: it is not UTF-8 text"},
		{"read_file", args{"path": "none"}, "error: no such file or folder"},
		{"read_file", args{"path": "sub"}, "error: it is not a regular file"},
		{"read_file", args{"path": "fifo"}, "error: it is not a regular file"},
		{"read_file", args{"path": ""}, "error: the path is empty"},
		{"read_file", args{"path": "../secret"}, "error: " + outside},
		{"read_file", args{"path": "sub/../../secret"}, "error: " + outside},
		{"read_file", args{"path": secret}, "error: " + outside},
		{"read_file", args{"path": "out"}, "error: " + outside},
		{"read_file", args{"path": "up/secret"}, "error: " + outside},
		{"read_file", args{"path": "loop"}, "error: too many levels of symbolic links"},

		{"list_directory", nil, "a.txt\nbinary\nfifo\nfull\nin\nlarge\nloop\nout\nsub/\nup\n"},
		{"list_directory", args{"path": "sub/"}, "b.txt\n"},
		{"list_directory", args{"path": ".."}, "error: " + outside},
		{"list_directory", args{"path": "/"}, "error: " + outside},
		{"list_directory", args{"path": "up"}, "error: " + outside},
		{"list_directory", args{"path": "a.txt"}, "error: not a directory"},

		{"write_file", args{"path": "new/deep/c.txt", "content": "c"}, "wrote 1 bytes to new/deep/c.txt"},
		{"read_file", args{"path": "new/deep/c.txt"}, "c"},
		{"write_file", args{"path": "new/deep/c.txt", "content": ""}, "wrote 0 bytes to new/deep/c.txt"},
		{"read_file", args{"path": "new/deep/c.txt"}, ""},
		{"write_file", args{"path": "../secret", "content": "x"}, "error: " + outside},
		{"write_file", args{"path": secret, "content": "x"}, "error: " + outside},
		{"write_file", args{"path": "out", "content": "x"}, "error: " + outside},
		{"write_file", args{"path": "up/new", "content": "x"}, "error: " + outside},
		{"write_file", args{"path": "../new/x", "content": "x"}, "error: " + outside},
		{"write_file", args{"path": "sub", "content": "x"}, "error: it is not a regular file"},
		{"write_file", args{"path": "fifo", "content": "x"}, "error: it is not a regular file"},
		{"write_file", args{"path": "l", "content": strings.Repeat("x", maxFile+1)}, "error: it is larger than 1 MiB"},
		{"write_file", args{"path": "l"}, "error: "},

		{"delete_file", args{"path": "new/deep/c.txt"}, "deleted new/deep/c.txt"},
		{"delete_file", args{"path": "new/deep/c.txt"}, "error: no such file or folder"},
		{"delete_file", args{"path": "new/deep"}, "error: it is not a regular file"},
		{"delete_file", args{"path": "../secret"}, "error: " + outside},
		{"delete_file", args{"path": "up/secret"}, "error: " + outside},
		{"delete_file", args{"path": "out"}, "deleted out"}, // the link, not what it leads to
	} {
		got := call(t, session, tc.tool, tc.args)
		wantErr, isErr := strings.CutPrefix(tc.want, "error: ")
		if isErr && (!strings.HasPrefix(got, "error: ") || !strings.Contains(got, wantErr)) {
			t.Errorf("%s(%v) = %.200q, want an error with %q", tc.tool, tc.args["path"], got, wantErr)
		}
		if !isErr && got != tc.want {
			t.Errorf("%s(%v): (-want +got):\n%s", tc.tool, tc.args["path"], cmp.Diff(tc.want, got))
		}
		if strings.Contains(got, root) && strings.HasPrefix(got, "error: ") && tc.args["path"] != secret {
			t.Errorf("%s(%v) tells where the root folder is: %q", tc.tool, tc.args["path"], got)
		}
	}
	if kept, err := os.ReadFile(secret); err != nil || string(kept) != "secret" {
		t.Errorf("the file outside is now %q, %v", kept, err)
	}
}
