package config

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "write what Load says into testdata/rules")

// TestRules loads each workspace of testdata/rules and compares all that is said about it. The comment at the top of
// each file is the rule; a file `environ` in it is the environment.
func TestRules(t *testing.T) {
	files, err := filepath.Glob("testdata/rules/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no rules: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) { checkRule(t, file) })
	}
}

func checkRule(t *testing.T, file string) {
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var in []txtar.File
	env, want := "", map[string]string{}
	for _, f := range archive.Files {
		switch f.Name {
		case "faults", "warnings":
			want[f.Name] = string(f.Data)
		case "environ":
			env = string(f.Data)
			in = append(in, f)
		default:
			in = append(in, f)
		}
	}
	faults, warnings := said(t, write(t, in), environ(env))
	if *update {
		archive.Files = append(in, txtar.File{Name: "faults", Data: []byte(faults)})
		if faults == "" {
			archive.Files = append(in, txtar.File{Name: "warnings", Data: []byte(warnings)})
		}
		if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(want["faults"], faults); diff != "" {
		t.Errorf("faults (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want["warnings"], warnings); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
}

// said loads a workspace and returns its faults, or else its warnings, one a line.
func said(t *testing.T, dir string, env func(string) (string, bool)) (faults, warnings string) {
	t.Helper()
	ws, err := Load(dir, Options{LookupEnv: env, Supervisor: "/bin/supervisor"})
	if err != nil {
		if ws != nil {
			t.Errorf("Load gave a workspace beside faults")
		}
		return err.Error() + "\n", ""
	}
	for _, w := range ws.Warnings {
		warnings += w.String() + "\n"
	}
	return "", warnings
}

// write puts files into a new folder and returns it.
func write(t testing.TB, files []txtar.File) string {
	t.Helper()
	dir := t.TempDir()
	for _, f := range files {
		path := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// environ is a LookupEnv over lines of NAME=value.
func environ(lines string) func(string) (string, bool) {
	env := map[string]string{}
	for line := range strings.Lines(lines) {
		if name, v, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "="); ok {
			env[name] = v
		}
	}
	return func(name string) (string, bool) {
		v, ok := env[name]
		return v, ok
	}
}

// load loads a workspace that must have no faults.
func load(t *testing.T, path, env string) *Workspace {
	t.Helper()
	ws, err := Load(path, Options{LookupEnv: environ(env), Supervisor: "/opt/my bin/supervisor"})
	if err != nil {
		t.Fatal(err)
	}
	return ws
}

// loadServers loads a workspace of ours with only these lines under mcp_servers.
func loadServers(t *testing.T, servers, env string) *Workspace {
	t.Helper()
	main := "apiVersion: supervisor/v1\nkind: Workspace\nmetadata: {id: w}\nmcp_servers:\n" + servers
	return load(t, write(t, []txtar.File{{Name: "workspace.yaml", Data: []byte(main)}}), env)
}
