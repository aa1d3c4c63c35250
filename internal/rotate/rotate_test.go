package rotate

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func read(t testing.TB, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return string(text)
}

func TestFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "logs", "x.log")
	write := func(f *File, lines ...string) {
		t.Helper()
		for _, line := range lines {
			if n, err := fmt.Fprintln(f, line); err != nil || n != len(line)+1 {
				t.Fatal(n, err)
			}
		}
	}
	f := New(path, 10)
	if read(t, path) != "" {
		t.Error("it is there before anything was written")
	}
	write(f, "one", "two")
	if got := read(t, path); got != "one\ntwo\n" {
		t.Errorf("%q", got)
	}
	write(f, "three", "longer than ten", "four")
	if got, before := read(t, path), read(t, path+".1"); got != "four\n" || before != "longer than ten\n" {
		t.Errorf("%q, before it %q", got, before)
	}
	if err := errors.Join(f.Close(), f.Close()); err != nil {
		t.Error(err)
	}
	if _, err := f.Write([]byte("x")); !errors.Is(err, fs.ErrClosed) {
		t.Error(err)
	}
	again := New(path, 10)
	defer func() { _ = again.Close() }()
	write(again, "5")
	if got := read(t, path); got != "four\n5\n" {
		t.Errorf("a new process: %q", got)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Error(info.Mode(), err)
	}
}

func TestWriteSaysWhatIsWrong(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	f := New(filepath.Join(path, "x.log"), 10)
	if _, err := f.Write([]byte("x")); err == nil {
		t.Error("it wrote into a folder that is a file")
	}
}

// The two files together are always the end of what was written, and neither is over its limit unless a single line is.
func TestNothingRecentIsLost(t *testing.T) {
	dir := t.TempDir()
	n := 0
	rapid.Check(t, func(rt *rapid.T) {
		n++
		path := filepath.Join(dir, fmt.Sprint(n))
		f := New(path, 50)
		defer func() { _ = f.Close() }()
		all := ""
		for _, line := range rapid.SliceOf(rapid.StringN(1, 20, 60)).Draw(rt, "lines") {
			if _, err := f.Write([]byte(line)); err != nil {
				rt.Fatal(err)
			}
			all += line
			now := read(t, path)
			if kept := read(t, path+".1") + now; !strings.HasSuffix(all, kept) || len(kept) < min(len(all), 50-60) {
				rt.Fatalf("kept %q of %q", kept, all)
			}
			if len(now) > max(50, len(line)) {
				rt.Fatalf("%d bytes", len(now))
			}
		}
	})
}
