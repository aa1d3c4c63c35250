// Package faults holds black-box tests of every kind of fault that people met with MCP servers: a whole supervisor is
// started on a workspace file against a server that misbehaves in that way (package fake).
package faults
