package main

import (
	"path/filepath"
	"testing"
)

// Every example of policies passes its own tests, by the command that docs/policies.md shows.
func TestExamplesOfPolicies(t *testing.T) {
	files, err := filepath.Glob("../../examples/policies/*_test.yaml")
	if err != nil {
		t.Fatal(err)
	}
	examples, err := filepath.Glob("../../examples/policies/*.cedar")
	if err != nil || len(examples) == 0 || len(files) != len(examples) {
		t.Fatalf("%d examples and %d files of tests, %v", len(examples), len(files), err)
	}
	if got := command(t, append([]string{"policy", "test"}, files...)...); got.Code != 0 {
		t.Errorf("code %d\n%s%s", got.Code, got.Out, got.Err)
	}
}
