package config

import (
	"slices"
	"strings"

	"github.com/agext/levenshtein"
)

// longestSuggested bounds the work of comparing: nobody mistypes a name that long, and the distance is quadratic.
const longestSuggested = 64

// closest returns the known name that wrong was most likely meant to be, or "" when none is near: a third of the
// letters may differ, two of them in a short name. Ties go to the name that sorts first.
func closest(wrong string, known []string) string {
	if wrong == "" || len(wrong) > longestSuggested {
		return ""
	}
	best, least := "", max(2, len(wrong)/3)+1
	for _, name := range slices.Sorted(slices.Values(known)) {
		if len(name) > longestSuggested || name == "" {
			continue
		}
		d := levenshtein.Distance(strings.ToLower(wrong), strings.ToLower(name), nil)
		if d < least && d < len(name) {
			best, least = name, d
		}
	}
	return best
}

// didYouMean is a fix that names the closest known name, or "".
func didYouMean(wrong string, known []string) string {
	if name := closest(wrong, known); name != "" {
		return "did you mean `" + name + "`?"
	}
	return ""
}

// orElse is the first fix, or another when there is none.
func orElse(fix, other string) string {
	if fix != "" {
		return fix
	}
	return other
}
