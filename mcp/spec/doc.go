// Package spec holds the values that describe MCP servers, their tools and their calls.
//
// It is a leaf: config fills a [Server] from files, package mcp runs it, actors move the rest around, and nobody who
// only needs the values links the MCP SDK. All values are immutable once handed on.
package spec
