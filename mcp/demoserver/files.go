package demoserver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"unicode/utf8"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxFile bounds what is read and written: a whole file goes through one message.
const maxFile = 1 << 20

type pathArg struct {
	Path string `json:"path" jsonschema:"relative to the root folder"`
}

type optionalPath struct {
	Path string `json:"path,omitempty" jsonschema:"relative to the root folder; the root folder itself if left out"`
}

type pathAndContent struct {
	Path    string `json:"path" jsonschema:"relative to the root folder; missing folders are made"`
	Content string `json:"content" jsonschema:"at most 1 MiB"`
}

// folder confines all its methods to one folder. os.Root does that in the kernel's path walk, so no symbolic link, no
// "..", and no race between a check and its use leads out.
type folder struct{ root *os.Root }

func openFiles(h *host, args []string) error {
	root, err := os.OpenRoot(args[0])
	if err != nil {
		return fmt.Errorf("root folder: %w", err)
	}
	h.closers = append(h.closers, root)
	f := folder{root}
	addTool(h, sdk.Tool{Name: "read_file", Description: "Returns the text of a file of at most 1 MiB.", Annotations: reads()}, f.read)
	addTool(h, sdk.Tool{Name: "list_directory", Description: "Lists a folder, one name a line; folders end with a slash.", Annotations: reads()}, f.list)
	addTool(h, sdk.Tool{Name: "write_file", Description: "Makes a file or replaces its content.", Annotations: destroys()}, f.write)
	addTool(h, sdk.Tool{Name: "delete_file", Description: "Deletes a file.", Annotations: destroys()}, f.delete)
	return nil
}

func (f folder) read(_ context.Context, in pathArg) (string, error) {
	// Without O_NONBLOCK opening a named pipe would wait for a writer.
	file, err := f.root.OpenFile(in.Path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return "", explain("read", in.Path, err)
	}
	defer func() { _ = file.Close() }()
	if err := wantRegular(file.Stat()); err != nil {
		return "", explain("read", in.Path, err)
	}
	content, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	switch {
	case err != nil:
		return "", explain("read", in.Path, err)
	case len(content) > maxFile:
		return "", explain("read", in.Path, errTooLarge)
	case !utf8.Valid(content):
		return "", explain("read", in.Path, errors.New("it is not UTF-8 text"))
	}
	return string(content), nil
}

func (f folder) list(_ context.Context, in optionalPath) (string, error) {
	if in.Path == "" {
		in.Path = "."
	}
	entries, err := fs.ReadDir(f.root.FS(), filepath.ToSlash(filepath.Clean(in.Path)))
	if errors.Is(err, fs.ErrInvalid) {
		err = errOutside // how io/fs refuses "..", and absolute paths
	}
	if err != nil {
		return "", explain("list", in.Path, err)
	}
	var lines strings.Builder
	for _, e := range entries {
		lines.WriteString(e.Name())
		if e.IsDir() {
			lines.WriteByte('/')
		}
		lines.WriteByte('\n')
	}
	return lines.String(), nil
}

func (f folder) write(_ context.Context, in pathAndContent) (string, error) {
	if len(in.Content) > maxFile {
		return "", explain("write", in.Path, errTooLarge)
	}
	if err := f.replaceable(in.Path); err != nil {
		return "", explain("write", in.Path, err)
	}
	if err := f.root.MkdirAll(filepath.Dir(in.Path), 0o755); err != nil {
		return "", explain("write", in.Path, err)
	}
	if err := f.root.WriteFile(in.Path, []byte(in.Content), 0o644); err != nil {
		return "", explain("write", in.Path, err)
	}
	return fmt.Sprintf("wrote %d bytes to %s", len(in.Content), in.Path), nil
}

func (f folder) delete(_ context.Context, in pathArg) (string, error) {
	info, err := f.root.Lstat(in.Path)
	if err == nil && info.IsDir() {
		err = errNotRegular
	}
	if err == nil {
		err = f.root.Remove(in.Path)
	}
	if err != nil {
		return "", explain("delete", in.Path, err)
	}
	return "deleted " + in.Path, nil
}

// replaceable keeps write from opening what is no file: a named pipe would block, a folder has no content.
func (f folder) replaceable(path string) error {
	err := wantRegular(f.root.Stat(path))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func wantRegular(info fs.FileInfo, err error) error {
	if err == nil && !info.Mode().IsRegular() {
		return errNotRegular
	}
	return err
}
