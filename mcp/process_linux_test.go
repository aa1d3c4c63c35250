package mcp

import "testing"

func TestLivesInGroup(t *testing.T) {
	for stat, want := range map[string]bool{
		"7 (sleep) S 1 42 42 0":   true,
		"7 (a) b) R 1 42 42 0":    true,
		"7 (x 42 42) S 1 43 43 0": false,
		"7 (sleep) Z 1 42 42 0":   false,
		"":                        false,
	} {
		if got := livesInGroup([]byte(stat), 42); got != want {
			t.Errorf("%q: %v", stat, got)
		}
	}
}
