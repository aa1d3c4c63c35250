package config

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// policiesFolder is where policies are looked for when the workspace names none.
const policiesFolder = "policies"

// Bounds of a workspace's policies: far above what anybody writes by hand.
const (
	maxPolicyFile  = 1 << 20 // bytes
	maxPolicyFiles = 1000
)

func isPolicy(file string) bool { return path.Ext(file) == ".cedar" }

func isPolicyTest(file string) bool {
	return isYAML(file) && strings.HasSuffix(strings.TrimSuffix(file, path.Ext(file)), "_test")
}

// policies reads the policy files: those of a folder, those of a list, or those of policies/ if there is such a folder.
func (l *loader) policies(v value) *Policies {
	switch {
	case v.kind == list:
		return l.warnOfOthers(l.readPolicies(v, l.namedPolicies(v)))
	case v.given():
		folder, ok := l.inWorkspace(v)
		if !ok {
			return nil
		}
		l.ownFolders = append(l.ownFolders, folder)
		return l.warnOfOthers(l.readPolicies(v, l.policiesIn(v, folder)))
	}
	if _, err := os.Lstat(filepath.Join(l.root, policiesFolder)); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	here := value{doc: &document{file: policiesFolder}}
	return l.readPolicies(here, l.policiesIn(here, policiesFolder))
}

// policyName is one policy file, and where it was named.
type policyName struct {
	value
	file string
}

// policiesIn lists the policy files of a folder, and warns of what else lies in it.
func (l *loader) policiesIn(v value, folder string) []policyName {
	if !l.isFolder(v, folder) {
		return nil
	}
	files, others := l.filesOf(folder, isPolicy)
	for _, other := range others {
		if !isPolicyTest(other) {
			l.warn(value{doc: &document{file: other}}, "", "not read: policies are called NAME.cedar, and their tests NAME_test.yaml")
		}
	}
	var names []policyName
	for _, file := range files {
		names = append(names, policyName{value{doc: &document{file: file}}, file})
	}
	return names
}

// isFolder reports whether a folder that was asked for is there; if not there was a fault.
func (l *loader) isFolder(v value, folder string) bool {
	info, err := os.Stat(filepath.Join(l.root, filepath.FromSlash(folder)))
	switch {
	case err != nil:
		l.fault(v, "", "%v", underlying(err))
	case info.Mode().IsRegular() && isPolicy(folder):
		l.fault(v, "write a list of files", "not a folder")
	case !info.IsDir():
		l.fault(v, "", "not a folder")
	}
	return err == nil && info.IsDir()
}

// namedPolicies lists the files that a list names.
func (l *loader) namedPolicies(v value) []policyName {
	var names []policyName
	first := map[string]value{}
	for _, item := range v.items {
		file, ok := l.inWorkspace(item)
		was, twice := first[file]
		switch {
		case !ok:
		case twice:
			l.fault(item, "", "named twice, first on line %d", was.line)
		case !isPolicy(file):
			l.fault(item, "", "%s is not a policy file: they are called NAME.cedar", item.quote())
		default:
			first[file] = item
			names = append(names, policyName{item, file})
			if dir := path.Dir(file); dir != "." {
				l.ownFolders = append(l.ownFolders, dir)
			}
		}
	}
	return names
}

// warnOfOthers warns of files in the usual folder that are not among those which the workspace names.
func (l *loader) warnOfOthers(p *Policies) *Policies {
	named := p.texts()
	for _, file := range l.filesBelow(policiesFolder, isPolicy) {
		if _, read := named[file]; !read {
			l.warn(value{doc: &document{file: file}}, "", "not read: governance.policies in %s does not name it", l.main)
		}
	}
	return p
}

// inWorkspace reads a path in the workspace's folder, and reports whether it is one.
func (l *loader) inWorkspace(v value) (string, bool) {
	if !v.given() {
		l.wrong(v, "a path")
		return "", false
	}
	name := path.Clean(filepath.ToSlash(l.str(v)))
	if v.unset() || v.kind != text {
		return "", false
	}
	if name == "." || !filepath.IsLocal(filepath.FromSlash(name)) {
		l.fault(v, "", "%s is not a path inside the workspace's folder", v.quote())
		return "", false
	}
	return name, true
}

// readPolicies reads policy files. Without any, nothing is permitted, which somebody may not expect.
func (l *loader) readPolicies(v value, names []policyName) *Policies {
	switch n := len(names); {
	case n > maxPolicyFiles:
		l.fault(v, "", "%d policy files: a workspace may have %d", n, maxPolicyFiles)
		return nil
	case n == 0:
		l.warn(v, "", "no policy: every call that policies decide about is denied")
	}
	p := &Policies{}
	for _, n := range names {
		if data, ok := l.readText(n.value, n.file, maxPolicyFile); ok {
			p.Files = append(p.Files, PolicyFile{Name: n.file, Text: data})
		}
	}
	slices.SortFunc(p.Files, func(a, b PolicyFile) int { return cmp.Compare(a.Name, b.Name) })
	return p
}
