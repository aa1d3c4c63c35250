// Package config loads a workspace: a folder with workspace.yaml and archetypes/, skills/ and topologies/ beside it, or
// one file with a `tools: {mcp: ...}` block.
//
// [Load] returns one validated value or all faults at once, each with file, line and a suggestion. It starts nothing and
// resolves no secret.
package config
