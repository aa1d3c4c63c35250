// Package nearest finds the name that somebody most likely meant.
package nearest

import (
	"slices"
	"strings"

	"github.com/agext/levenshtein"
)

// longest bounds the work of comparing: nobody mistypes a name that long, and the distance is quadratic.
const longest = 64

// Name returns the known name that wrong was most likely meant to be, or "" when none is near: a third of the letters
// may differ, two of them in a short name. Case does not count. Ties go to the name that sorts first.
func Name(wrong string, known []string) string {
	if wrong == "" || len(wrong) > longest {
		return ""
	}
	best, least := "", max(2, len(wrong)/3)+1
	for _, name := range slices.Sorted(slices.Values(known)) {
		if len(name) > longest || name == "" {
			continue
		}
		d := levenshtein.Distance(strings.ToLower(wrong), strings.ToLower(name), nil)
		if d < least && d < len(name) {
			best, least = name, d
		}
	}
	return best
}

// DidYouMean is a question that names the nearest known name, or "" when none is near.
func DidYouMean(wrong string, known []string) string {
	if name := Name(wrong, known); name != "" {
		return "did you mean `" + name + "`?"
	}
	return ""
}
