package mcp

import "testing"

// Stack traces are indented by tabs, which stood as \t in status and logs.
func TestTabsOfStderrAreBlanks(t *testing.T) {
	e := newStderr(Options{Mask: func(s string) string { return s }})
	e.line("\tat main.go:3\n")
	if got := e.last(); len(got) != 1 || got[0] != "    at main.go:3" {
		t.Errorf("%q", got)
	}
}
