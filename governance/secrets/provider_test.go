package secrets

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func env(pairs map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) { v, ok := pairs[name]; return v, ok }
}

func write(t *testing.T, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestBuiltin(t *testing.T) {
	p := Builtin(env(map[string]string{"TOKEN": "sk-1", "EMPTY": ""}))
	dir := t.TempDir()
	for _, tt := range []struct {
		name, source, key, where string
		want, fault              string
	}{
		{"env", "env", "env", "TOKEN", "sk-1", ""},
		{"env, unset", "env", "env", "NOPE", "", `credential "c" (source env): environment variable NOPE is not set`},
		{"env, empty", "env", "env", "EMPTY", "", `credential "c" (source env): environment variable EMPTY is empty`},
		{"env, unnamed", "env", "path", "TOKEN", "", `credential "c" (source env): config.env names no environment variable`},
		{"file", "file", "path", write(t, "sk-2"), "sk-2", ""},
		{"file with a newline", "file", "path", write(t, "sk-2\n"), "sk-2", ""},
		{"file with two newlines", "file", "path", write(t, "sk-2\n\n"), "sk-2\n", ""},
		{"file of another system", "file", "path", write(t, "sk-2\r\n"), "sk-2", ""},
		{"file, empty", "file", "path", write(t, "\n"), "", "is empty"},
		{"file, missing", "file", "path", filepath.Join(dir, "nope"), "", "nope: no such file"},
		{"file, a folder", "file", "path", dir, "", "is not a regular file"},
		{"file, unnamed", "file", "env", "x", "", `credential "c" (source file): config.path names no file`},
		{"file, too long", "file", "path", write(t, strings.Repeat("x", maxFile+1)), "", "is longer than 1048576 bytes"},
		{"other source", "vault", "path", "x", "", `credential "c" (source vault): the source is not supported; use env or file`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := p.Resolve(context.Background(), Reference{Name: "c", Source: tt.source, Config: map[string]string{tt.key: tt.where}})
			if got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			if (err != nil) != (tt.fault != "") || err != nil && !strings.Contains(err.Error(), tt.fault) {
				t.Errorf("error %v, want %q", err, tt.fault)
			}
			if err != nil && !strings.Contains(err.Error(), `credential "c"`) {
				t.Errorf("error %v does not name the credential", err)
			}
		})
	}
}

func TestBuiltinHearsTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Builtin(env(nil)).Resolve(ctx, Reference{Source: "env"}); err == nil {
		t.Error("no error")
	}
}
