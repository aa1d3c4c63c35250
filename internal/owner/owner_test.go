package owner

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// holdEnv makes the test binary an owner of the folder it names, until its stdin ends.
const holdEnv = "OWNER_TEST_HOLD"

func TestMain(m *testing.M) {
	if dir := os.Getenv(holdEnv); dir != "" {
		hold(dir)
		return
	}
	os.Exit(m.Run())
}

func hold(dir string) {
	o, err := Acquire(dir)
	if err == nil {
		err = o.Publish("/run/held.sock")
	}
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println("holding")
	_, _ = io.Copy(io.Discard, os.Stdin)
}

// startHolder runs a process that owns dir and returns when it does.
func startHolder(t *testing.T, dir string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), holdEnv+"="+dir)
	if _, err := cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || line != "holding\n" {
		t.Fatalf("helper said %q, %v", line, err)
	}
	return cmd
}

func acquire(t *testing.T, dir string) *Owner {
	t.Helper()
	o, err := Acquire(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = o.Release() })
	return o
}

func wantHeld(t *testing.T, dir string, pid int, socket string) {
	t.Helper()
	_, err := Acquire(dir)
	var got *HeldError
	if !errors.As(err, &got) || !errors.Is(err, ErrHeld) {
		t.Fatalf("Acquire = %v, want a HeldError", err)
	}
	want := &HeldError{StateDir: dir, PID: pid, Socket: socket}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("HeldError (-want +got):\n%s", diff)
	}
}

func TestAcquireCreatesAPrivateFolderThatGitIgnores(t *testing.T) {
	dir := filepath.Join(t.TempDir(), ".supervisor")
	acquire(t, dir)
	info, err := os.Stat(dir)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o700 {
		t.Errorf("mode = %v, want 0700", info.Mode().Perm())
	}
	ignore, err := os.ReadFile(filepath.Join(dir, ".gitignore"))
	if err != nil || string(ignore) != "*\n" {
		t.Errorf(".gitignore = %q, %v", ignore, err)
	}
}

func TestAcquireKeepsTheUsersGitignore(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, ".gitignore")
	if err := os.WriteFile(path, []byte("*\n!keep\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	acquire(t, dir)
	if got, _ := os.ReadFile(path); string(got) != "*\n!keep\n" {
		t.Errorf(".gitignore = %q", got)
	}
}

func TestTwoOwnersInOneProcessExcludeEachOther(t *testing.T) {
	dir := t.TempDir()
	o := acquire(t, dir)
	wantHeld(t, dir, os.Getpid(), "")
	if err := o.Publish("/run/a.sock"); err != nil {
		t.Fatal(err)
	}
	wantHeld(t, dir, os.Getpid(), "/run/a.sock")
	if err := o.Release(); err != nil {
		t.Fatal(err)
	}
	acquire(t, dir)
}

func TestReleaseLeavesNoNoteAndKeepsTheLocksInode(t *testing.T) {
	dir := t.TempDir()
	o := acquire(t, dir)
	before, err := os.Stat(filepath.Join(dir, lockName))
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := o.Release(); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, noteName)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("owner.json is still there: %v", err)
	}
	acquire(t, dir)
	after, err := os.Stat(filepath.Join(dir, lockName))
	if err != nil || !os.SameFile(before, after) {
		t.Errorf("the lock file was replaced: %v", err)
	}
	if err := o.Publish("/run/late.sock"); err == nil {
		t.Error("Publish after Release succeeded over the next owner's note")
	}
}

func TestAnotherProcessHoldsTheWorkspaceUntilItIsKilled(t *testing.T) {
	dir := t.TempDir()
	holder := startHolder(t, dir)
	wantHeld(t, dir, holder.Process.Pid, "/run/held.sock")
	if err := holder.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = holder.Wait() // its error is the kill itself

	o := acquire(t, dir)
	wantHeld(t, dir, os.Getpid(), "") // and not the dead one's note
	if err := o.Publish("/run/new.sock"); err != nil {
		t.Fatal(err)
	}
	wantHeld(t, dir, os.Getpid(), "/run/new.sock")
}

func TestNoteOfNobodyIsIgnored(t *testing.T) {
	gone := exec.Command(os.Args[0], "-test.run=^$")
	if err := gone.Run(); err != nil {
		t.Fatal(err)
	}
	deadNote, err := json.Marshal(note{PID: gone.Process.Pid, Socket: "/run/dead.sock"})
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{
		"a dead process": string(deadNote),
		"pid 0":          `{"pid":0,"socket":"/run/x.sock"}`,
		"a group":        `{"pid":-1,"socket":"/run/x.sock"}`,
		"cut off":        `{"pid":1,"sock`,
		"empty":          ``,
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			acquire(t, dir)
			if err := os.WriteFile(filepath.Join(dir, noteName), []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
			wantHeld(t, dir, 0, "")
		})
	}
}

func TestAcquireSaysWhatIsWrongWithTheFolder(t *testing.T) {
	file := filepath.Join(t.TempDir(), "state")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := Acquire(file)
	if err == nil || errors.Is(err, ErrHeld) || !strings.Contains(err.Error(), file) {
		t.Errorf("Acquire of a file = %v, want an error that names it", err)
	}
}
