package config

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"pgregory.net/rapid"
)

const emptyWorkspace = "apiVersion: supervisor/v1\nkind: Workspace\nmetadata: {id: w}\n"

// A hostile file ends in one fault, soon, and takes no more memory than a large honest one.
func TestHostileFiles(t *testing.T) {
	laughs := "a0: &a0 [x,x,x,x,x,x,x,x,x]\n"
	for i := range 12 {
		laughs += fmt.Sprintf("a%d: &a%d [%s]\n", i+1, i+1, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d,", i), 9), ","))
	}
	merges := "m0: &m0 {x: 1}\n"
	for i := range 60 {
		merges += fmt.Sprintf("m%d: &m%d {<<: [*m%d, *m%d]}\n", i+1, i+1, i, i)
	}
	for _, c := range []struct{ name, text, want string }{
		{"aliases of aliases", emptyWorkspace + laughs, "more than 100000 values"},
		{"merges of merges", emptyWorkspace + merges, "more than 100000 values"},
		{"cycle of merges", emptyWorkspace + "x: &x {<<: *x}\n", `the anchor "x" contains itself`},
		{"deep flow", emptyWorkspace + "x: " + strings.Repeat("[", 5000) + strings.Repeat("]", 5000), "more than 100 levels"},
		{"deeper flow", emptyWorkspace + "x: " + strings.Repeat("[", 1<<20), "exceeded max depth"},
		{"deep block", emptyWorkspace + "x:\n" + deepBlock(500), "more than 100 levels"},
		{"large", emptyWorkspace + strings.Repeat("# large\n", maxFile/8), "a workspace file may have 4194304"},
		{"many servers", emptyWorkspace + "mcp_servers:\n" + strings.Repeat("  - {id: a, command: x}\n", 1001), "a workspace may have 1000"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := write(t, []txtar.File{{Name: "workspace.yaml", Data: []byte(c.text)}})
			_, err := Load(dir, Options{LookupEnv: environ("")})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("Load = %.300v, want %q", err, c.want)
			}
		})
	}
}

func deepBlock(levels int) string {
	var b strings.Builder
	for i := range levels {
		b.WriteString(strings.Repeat(" ", i+1) + "x:\n")
	}
	return b.String()
}

// A long honest file loads: two megabytes of prompt.
func TestLongPrompt(t *testing.T) {
	long := strings.Repeat("      Say ${nothing} {{.Input}}\n", 1<<16)
	dir := write(t, []txtar.File{
		{Name: "workspace.yaml", Data: []byte(emptyWorkspace)},
		{Name: "topologies/t.yaml", Data: []byte("apiVersion: supervisor/v1\nkind: Topology\nmetadata: {name: t}\n" +
			"agents:\n  root:\n    id: a\n    prompt:\n     system: |\n" + long)},
	})
	ws := load(t, dir, "")
	equal(t, "length", 1<<16*len("Say ${nothing} {{.Input}}\n"), len(ws.Topologies["t"].Root.System))
}

// Links that lead in a circle and pipes do not hang a load.
func TestOddFiles(t *testing.T) {
	dir := write(t, []txtar.File{{Name: "workspace.yaml", Data: []byte(emptyWorkspace)}, {Name: "skills/a/x.txt"}})
	if err := os.Symlink(filepath.Join(dir, "skills"), filepath.Join(dir, "skills", "a", "again")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(os.DevNull, filepath.Join(dir, "skills", "device.yaml")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("gone", filepath.Join(dir, "skills", "gone.yaml")); err != nil {
		t.Fatal(err)
	}
	_, err := Load(dir, Options{})
	want := "skills/a/again/device.yaml: too deep: skills/ may have one level of sub-folders (move it up)\n" +
		"skills/a/again/gone.yaml: too deep: skills/ may have one level of sub-folders (move it up)\n" +
		"skills/device.yaml: not a regular file\nskills/gone.yaml: no such file or directory"
	if err == nil || err.Error() != want {
		t.Errorf("Load = %v, want %s", err, want)
	}
}

// What a variable stands for is never looked at again, and what is no placeholder stays as it is.
func TestExpandOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before := rapid.StringMatching(`[a-z$ {]{0,5}[a-z]`).Draw(t, "before")
		put := rapid.StringMatching(`[a-z${}:\-\\ ]{1,10}`).Draw(t, "value")
		after := rapid.StringMatching(`[a-z}]{0,5}`).Draw(t, "after")
		e := expander{lookupEnv: environ("X=" + put)}
		got, problems := e.expand(before + "${X}" + after)
		if strings.Contains(before, "${") {
			t.Skip("a placeholder of its own")
		}
		if got != before+put+after || problems != nil {
			t.Fatalf("expand = %q, %v", got, problems)
		}
	})
}

func TestExpand(t *testing.T) {
	e := expander{
		supervisor: "/bin/s", lookupEnv: environ("A=1\nEMPTY=\nSUPERVISOR=x\np=env"),
		properties: map[string]property{"p": {text: "prop"}, "a.b": {text: "dotted"}},
	}
	for in, want := range map[string]string{
		"${A}": "1", "x${A}y${A}": "x1y1", "${EMPTY}": "", "${EMPTY:-d}": "d", "${A:-d}": "1", "${NO:-d}": "d", "${NO:-}": "",
		"${NO:-a:-b}": "a:-b", "$${A}": "${A}", "$$${A}": "$${A}", "$A $$ ${}": "$A $$ ${}", "${A": "${A", "{{.A}}": "{{.A}}",
		"${p}": "prop", "${a.b}": "dotted", "${SUPERVISOR}": "/bin/s", "{credential.A}": "{credential.A}",
	} {
		if got, problems := e.expand(in); got != want || problems != nil {
			t.Errorf("expand(%q) = %q, %v; want %q", in, got, problems, want)
		}
	}
	if got, problems := e.expand("a ${NO} ${NO2}"); got != "a ${NO} ${NO2}" || len(problems) != 2 {
		t.Errorf("expand of unset = %q, %v", got, problems)
	}
}

// However faults come up, they are told in one order and once.
func TestFaultsAreSorted(t *testing.T) {
	want := []Fault{
		{File: "a", Line: 1, Message: "x"},
		{File: "a", Line: 2, Field: "f", Message: "x"},
		{File: "a", Line: 2, Field: "g", Message: "x"},
		{File: "b", Message: "x"},
		{File: "b", Message: "y"},
	}
	mixed := append(append([]Fault{}, want...), want...)
	rand.Shuffle(len(mixed), func(i, j int) { mixed[i], mixed[j] = mixed[j], mixed[i] })
	equal(t, "faults", want, sorted(mixed))
}

// FuzzLoad feeds the text of a workspace.yaml: a load ends in a workspace or in faults, each with a file and a message.
func FuzzLoad(f *testing.F) {
	for _, pattern := range []string{"testdata/workspaces/*/*.yaml", "testdata/rules/*.txtar"} {
		files, _ := filepath.Glob(pattern)
		for _, file := range files {
			seed(f, file)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "workspace.yaml"), data, 0o600); err != nil {
			t.Fatal(err)
		}
		ws, err := Load(dir, Options{LookupEnv: environ("X=1"), Supervisor: "/s"})
		var faults Faults
		if (ws == nil) == (err == nil) || err != nil && (!errors.As(err, &faults) || len(faults) == 0) {
			t.Fatalf("Load = %v, %v", ws, err)
		}
		for _, fault := range faults {
			if fault.File == "" || fault.Message == "" || fault.Line < 0 {
				t.Errorf("fault without a place: %#v", fault)
			}
		}
	})
}

// seed adds a workspace.yaml, or the one inside a txtar archive.
func seed(f *testing.F, file string) {
	data, err := os.ReadFile(file)
	if err != nil {
		f.Fatal(err)
	}
	if filepath.Ext(file) != ".txtar" {
		f.Add(data)
		return
	}
	for _, inner := range txtar.Parse(data).Files {
		if inner.Name == "workspace.yaml" {
			f.Add(inner.Data)
		}
	}
}
