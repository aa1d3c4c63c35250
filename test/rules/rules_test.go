package rules

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const root = "../.."

func TestImportsFollowTheRules(t *testing.T) {
	report(t, ImportFaults(parse(t, root)))
}

func TestSourceFollowsTheRules(t *testing.T) {
	report(t, SourceFaults(parse(t, root)))
}

func TestEveryPackageSaysWhatItIsFor(t *testing.T) {
	report(t, Undocumented(parse(t, root)))
}

// Validating a workspace must stay possible where no server, policy engine or database could run.
func TestLoadingAWorkspaceLinksNoMachinery(t *testing.T) {
	for path := range Reach(parse(t, root), "config") {
		for _, heavy := range []string{"protoactor-go", "go-sdk", "cedar-go", "sqlite", "zap", "net/http", "os/exec"} {
			if strings.Contains(path, heavy) {
				t.Errorf("config links %s: move what it needs into a leaf of values", path)
			}
		}
	}
}

func TestLinksLeadSomewhere(t *testing.T) {
	for _, file := range tracked(t) {
		if filepath.Ext(file) != ".md" {
			continue
		}
		faults, err := BrokenLinks(root, file)
		if err != nil {
			t.Fatal(err)
		}
		report(t, faults)
	}
}

func TestNoFileNamesAPathOfOneMachine(t *testing.T) {
	for _, file := range tracked(t) {
		text, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Contains(text, []byte{0}) {
			report(t, MachinePaths(file, text))
		}
	}
}

func parse(t *testing.T, root string) *Tree {
	t.Helper()
	tree, err := Parse(root)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

func report(t *testing.T, faults []string) {
	t.Helper()
	for _, f := range faults {
		t.Error(f)
	}
}

// tracked lists the files that are in the repository or about to be. In an unpacked archive there is no repository to
// ask.
func tracked(t *testing.T) []string {
	t.Helper()
	if _, err := os.Stat(filepath.Join(root, ".git")); errors.Is(err, fs.ErrNotExist) {
		t.Skip("not a git work tree")
	}
	list := exec.Command("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	list.Dir = root
	out, err := list.Output()
	if err != nil {
		t.Fatalf("git ls-files: %v", err)
	}
	var files []string
	for name := range strings.SplitSeq(strings.TrimRight(string(out), "\x00"), "\x00") {
		if info, err := os.Lstat(filepath.Join(root, name)); err == nil && info.Mode().IsRegular() {
			files = append(files, name)
		}
	}
	return files
}
