package rules

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The rules are worth something only if they notice. Each row is a small module that breaks one of them, or none.
func TestTheRulesNotice(t *testing.T) {
	const ours = `"github.com/mcp-supervisor/supervisor/`
	tests := []struct {
		name, file, source string
		want               string // part of the one fault; "" for none
	}{
		{"a good package", "supervision/a.go", "// Package supervision decides.\npackage supervision\nimport _ \"time\"", ""},
		{"a package nobody thought of", "extras/a.go", "// Package extras is new.\npackage extras", "add it to Layers"},
		{"a layer upwards", "governance/a.go", "// Package governance decides.\npackage governance\nimport _ " + ours + `actors"`, "governance/... may not"},
		{"a leaf that imports", "mcp/spec/a.go", "// Package spec has values.\npackage spec\nimport _ " + ours + `messages"`, "mcp/spec may not"},
		{"anybody may use internal", "mcp/spec/a.go", "// Package spec has values.\npackage spec\nimport _ " + ours + `internal/safe"`, ""},
		{"a library in the wrong place", "mcp/a.go", "// Package mcp runs servers.\npackage mcp\nimport _ \"github.com/asynkron/protoactor-go/actor\"", "only actors/..., cluster/... may"},
		{"a library in its place", "actors/a.go", "// Package actors acts.\npackage actors\nimport _ \"github.com/asynkron/protoactor-go/actor\"", ""},
		{"a new dependency", "mcp/a.go", "// Package mcp runs servers.\npackage mcp\nimport _ \"example.com/new\"", "a new dependency"},
		{"tests may import what they like", "mcp/a_test.go", "// Package mcp runs servers.\npackage mcp\nimport _ \"example.com/new\"", ""},
		{"a bare go statement", "mcp/a.go", "// Package mcp runs servers.\npackage mcp\nfunc f() {\n\tgo f()\n}", "mcp/a.go:4: a bare go statement"},
		{"the one place for it", "internal/safe/a.go", "// Package safe starts goroutines.\npackage safe\nfunc f() { go f() }", ""},
		{"the clock in a decision", "supervision/a.go", "// Package supervision decides.\npackage supervision\nimport t \"time\"\nvar now = t.Now()", "the clock"},
		{"chance in a decision", "supervision/a.go", "// Package supervision decides.\npackage supervision\nimport \"math/rand/v2\"\nvar r = rand.Float64()", "a random number"},
		{"printing in a library", "mcp/a.go", "// Package mcp runs servers.\npackage mcp\nimport \"fmt\"\nfunc f() { fmt.Println() }", "standard output"},
		{"printing in a program", "test/tool/a.go", "// Command bench measures.\npackage main\nimport \"fmt\"\nfunc f() { fmt.Println() }", ""},
		{"no package comment", "mcp/a.go", "package mcp", "no package comment"},
		{"a nested module is not ours", "tools/a.go", "package tools\nimport _ \"example.com/new\"", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, dir, tt.file, tt.source)
			write(t, dir, "tools/go.mod", "module tools\n")
			tree := parse(t, dir)
			faults := append(append(ImportFaults(tree), SourceFaults(tree)...), Undocumented(tree)...)
			switch {
			case tt.want == "" && len(faults) > 0:
				t.Errorf("unexpected faults: %v", faults)
			case tt.want != "" && (len(faults) != 1 || !strings.Contains(faults[0], tt.want)):
				t.Errorf("faults = %q, want one with %q", faults, tt.want)
			}
		})
	}
}

func TestReachFollowsOurOwnPackages(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "config/a.go", "package config\nimport _ \""+Module+"/models\"")
	write(t, dir, "models/a.go", "package models\nimport _ \"net/http\"")
	want := map[string]bool{Module + "/models": true, "net/http": true}
	if diff := cmp.Diff(want, Reach(parse(t, dir), "config")); diff != "" {
		t.Error(diff)
	}
}

func TestBrokenLinksAreFound(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "docs/a.md", "# Title: one, `two`!\n[ok](b.md) [ok](../README.md#what-it-is) [ok](#title-one-two) [ok](https://example.com)\n"+
		"`[code](gone.md)`\n```\n[code](gone.md)\n```\n[bad](gone.md) [bad](b.md#gone)\n")
	write(t, dir, "docs/b.md", "# B\n```sh\n# gone\n```\n")
	write(t, dir, "README.md", "# What it is\n")
	got, err := BrokenLinks(dir, "docs/a.md")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{`docs/a.md: the link "gone.md" leads nowhere`, `docs/a.md: the link "b.md#gone" leads nowhere`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestMachinePathsAreFound(t *testing.T) {
	at := func(dir string) string { return "/" + dir + "/x" } // so that this file passes the rule itself
	tests := []struct {
		line string
		want bool
	}{
		{at("work"), true},
		{"see " + at("root") + " there", true},
		{`"` + at("work") + `"`, true},
		{"/workspace/x", false},
		{"testdata" + at("work"), false},
		{"$HOME" + at("work"), false},
		{"${DIR}" + at("root"), false},
	}
	for _, tt := range tests {
		if got := len(MachinePaths("f", []byte(tt.line))) > 0; got != tt.want {
			t.Errorf("%q: found = %v, want %v", tt.line, got, tt.want)
		}
	}
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	file := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
