// Package rotate keeps the last part of an endless text in a file that never grows too large.
package rotate

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
)

// File is a text file and the one before it: when the file would grow beyond its limit, it becomes path.1, which is
// replaced, and a new one begins. So at most twice the limit is kept, and at least the last limit's worth.
//
// It is opened at the first write, only its owner can read it (0600, in folders that are 0700), and what an earlier
// process wrote is continued. All methods are safe for concurrent use.
type File struct {
	path  string
	limit int64

	mu     sync.Mutex
	file   *os.File
	size   int64
	closed bool
}

// New returns a file that is limited to limit bytes. Nothing is created yet.
func New(path string, limit int64) *File { return &File{path: path, limit: limit} }

// Write appends p, which is never divided between two files. After Close it writes nothing and says fs.ErrClosed.
func (f *File) Write(p []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return 0, fs.ErrClosed
	}
	if err := f.makeRoom(int64(len(p))); err != nil {
		return 0, err
	}
	n, err := f.file.Write(p)
	f.size += int64(n)
	return n, err
}

// Close closes the file; it may be called again.
func (f *File) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
	return f.shut()
}

func (f *File) makeRoom(n int64) error {
	if f.file == nil {
		if err := f.open(); err != nil {
			return err
		}
	}
	if f.size == 0 || f.size+n <= f.limit {
		return nil
	}
	if err := errors.Join(f.shut(), os.Rename(f.path, f.path+".1")); err != nil {
		return err
	}
	return f.open()
}

func (f *File) open() error {
	if err := os.MkdirAll(filepath.Dir(f.path), 0o700); err != nil {
		return err
	}
	file, err := os.OpenFile(f.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	info, err := file.Stat()
	if err != nil {
		return errors.Join(err, file.Close())
	}
	f.file, f.size = file, info.Size()
	return nil
}

func (f *File) shut() error {
	if f.file == nil {
		return nil
	}
	file := f.file
	f.file = nil
	return file.Close()
}
