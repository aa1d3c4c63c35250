package policy

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
)

// File is one policy file.
type File struct {
	// Name is its path relative to the workspace, with slashes, such as policies/10-base.cedar.
	Name string
	// Text is Cedar's human-readable form: any number of policies.
	Text []byte
}

// Set is a loaded set of policies. It is immutable and safe for concurrent use. The zero value has no policy and
// permits nothing.
type Set struct {
	version string
	rules   []*rule // in the order of file names and lines
	byName  map[string]*rule
	index   index
}

// Load reads policy files. Their order does not matter, and no file at all is a set that permits nothing.
//
// The error is of type [Faults] and holds all that is wrong in all files: syntax, unknown or senseless annotations, and
// names that are taken. Whether the policies name agents and tools that exist is for [Set.Check].
func Load(files []File) (*Set, error) {
	files = slices.Clone(files)
	slices.SortFunc(files, func(a, b File) int { return cmp.Compare(a.Name, b.Name) })
	s := &Set{version: version(files), byName: map[string]*rule{}}
	var faults Faults
	for _, f := range files {
		rules, wrong := parse(f)
		faults = append(faults, wrong...)
		faults = append(faults, s.add(rules)...)
	}
	if len(faults) > 0 {
		slices.SortStableFunc(faults, byPlace)
		return nil, faults
	}
	s.index = newIndex(s.rules)
	return s, nil
}

// add keeps the rules whose name is not taken.
func (s *Set) add(rules []*rule) (faults Faults) {
	for _, r := range rules {
		if first, taken := s.byName[r.name]; taken {
			f := r.fault(r.name, "the name `%s` is taken by the policy at %s", r.name, first.place())
			f.Fix = "give each policy an @id of its own"
			faults = append(faults, f)
			continue
		}
		s.byName[r.name] = r
		s.rules = append(s.rules, r)
	}
	return faults
}

// Version is the hex SHA-256 over the names and texts of the files. It does not depend on their order.
func (s *Set) Version() string { return s.version }

// Len is the number of policies.
func (s *Set) Len() int { return len(s.rules) }

// version hashes lengths too, so that text cannot move between a name and its file unseen.
func version(sorted []File) string {
	h := sha256.New()
	for _, f := range sorted {
		fmt.Fprintf(h, "%d %d\n%s%s", len(f.Name), len(f.Text), f.Name, f.Text)
	}
	return hex.EncodeToString(h.Sum(nil))
}

func byPlace(a, b Fault) int {
	return cmp.Or(strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
}
