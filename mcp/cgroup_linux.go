package mcp

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// box is a cgroup (v2) below our own, with a cell for each server. No process leaves a cgroup by forking, by a session
// of its own or by a clean environment, and all in one die by one write to its cgroup.kill.
//
// A nil box is where the system gives us none: cgroup v1, no right to write, a kernel before 5.14.
type box struct {
	dir  string
	next atomic.Int64
}

func newBox(name string) *box {
	own, ok := ownCgroup()
	if !ok {
		return nil
	}
	b := &box{dir: filepath.Join(own, name)}
	if os.Mkdir(b.dir, 0o755) != nil {
		return nil
	}
	if _, err := os.Stat(filepath.Join(b.dir, "cgroup.kill")); err != nil {
		b.remove()
		return nil
	}
	return b
}

// ownCgroup is the folder of the cgroup that we are in.
func ownCgroup() (string, bool) {
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return "", false
	}
	groups, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return "", false
	}
	return cgroupFolder(string(mounts), string(groups))
}

// cgroupFolder joins where cgroup v2 is mounted with where we are in it ("0::/user.slice/x"). A mount may show only a part
// of the hierarchy, its root.
func cgroupFolder(mounts, groups string) (string, bool) {
	for line := range strings.Lines(groups) {
		path, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "0::")
		if !ok {
			continue
		}
		for mount := range strings.Lines(mounts) {
			left, right, _ := strings.Cut(mount, " - ")
			field := strings.Fields(left)
			if !strings.HasPrefix(right, "cgroup2 ") || len(field) < 5 {
				continue
			}
			below, err := filepath.Rel(field[3], path)
			if err == nil && below != ".." && !strings.HasPrefix(below, "../") {
				return filepath.Join(field[4], below), true
			}
		}
	}
	return "", false
}

func (b *box) path() string {
	if b == nil {
		return ""
	}
	return b.dir
}

// remove kills what is in the box and removes it.
func (b *box) remove() bool { return b == nil || removeCgroup(b.dir) }

// cell makes a cgroup for one server; nil if that is not possible.
func (b *box) cell() *cell {
	if b == nil {
		return nil
	}
	dir := filepath.Join(b.dir, strconv.FormatInt(b.next.Add(1), 10))
	if os.Mkdir(dir, 0o755) != nil {
		return nil
	}
	folder, err := os.Open(dir)
	if err != nil {
		_ = os.Remove(dir)
		return nil
	}
	return &cell{dir: dir, folder: folder}
}

// cell is the cgroup of one server. All its methods do nothing on nil.
type cell struct {
	dir    string
	folder *os.File
}

func (c *cell) fd() int { return int(c.folder.Fd()) }

func (c *cell) kill() {
	if c != nil {
		killCgroup(c.dir)
	}
}

// remove kills what is in the cell and reports whether nothing is left of it.
func (c *cell) remove() bool {
	if c == nil {
		return true
	}
	_ = c.folder.Close()
	return removeCgroup(c.dir)
}

func killCgroup(dir string) {
	_ = os.WriteFile(filepath.Join(dir, "cgroup.kill"), []byte("1"), 0) // an error shows in what is still alive
}

// removeCgroup empties a cgroup and removes it with those that its processes made in it. A killed process is in it until
// it is quite gone, which takes some milliseconds.
func removeCgroup(dir string) bool {
	for end, wait := time.Now().Add(sweepTime), time.Millisecond; ; wait = min(2*wait, 50*time.Millisecond) {
		killCgroup(dir)
		if !populated(dir) && removeTree(dir) {
			return true
		}
		if time.Now().After(end) {
			return false
		}
		time.Sleep(wait)
	}
}

// populated reports whether a process is in the cgroup or in one below it.
func populated(dir string) bool {
	events, _ := os.ReadFile(filepath.Join(dir, "cgroup.events"))
	return bytes.Contains(events, []byte("populated 1"))
}

func removeTree(dir string) bool {
	var folders []string
	_ = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() {
			folders = append(folders, path)
		}
		return nil
	})
	for _, folder := range slices.Backward(folders) {
		_ = os.Remove(folder)
	}
	_, err := os.Stat(dir)
	return err != nil
}
