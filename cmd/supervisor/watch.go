package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/mcp-supervisor/supervisor/internal/safe"
)

const (
	// settle is how long the files must be quiet before they are read: an editor saves in several steps.
	settle = 300 * time.Millisecond
	// lookAgain is the pause before folders are watched again that could not be, as while a checkout replaces them.
	lookAgain = time.Second
)

// kinds are the folders of a workspace whose files are read, with one level of folders below them.
var kinds = []string{"skills", "archetypes", "topologies", "policies"}

// watch tells when a workspace's files may have changed. It watches folders, because an editor that saves by renaming
// puts another file in the place of the one that was watched.
type watch struct {
	root    string
	folders *fsnotify.Watcher
	news    chan error
	ended   chan struct{}
}

// watchFiles watches the workspace in folder root, which is absolute, until close.
func watchFiles(root string) (*watch, error) {
	folders, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, err
	}
	w := &watch{root: root, folders: folders, news: make(chan error, 1), ended: make(chan struct{})}
	if err := w.follow(); err != nil {
		return nil, errors.Join(err, folders.Close())
	}
	safe.Go("watch", func(c *safe.Crash) { w.tell(c) }, w.run)
	return w, nil
}

// changed says nil when files may have changed, and why they cannot be watched. It never says anything when w is nil.
func (w *watch) changed() <-chan error {
	if w == nil {
		return nil
	}
	return w.news
}

func (w *watch) close() {
	if w == nil {
		return
	}
	_ = w.folders.Close()
	<-w.ended
}

func (w *watch) run() {
	defer close(w.ended)
	quiet := time.NewTimer(settle)
	quiet.Stop()
	lost := false // a folder could not be watched, and that was told
	for {
		select {
		case e, ok := <-w.folders.Events:
			if !ok {
				return
			}
			if w.matters(e.Name) {
				quiet.Reset(settle)
			}
		case _, ok := <-w.folders.Errors: // events were dropped: anything may have changed
			if !ok {
				return
			}
			quiet.Reset(settle)
		case <-quiet.C:
			err := w.follow()
			if err != nil {
				quiet.Reset(lookAgain)
			}
			if err == nil || !lost {
				w.tell(err)
			}
			lost = err != nil
		}
	}
}

// tell leaves a word for the reader. One that was not read yet says enough.
func (w *watch) tell(err error) {
	select {
	case w.news <- err:
	default:
	}
}

// follow watches all folders that there are now. Watching one again does nothing, unless it is another one by now.
func (w *watch) follow() error {
	if err := w.folders.Add(w.root); err != nil {
		return err
	}
	for _, kind := range kinds {
		folder := filepath.Join(w.root, kind)
		entries, err := os.ReadDir(folder)
		if err != nil { // there is none; or loading says what is wrong with it
			continue
		}
		if err := w.add(folder); err != nil {
			return err
		}
		for _, e := range entries {
			if below := filepath.Join(folder, e.Name()); isFolder(below) {
				if err := w.add(below); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// add watches a folder, which may be gone again.
func (w *watch) add(folder string) error {
	if err := w.folders.Add(folder); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// matters reports whether something at path can be part of the workspace: servers write files in its folder too.
func (w *watch) matters(path string) bool {
	folder, name := filepath.Dir(path), filepath.Base(path)
	switch {
	case path == w.root, name == "..data": // Kubernetes replaces all files of a mounted folder by replacing this link
		return true
	case name[0] == '.': // editors' own files; no file of a workspace is called so
		return false
	case folder == w.root:
		return isRead(name) || name == "tools.lock" || slices.Contains(kinds, name)
	}
	return isRead(name) || filepath.Ext(name) == "" // which may be a folder
}

// isRead reports whether a file of that name is one that loading reads.
func isRead(name string) bool { return isYAML(name) || filepath.Ext(name) == ".cedar" }

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
