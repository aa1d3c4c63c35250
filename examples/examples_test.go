package examples_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-supervisor/supervisor/config"
	"github.com/mcp-supervisor/supervisor/examples"
	"github.com/mcp-supervisor/supervisor/models/script"
)

func TestNames(t *testing.T) {
	if diff := cmp.Diff([]string{"hello-swarm", "real-servers", "swarm"}, examples.Names()); diff != "" {
		t.Errorf("Names (-want +got):\n%s", diff)
	}
}

// load unpacks an example and loads what was unpacked, not what lies beside this test.
func load(t *testing.T, name string) *config.Workspace {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "made", "here")
	if err := examples.Extract(name, dir); err != nil {
		t.Fatal(err)
	}
	ws, err := config.Load(dir, config.Options{LookupEnv: func(string) (string, bool) { return "", false }})
	if err != nil {
		t.Fatalf("%s:\n%v", name, err)
	}
	return ws
}

func TestEveryExampleLoads(t *testing.T) {
	for _, name := range examples.Names() {
		t.Run(name, func(t *testing.T) {
			ws := load(t, name)
			if len(ws.Warnings) > 0 {
				t.Errorf("warnings: %v", ws.Warnings)
			}
			if len(ws.Servers) == 0 || len(ws.Topologies) != 1 {
				t.Errorf("%d servers and %d topologies, want some servers and one topology", len(ws.Servers), len(ws.Topologies))
			}
			for _, topology := range ws.Topologies {
				if got := len(ws.Needs(topology)); got != len(ws.Servers) {
					t.Errorf("topology %s needs %d of %d servers, want all", topology.Name, got, len(ws.Servers))
				}
				topology.Root.Walk(func(a config.Agent) { checkScript(t, a) })
			}
		})
	}
}

// checkScript checks an agent's model: a broken template would show only when the example runs.
func checkScript(t *testing.T, a config.Agent) {
	t.Helper()
	if a.Model.Provider != "script" {
		t.Errorf("agent %s is driven by %q: an example must not need a key", a.ID, a.Model.Provider)
	}
	if _, err := script.New(a.Model.Options); err != nil {
		t.Errorf("agent %s: %v", a.ID, err)
	}
}

// The example that is there to be denied must be denied for its scope, and for nothing else.
func TestSwarmDeniesOneScope(t *testing.T) {
	ws := load(t, "swarm")
	missing := map[string]string{}
	ws.Topologies["report"].Root.Walk(func(a config.Agent) {
		for _, g := range a.Grants {
			if !covered(g.Scopes, a.Scopes) {
				missing[a.ID] += g.Via
			}
		}
	})
	if diff := cmp.Diff(map[string]string{"researcher": "delete-file"}, missing); diff != "" {
		t.Errorf("grants without their scopes (-want +got):\n%s", diff)
	}
}

func covered(required, held []string) bool {
	for _, r := range required {
		namespace, _, _ := strings.Cut(r, ":")
		found := false
		for _, h := range held {
			found = found || h == r || h == namespace+":*"
		}
		if !found {
			return false
		}
	}
	return true
}

func TestExtractWritesWhatIsEmbedded(t *testing.T) {
	for _, name := range examples.Names() {
		dir := t.TempDir()
		if err := examples.Extract(name, dir); err != nil {
			t.Fatal(err)
		}
		sub, err := fs.Sub(examples.FS, name)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tree(t, sub), tree(t, os.DirFS(dir))); diff != "" {
			t.Errorf("%s (-embedded +written):\n%s", name, diff)
		}
	}
}

func tree(t *testing.T, fsys fs.FS) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := fs.WalkDir(fsys, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := fs.ReadFile(fsys, path)
		files[path] = string(content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if files["README.md"] == "" || files["workspace.yaml"] == "" {
		t.Errorf("an example without README.md or workspace.yaml: %d files", len(files))
	}
	return files
}

func TestExtractRefuses(t *testing.T) {
	if err := examples.Extract("hallo", t.TempDir()); err == nil || !strings.Contains(err.Error(), "hello-swarm, real-servers, swarm") {
		t.Errorf("an unknown example: %v, want the known ones", err)
	}
	for _, odd := range []string{"", ".", "..", "swarm/data", "examples.go"} {
		if err := examples.Extract(odd, t.TempDir()); err == nil {
			t.Errorf("%q was extracted", odd)
		}
	}
	dir := t.TempDir()
	mine := filepath.Join(dir, "workspace.yaml")
	if err := os.WriteFile(mine, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := examples.Extract("swarm", dir); !errors.Is(err, fs.ErrExist) {
		t.Errorf("over a file of somebody: %v, want fs.ErrExist", err)
	}
	if kept, err := os.ReadFile(mine); err != nil || string(kept) != "mine" {
		t.Errorf("the file is now %q, %v", kept, err)
	}
}
