// Package examples holds the example workspaces, so that the binary can unpack one anywhere.
package examples

import (
	"embed"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// FS has one folder for each example. The files are named one by one, in folders where a run leaves something behind: a
// build must not pick that up.
//
//go:embed hello-swarm/*.yaml hello-swarm/README.md hello-swarm/archetypes hello-swarm/skills hello-swarm/topologies
//go:embed swarm/*.yaml swarm/README.md swarm/archetypes swarm/skills swarm/topologies swarm/data/notes
//go:embed real-servers/*.yaml real-servers/README.md real-servers/topologies real-servers/data
var FS embed.FS

// Names lists the examples in alphabetical order.
func Names() []string {
	entries, err := FS.ReadDir(".")
	if err != nil {
		panic(fmt.Sprintf("examples.Names: %v", err)) // the root of an embedded file system is always there
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// Extract writes the example into dir, which it makes if it is missing. Files that are there already are not
// overwritten: the first one is an error that wraps fs.ErrExist, and what was written before it stays.
func Extract(name, dir string) error {
	if !slices.Contains(Names(), name) {
		return fmt.Errorf("no example is called %q; there are: %s", name, strings.Join(Names(), ", "))
	}
	return fs.WalkDir(FS, name, func(from string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		to := filepath.Join(dir, filepath.FromSlash(strings.TrimPrefix(from, name)))
		if entry.IsDir() {
			return os.MkdirAll(to, 0o755)
		}
		return copyOut(path.Clean(from), to)
	})
}

func copyOut(from, to string) error {
	content, err := FS.ReadFile(from)
	if err != nil {
		return err
	}
	file, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	if _, err := file.Write(content); err != nil {
		_ = file.Close()
		return err
	}
	return file.Close()
}
