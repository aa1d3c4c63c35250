// Package real tests the supervisor with real MCP servers from npm. The tests are skipped, and say so, where there is no
// npm.
package real
