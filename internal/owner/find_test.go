package owner

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFindSeesAnOwnerAndBecomesNone(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	wantNobody(t, dir, "before the first owner")
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("Find made the folder: %v", err)
	}
	o := acquire(t, dir)
	if err := o.Publish("/run/a.sock"); err != nil {
		t.Fatal(err)
	}
	got, err := Find(dir)
	if err != nil {
		t.Fatal(err)
	}
	want := &HeldError{StateDir: dir, PID: os.Getpid(), Socket: "/run/a.sock"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Find (-want +got):\n%s", diff)
	}
	if err := o.Release(); err != nil {
		t.Fatal(err)
	}
	wantNobody(t, dir, "after the owner's end")
	acquire(t, dir)
}

// After a SIGKILL the note stays, and its number may soon be another process: in a container it often is.
func TestFindDoesNotTakeANoteForAnOwner(t *testing.T) {
	dir := t.TempDir()
	if err := acquire(t, dir).Release(); err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(note{PID: os.Getpid(), Socket: "/run/old.sock"})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, noteName), data, 0o600); err != nil {
		t.Fatal(err)
	}
	wantNobody(t, dir, "with the note of a dead owner")
	acquire(t, dir)
}

func TestFindSaysWhatItCannotRead(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if found, err := Find(filepath.Join(file, "state")); err == nil {
		t.Errorf("Find below a file = %v, want an error", found)
	}
}

func wantNobody(t *testing.T, dir, when string) {
	t.Helper()
	if found, err := Find(dir); found != nil || err != nil {
		t.Errorf("Find %s = %v, %v, want nobody", when, found, err)
	}
}
