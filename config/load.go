package config

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// The accepted values of apiVersion. Files of the first are somebody else's and load unmodified; in files of the second
// an unknown field is a fault.
const (
	versionV1  = "swarmkit/v1"
	versionOwn = "supervisor/v1"
)

// Options are what a load takes from outside the workspace. The zero value is what the command line uses.
type Options struct {
	// LookupEnv looks up an environment variable; nil means os.LookupEnv.
	LookupEnv func(string) (string, bool)
	// Supervisor is what ${SUPERVISOR} stands for, the path of the running binary; "" means os.Executable.
	Supervisor string
}

// Load reads a workspace: path is its folder, its workspace.yaml, or a file with a `tools: {mcp: ...}` block.
//
// It returns one validated value, or Faults with everything that is wrong in the order of files and lines, never both.
// What is declared and not run is in the value's Warnings. It starts nothing, resolves no secret and reads only files
// of the workspace. Each file may be 4 MiB long, a policy file 1 MiB. Safe for concurrent use.
func Load(path string, o Options) (*Workspace, error) {
	from, err := newSource(path, o)
	if err != nil {
		return nil, Faults{{File: path, Message: err.Error()}}
	}
	return from.load()
}

// loader is one load: the workspace as far as it is read, and what it needs to check references.
type loader struct {
	report
	root string
	main string // the file that declares the servers, relative to root
	env  expander
	ws   *Workspace

	claims     map[string]value // by what and name: where it was declared first
	order      order
	files      map[string][]byte // what was read, by name
	archetypes map[string]value
	skills     map[string]skill
	credUses   []credentialUse
	ownFolders []string // where agents should not write
}

func newLoader(s source) (*loader, error) {
	root, main, err := locate(s.path)
	if err != nil {
		return nil, err
	}
	ws := &Workspace{
		Root: root, File: s.named, from: s,
		Credentials: map[string]Credential{}, Skills: map[string]Skill{}, Topologies: map[string]Topology{},
	}
	if filepath.Base(s.named) != main {
		ws.File = filepath.Join(s.named, main)
	}
	return &loader{
		report: report{serverAt: map[string]string{}},
		root:   root, main: main, ws: ws,
		env:    expander{supervisor: s.options.Supervisor, lookupEnv: s.options.LookupEnv},
		claims: map[string]value{}, order: order{}, files: map[string][]byte{}, ownFolders: []string{policiesFolder, stateFolder},
		archetypes: map[string]value{}, skills: map[string]skill{},
	}, nil
}

// locate finds the workspace's folder and the name of its main file.
func locate(root string) (folder, main string, err error) {
	info, err := os.Stat(root)
	switch {
	case err != nil:
		return "", "", fmt.Errorf("no workspace here: %w", underlying(err))
	case !info.IsDir():
		return filepath.Dir(root), filepath.Base(root), nil
	}
	for _, name := range []string{"workspace.yaml", "workspace.yml"} {
		if _, err := os.Stat(filepath.Join(root, name)); err == nil {
			return root, name, nil
		}
	}
	return "", "", fmt.Errorf("no workspace here: the folder holds no workspace.yaml or workspace.yml")
}

func (l *loader) load() {
	l.readProperties()
	top := l.read(l.main)
	if top.kind == mapping && top.get("apiVersion").kind == absent && top.get("tools").get("mcp").given() {
		l.toolsFile(top)
		return
	}
	isWorkspace := top.kind == mapping && l.workspace(top)
	l.readKind("skills", "Skill", l.readSkill)
	l.checkCredentials()
	l.readKind("archetypes", "Archetype", l.readArchetype)
	l.readKind("topologies", "Topology", l.readTopology)
	if isWorkspace {
		l.rates(top.get("governance").get("rates")) // which name agents
	}
	l.warnOfIdleKinds(idleKinds)
}

// readKind reads all files of one kind's folder.
func (l *loader) readKind(folder, kind string, read func(value)) {
	files, _ := l.filesOf(folder, isYAML)
	for _, file := range files {
		if top := l.read(file); top.kind == mapping && l.header(top, kind) {
			l.unresolved(top, "")
			read(top)
		}
	}
}

// header checks what all files start with, and reports whether the file is of the kind it should be.
func (l *loader) header(top value, kind string) bool {
	version := top.get("apiVersion")
	accepted := "write `apiVersion: " + versionV1 + "` or `apiVersion: " + versionOwn + "`"
	switch {
	case version.kind == text && version.text == versionV1:
	case version.kind == text && version.text == versionOwn:
		top.doc.strict = true
	case !version.given():
		l.fault(version, accepted, "missing")
	default:
		l.fault(version, accepted, "%s is not supported", version.describe())
	}
	found := top.get("kind")
	if l.str(found) == kind {
		return true
	}
	if found.kind == text {
		l.fault(found, l.folderOf(found.text), "expected %s here, found %s", kind, found.quote())
	} else if !found.given() {
		l.fault(found, "write `kind: "+kind+"`", "missing")
	}
	return false
}

// folderOf is a fix that says where a file of some kind belongs.
func (l *loader) folderOf(kind string) string {
	folders := map[string]string{"Skill": "skills/", "Archetype": "archetypes/", "Topology": "topologies/", "Workspace": "the root of the workspace"}
	if folder := folders[kind]; folder != "" {
		return kind + " files belong in " + folder
	}
	return didYouMean(kind, []string{"Skill", "Archetype", "Topology", "Workspace"})
}

// identifier is what ids look like in the format.
const identifier = "lower-case letters, digits and dashes, starting with a letter"

// id reads a required id, unique among its kind.
func (l *loader) id(v value, what string) string {
	id := l.str(v)
	switch {
	case !v.given():
		l.fault(v, "", "missing: it names the %s", what)
	case v.kind != text:
	case !isIdentifier(id):
		l.fault(v, "write `"+sanitise(id)+"`", "%s is not an id: expected %s", v.quote(), identifier)
	default:
		return id
	}
	return ""
}

// claim registers a name, and reports whether it was free.
func (l *loader) claim(v value, what, name string) bool {
	first, taken := l.claims[what+" "+name]
	if taken {
		l.fault(v, "", "%s %q is declared twice, first in %s:%d", what, name, first.doc.file, first.line)
		return false
	}
	l.claims[what+" "+name] = v
	return true
}

func isIdentifier(s string) bool { return s != "" && s == sanitise(s) && s[0] >= 'a' }

// sanitise turns any text into an id.
func sanitise(s string) string {
	id := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			return r
		case r >= 'A' && r <= 'Z':
			return r - 'A' + 'a'
		}
		return '-'
	}, s)
	if id = strings.TrimLeft(id, "-0123456789"); id == "" {
		return "workspace"
	}
	return id
}
