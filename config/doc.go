// Package config loads a workspace: a folder with workspace.yaml and archetypes/, skills/, topologies/ and policies/ beside
// it, or one file with a `tools: {mcp: ...}` block.
//
// [Load] returns one validated value or all faults at once, each with file, line and a suggestion. It starts nothing and
// resolves no secret. Policies are text to it; [PolicyCases] reads their tests, because no other package knows YAML.
//
// Reading is in three steps. parse turns a file into values that know their place, with aliases and merge keys resolved
// and placeholders substituted; the functions in read.go turn one value into one Go type, or a fault; the rest says what
// a workspace consists of. Files of swarmkit/v1 load unmodified: what we do not run, or do not know, is a warning. In
// files of supervisor/v1 an unknown field is a fault.
//
// A message quotes what was written in a file, never what a variable stands for: that may be a secret.
//
// The rules are tested by example: each file of testdata/rules is a workspace and all that Load says about it
// (go test -run TestRules -update writes the latter).
package config
