package main

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/mcp-supervisor/supervisor/internal/safe"
)

// watched is a workspace's folder that is watched.
func watched(t *testing.T) (string, *watch) {
	t.Helper()
	leaks := goleak.IgnoreCurrent()
	dir := newFolder(t, oneServer)
	w, err := watchFiles(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		w.close()
		goleak.VerifyNone(t, leaks)
	})
	return dir, w
}

// word is what the watch says next.
func word(t *testing.T, w *watch, after string) error {
	t.Helper()
	select {
	case err := <-w.changed():
		return err
	case <-time.After(10 * time.Second):
		t.Fatalf("%s: no word within 10 s", after)
		return nil
	}
}

func noticed(t *testing.T, w *watch, what string) {
	t.Helper()
	if err := word(t, w, what); err != nil {
		t.Fatalf("%s: %v", what, err)
	}
}

func mkdir(t *testing.T, dir string) {
	t.Helper()
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
}

func move(t *testing.T, from, to string) {
	t.Helper()
	if err := os.Rename(from, to); err != nil {
		t.Fatal(err)
	}
}

func TestSavesAreNoticedHoweverTheyAreMade(t *testing.T) {
	dir, w := watched(t)
	main, skills := filepath.Join(dir, "workspace.yaml"), filepath.Join(dir, "skills")
	save(t, main, "a")
	noticed(t, w, "a write in place")
	for range 2 { // the second one replaces a file that came after the watch began
		save(t, main+".tmp", "b")
		move(t, main+".tmp", main)
		noticed(t, w, "a save by renaming")
	}
	mkdir(t, skills)
	noticed(t, w, "a new folder")
	save(t, filepath.Join(skills, "s.yaml"), "s")
	noticed(t, w, "a file in a new folder")
	policies := filepath.Join(dir, "policies")
	mkdir(t, policies)
	noticed(t, w, "a folder of policies")
	save(t, filepath.Join(policies, "a.cedar"), "p")
	noticed(t, w, "a policy")
	save(t, filepath.Join(dir, "tools.lock"), "t")
	noticed(t, w, "the lock of tools")
	mkdir(t, filepath.Join(skills, "deep"))
	noticed(t, w, "a new folder in a new folder")
	save(t, filepath.Join(skills, "deep", "d.yaml"), "d")
	noticed(t, w, "a file in that")
	if err := os.RemoveAll(skills); err != nil {
		t.Fatal(err)
	}
	noticed(t, w, "a folder that is removed")
}

// A checkout may replace the whole folder. The watch says that it has lost it, and follows the one that takes its place.
func TestTheWorkspaceIsReplaced(t *testing.T) {
	dir, w := watched(t)
	move(t, dir, dir+".old")
	t.Cleanup(func() { _ = os.RemoveAll(dir + ".old") })
	if err := word(t, w, "the folder's end"); !errors.Is(err, os.ErrNotExist) {
		t.Fatalf("the watch says %v, want that the folder is gone", err)
	}
	mkdir(t, dir)
	noticed(t, w, "the folder's return")
	save(t, filepath.Join(dir, "workspace.yaml"), "c")
	noticed(t, w, "a file in it")
}

func TestWhatMatters(t *testing.T) {
	w := &watch{root: "/w"}
	for path, want := range map[string]bool{
		"/w": true, "/w/workspace.yaml": true, "/w/workspace.env.yml": true, "/w/skills": true, "/w/..data": true,
		"/w/skills/s.yaml": true, "/w/skills/sub": true, "/w/skills/sub/s.yaml": true,
		"/w/policies": true, "/w/policies/a.cedar": true, "/w/policies/team/a.cedar": true, "/w/a.cedar": true, "/w/tools.lock": true,
		"/w/server.log": false, "/w/data": false, "/w/.supervisor": false, "/w/.workspace.yaml": false, "/w/workspace.yaml~": false,
		"/w/skills/README.md": false, "/w/skills/.s.yaml.swp": false,
		"/w/policies/README.md": false, "/w/policies/a.cedar~": false, "/w/policies/tools.lock": false,
	} {
		if got := w.matters(path); got != want {
			t.Errorf("matters(%q) = %v", path, got)
		}
	}
}

func TestAFolderThatIsNotThereIsNotWatched(t *testing.T) {
	if w, err := watchFiles(filepath.Join(t.TempDir(), "nowhere")); err == nil {
		w.close()
		t.Error("watchFiles of nothing succeeded")
	}
}

func TestWithoutAWatchNothingIsSaid(t *testing.T) {
	var w *watch
	defer w.close()
	if w.changed() != nil {
		t.Error("a watch that is none has something to say")
	}
}

// A server that writes into the workspace all the time must not keep a change from being applied.
func TestNoiseDoesNotHideAChange(t *testing.T) {
	dir, w := watched(t)
	over, done := make(chan struct{}), make(chan struct{})
	t.Cleanup(func() { close(over); <-done })
	safe.Go("noise", func(c *safe.Crash) { t.Error(c) }, func() {
		defer close(done)
		for {
			select {
			case <-over:
				return
			case <-time.After(settle / 20):
				_ = os.WriteFile(filepath.Join(dir, "server.log"), []byte(time.Now().String()), 0o600)
			}
		}
	})
	save(t, filepath.Join(dir, "workspace.yaml"), "a")
	noticed(t, w, "a change in the noise")
}
