//go:build unix

package mcp

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

// TestMain makes the test binary a server when it is asked to be one: see fake_test.go.
func TestMain(m *testing.M) {
	if mode := os.Getenv("FAKE_MODE"); mode != "" {
		os.Exit(serve(mode))
	}
	goleak.VerifyTestMain(m)
}
