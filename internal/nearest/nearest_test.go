package nearest

import (
	"strings"
	"testing"
)

func TestName(t *testing.T) {
	known := []string{"greeter", "filesystem", "db", "git"}
	tests := []struct{ name, wrong, want string }{
		{"one letter off", "greter", "greeter"},
		{"case does not count", "FileSystem", "filesystem"},
		{"nothing near", "calendar", ""},
		{"two letters of a short name", "gt", "git"},
		{"as different as it is long is not near", "xy", ""},
		{"nothing", "", ""},
		{"too long to compare", strings.Repeat("x", 100), ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := Name(tt.wrong, known); got != tt.want {
				t.Errorf("Name(%q) = %q, want %q", tt.wrong, got, tt.want)
			}
		})
	}
	if got := DidYouMean("greter", known); got != "did you mean `greeter`?" {
		t.Errorf("got %q", got)
	}
}
