package governance

import "strings"

// Covers reports whether holding one scope is enough where another is required.
//
// Scopes are equal, or the held one ends in ":*" and the required one has the same part before its first colon:
// "fs:*" covers "fs:read" and "fs:*", and never "net:read" or "fs". A bare "*" is no wildcard: it covers "*" alone, so
// that no agent holds everything by one character. A required "fs:*" is covered by "fs:*" only.
func Covers(held, required string) bool {
	if held == required {
		return true
	}
	space, wild := strings.CutSuffix(held, ":*")
	if !wild || strings.Contains(space, ":") {
		return false
	}
	required, ok := strings.CutPrefix(required, space+":")
	return ok && required != ""
}

// missing returns the required scopes that none of the held ones covers.
func missing(held, required []string) []string {
	var out []string
	for _, r := range required {
		if !coveredByAny(held, r) {
			out = append(out, r)
		}
	}
	return out
}

func coveredByAny(held []string, required string) bool {
	for _, h := range held {
		if Covers(h, required) {
			return true
		}
	}
	return false
}
