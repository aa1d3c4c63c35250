package config

import "github.com/mcp-supervisor/supervisor/internal/nearest"

// didYouMean is a fix that names the nearest known name, or "".
func didYouMean(wrong string, known []string) string { return nearest.DidYouMean(wrong, known) }

// orElse is the first fix, or another when there is none.
func orElse(fix, other string) string {
	if fix != "" {
		return fix
	}
	return other
}
