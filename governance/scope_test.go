package governance

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestCovers(t *testing.T) {
	for _, tt := range []struct {
		held, required string
		want           bool
	}{
		{"fs:read", "fs:read", true},
		{"fs:read", "fs:write", false},
		{"fs:read", "FS:read", false},
		{"fs:*", "fs:read", true},
		{"fs:*", "fs:*", true},
		{"fs:*", "fs:read:all", true},
		{"fs:read", "fs:*", false},
		{"fs:*", "fsx:read", false},
		{"fs:*", "fs", false},
		{"fs:*", "fs:", false},
		{"fs:re*", "fs:read", false},
		{"*", "fs:read", false},
		{"*", "fs:*", false},
		{"*", "*", true},
		{"*:*", "fs:read", false},
		{":*", "fs:read", false},
		{"fs:read:*", "fs:read:all", false}, // only the part before the first colon may be followed by a wildcard
		{"", "fs:read", false},
	} {
		if got := Covers(tt.held, tt.required); got != tt.want {
			t.Errorf("Covers(%q, %q) = %v, want %v", tt.held, tt.required, got, tt.want)
		}
	}
}

func scopeGen() *rapid.Generator[string] {
	part := rapid.SampledFrom([]string{"fs", "net", "read", "write", "*", "", "a:b", "*x"})
	return rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(part, 1, 3).Draw(t, "parts"), ":")
	})
}

func TestCoversStaysInItsNamespace(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		held, required := scopeGen().Draw(t, "held"), scopeGen().Draw(t, "required")
		if !Covers(held, held) {
			t.Fatalf("%q does not cover itself", held)
		}
		if !Covers(held, required) || held == required {
			return
		}
		space, _, _ := strings.Cut(held, ":")
		if !strings.HasPrefix(required, space+":") || held != space+":*" {
			t.Fatalf("%q covers %q", held, required)
		}
	})
}

func TestCoversIsTransitive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := scopeGen().Draw(t, "a"), scopeGen().Draw(t, "b"), scopeGen().Draw(t, "c")
		if Covers(a, b) && Covers(b, c) && !Covers(a, c) {
			t.Fatalf("%q covers %q, which covers %q", a, b, c)
		}
	})
}

func TestMissingShrinksWithMoreScopes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		held := rapid.SliceOf(scopeGen()).Draw(t, "held")
		required := rapid.SliceOf(scopeGen()).Draw(t, "required")
		more := append(slices.Clone(held), scopeGen().Draw(t, "one more"))
		for _, m := range missing(more, required) {
			if !slices.Contains(missing(held, required), m) {
				t.Fatalf("%q is missing only after a scope was added", m)
			}
		}
	})
}
