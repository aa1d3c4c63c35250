//go:build unix

package mcp

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

// TestMain makes the test binary a server, or a program that embeds this package, when it is asked to be one: see
// fake_test.go and host_test.go.
func TestMain(m *testing.M) {
	if mode := os.Getenv("FAKE_MODE"); mode != "" {
		os.Exit(serve(mode))
	}
	if script := os.Getenv("FAKE_HOST"); script != "" {
		os.Exit(host(script))
	}
	goleak.VerifyTestMain(m)
}
