package rules

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Module is the path of our own module.
const Module = "github.com/mcp-supervisor/supervisor"

// Tree is the parsed source of one module, for every operating system at once: build tags are not looked at, because a
// rule holds for all of them.
type Tree struct {
	Fset     *token.FileSet
	Packages []*Package // sorted by path
}

// Package is one folder with Go files.
type Package struct {
	// Path is relative to the module, "." for its root.
	Path  string
	Files []*ast.File // without tests
	Tests []*ast.File
}

// Parse reads all Go files below root, but for nested modules, testdata and folders that the go command ignores too.
func Parse(root string) (*Tree, error) {
	t := &Tree{Fset: token.NewFileSet()}
	byPath := map[string]*Package{}
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && file != root && ignored(file, d.Name()):
			return fs.SkipDir
		case d.IsDir() || filepath.Ext(file) != ".go":
			return nil
		}
		return t.add(byPath, root, file)
	})
	for _, p := range byPath {
		t.Packages = append(t.Packages, p)
	}
	slices.SortFunc(t.Packages, func(a, b *Package) int { return strings.Compare(a.Path, b.Path) })
	return t, err
}

func ignored(dir, name string) bool {
	_, err := os.Stat(filepath.Join(dir, "go.mod"))
	return err == nil || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") || name == "testdata"
}

func (t *Tree) add(byPath map[string]*Package, root, file string) error {
	src, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	rel, err := filepath.Rel(root, file)
	if err != nil {
		return err
	}
	// Positions are reported relative to the module, as a reader would open them.
	rel = filepath.ToSlash(rel)
	f, err := parser.ParseFile(t.Fset, rel, src, parser.ParseComments)
	if err != nil {
		return err
	}
	dir := path.Dir(rel)
	if byPath[dir] == nil {
		byPath[dir] = &Package{Path: dir}
	}
	p := byPath[dir]
	if strings.HasSuffix(rel, "_test.go") {
		p.Tests = append(p.Tests, f)
	} else {
		p.Files = append(p.Files, f)
	}
	return nil
}

// Imports returns the import paths of the package's files, tests left out, each once and sorted.
func (p *Package) Imports() []string {
	var all []string
	for _, f := range p.Files {
		for _, spec := range f.Imports {
			all = append(all, strings.Trim(spec.Path.Value, `"`))
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// IsProgram reports whether the package is a main package.
func (p *Package) IsProgram() bool {
	return len(p.Files) > 0 && p.Files[0].Name.Name == "main"
}

// Matches reports whether a package path is meant by a pattern: the path itself, or "path/..." for it and all below.
func Matches(pattern, path string) bool {
	prefix, below := strings.CutSuffix(pattern, "/...")
	return path == prefix || below && strings.HasPrefix(path, prefix+"/")
}
