package config

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// A reload reads the files as they are now, with the environment of the first load, wherever the program went.
func TestReload(t *testing.T) {
	ws := loadServers(t, "  - {id: a, command: [x, \"${V}\"]}\n", "V=set")
	rewrite(t, ws.Root, "workspace.yaml", "id: a", "id: b")
	t.Chdir(t.TempDir())
	again := reload(t, ws)
	equal(t, "command", []string{"x", "set"}, again.Servers[0].Command)
	equal(t, "id", "b", again.Servers[0].ID)
	equal(t, "the first one", "a", ws.Servers[0].ID)
	equal(t, "file", ws.File, again.File)
	if again.Digest == ws.Digest {
		t.Error("other files have the same digest")
	}
}

// A workspace that was named by a relative path stays named so, and is found from elsewhere.
func TestReloadOfARelativePath(t *testing.T) {
	dir := write(t, archived(before))
	t.Chdir(filepath.Dir(dir))
	ws := load(t, filepath.Base(dir), "")
	t.Chdir(t.TempDir())
	equal(t, "file", filepath.Join(filepath.Base(dir), "workspace.yaml"), reload(t, ws).File)
}

func TestReloadRefuses(t *testing.T) {
	if _, err := (&Workspace{}).Reload(); !errors.Is(err, ErrNotLoaded) {
		t.Errorf("Reload of a workspace made by hand = %v", err)
	}
	ws := load(t, write(t, archived(before)), "")
	rewrite(t, ws.Root, "workspace.yaml", "id: db", "idd: db")
	_, err := ws.Reload()
	var faults Faults
	if !errors.As(err, &faults) || !strings.Contains(err.Error(), "workspace.yaml:6: mcp_servers[0].id: missing") {
		t.Errorf("Reload of a broken file = %v", err)
	}
	if err := os.Remove(filepath.Join(ws.Root, "workspace.yaml")); err != nil {
		t.Fatal(err)
	}
	if _, err := ws.Reload(); err == nil || !strings.Contains(err.Error(), "no workspace here") {
		t.Errorf("Reload of nothing = %v", err)
	}
}

// The digest is over what was read, under names inside the workspace.
func TestDigest(t *testing.T) {
	one, other := load(t, write(t, archived(before)), ""), load(t, write(t, archived(before)), "")
	equal(t, "files", []string{"skills/search.yaml", "topologies/swarm.yaml", "workspace.yaml"}, one.Files)
	equal(t, "digest elsewhere", one.Digest, other.Digest)
	if err := os.WriteFile(filepath.Join(one.Root, "notes.yaml"), []byte("x: 1"), 0o644); err != nil {
		t.Fatal(err)
	}
	equal(t, "digest beside a file that nobody reads", one.Digest, reload(t, one).Digest)
	if err := os.WriteFile(filepath.Join(one.Root, propertyFile), []byte("x: 1"), 0o644); err != nil {
		t.Fatal(err)
	}
	equal(t, "files with properties", append([]string{"skills/search.yaml", "topologies/swarm.yaml"}, propertyFile, "workspace.yaml"),
		reload(t, one).Files)
	rewrite(t, other.Root, "skills/search.yaml", "kind: Skill", "kind:  Skill")
	if reload(t, other).Digest == other.Digest {
		t.Error("one blank more is not seen")
	}
}

// The sum of these few bytes was taken with sha256sum, so that no release changes what a digest means.
func TestDigestIsStable(t *testing.T) {
	_, sum := digest(map[string][]byte{"b": []byte("2"), "a": nil})
	equal(t, "sum", "a9521c91e1f9ef303e172fddb3e6852d8abb97c6064ec05bc2508bbb4a532b6e", sum)
}

func TestDigestsDiffer(t *testing.T) {
	files := rapid.MapOfN(rapid.StringMatching(`[ab]{1,3}`), rapid.SliceOfN(rapid.ByteRange('a', 'b'), 0, 3), 0, 3)
	rapid.Check(t, func(t *rapid.T) {
		one, other := files.Draw(t, "one"), files.Draw(t, "other")
		names, a := digest(one)
		_, b := digest(other)
		if !slices.IsSorted(names) || len(names) != len(one) {
			t.Fatalf("names of %v: %v", one, names)
		}
		if equalFiles := maps.EqualFunc(one, other, slices.Equal[[]byte]); (a == b) != equalFiles {
			t.Fatalf("digests are equal: %t, files are equal: %t\n%s", a == b, equalFiles, cmp.Diff(one, other))
		}
	})
}
