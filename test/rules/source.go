package rules

import (
	"fmt"
	"go/ast"
	"go/token"
	"strings"
)

// Uses is what a package's source must not say.
type Uses struct {
	Name string
	// In tells which packages the rule is for.
	In func(*Package) bool
	// Find reports whether a node breaks it. Names are resolved by the file's imports.
	Find func(n ast.Node, imports map[string]string) bool
	Why  string
}

// Forbidden are the rules on source, tests left out.
var Forbidden = []Uses{
	{
		Name: "a bare go statement",
		In:   func(p *Package) bool { return p.Path != "internal/safe" },
		Find: func(n ast.Node, _ map[string]string) bool { _, ok := n.(*ast.GoStmt); return ok },
		Why:  "a panic in it would end the whole process; use internal/safe.Go",
	},
	{
		Name: "the clock",
		In:   func(p *Package) bool { return p.Path == "supervision" },
		Find: selects("time", "Now", "Since", "Until", "Sleep", "After", "AfterFunc", "Tick", "NewTimer", "NewTicker"),
		Why:  "decisions take now as an argument, so that tests can be at any time they like",
	},
	{
		Name: "a random number of its own",
		In:   func(p *Package) bool { return p.Path == "supervision" },
		Find: func(n ast.Node, imports map[string]string) bool {
			return selects("math/rand")(n, imports) || selects("math/rand/v2")(n, imports)
		},
		Why: "decisions take random as an argument, so that equal arguments give equal results",
	},
	{
		Name: "standard output",
		In: func(p *Package) bool {
			return !p.IsProgram() && !Matches("cmd/...", p.Path) && !Matches("test/...", p.Path)
		},
		Find: func(n ast.Node, imports map[string]string) bool {
			return selects("fmt", "Print", "Printf", "Println")(n, imports) || selects("os", "Stdout")(n, imports)
		},
		Why: "a library inside an MCP server must not write to what is the server's protocol stream",
	},
}

// SourceFaults lists every place that breaks a rule of Forbidden, as file:line.
func SourceFaults(t *Tree) []string {
	var faults []string
	for _, p := range t.Packages {
		for _, rule := range Forbidden {
			if rule.In(p) {
				faults = append(faults, rule.search(t.Fset, p)...)
			}
		}
	}
	return faults
}

func (u Uses) search(fset *token.FileSet, p *Package) []string {
	var faults []string
	for _, f := range p.Files {
		imports := importNames(f)
		ast.Inspect(f, func(n ast.Node) bool {
			if n != nil && u.Find(n, imports) {
				at := fset.Position(n.Pos())
				faults = append(faults, fmt.Sprintf("%s:%d: %s: %s", at.Filename, at.Line, u.Name, u.Why))
			}
			return true
		})
	}
	return faults
}

// selects finds path.name for one of the names, or for any name when none is given.
func selects(path string, names ...string) func(ast.Node, map[string]string) bool {
	return func(n ast.Node, imports map[string]string) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return false
		}
		x, ok := sel.X.(*ast.Ident)
		if !ok || imports[x.Name] != path {
			return false
		}
		for _, name := range names {
			if sel.Sel.Name == name {
				return true
			}
		}
		return len(names) == 0
	}
}

// importNames maps the names a file uses for packages to their import paths.
func importNames(f *ast.File) map[string]string {
	names := map[string]string{}
	for _, spec := range f.Imports {
		path := strings.Trim(spec.Path.Value, `"`)
		name := path[strings.LastIndex(path, "/")+1:]
		if path == "math/rand/v2" {
			name = "rand"
		}
		if spec.Name != nil {
			name = spec.Name.Name
		}
		names[name] = path
	}
	return names
}

// Undocumented lists the packages that no file says anything about.
func Undocumented(t *Tree) []string {
	var faults []string
	for _, p := range t.Packages {
		if !documented(append(p.Files[:len(p.Files):len(p.Files)], p.Tests...)) {
			faults = append(faults, fmt.Sprintf("package %s has no package comment: say in one sentence what it is for", p.Path))
		}
	}
	return faults
}

func documented(files []*ast.File) bool {
	for _, f := range files {
		if f.Doc.Text() != "" {
			return true
		}
	}
	return false
}
