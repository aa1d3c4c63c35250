package actors

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"testing"

	"go.uber.org/goleak"

	"github.com/mcp-supervisor/supervisor/mcp/demoserver"
)

// TestMain lets the test binary stand in for the supervisor's, whose demo servers the examples start.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "demo-server" {
		if err := demoserver.Serve(context.Background(), os.Args[2], os.Args[3:], os.Stdin, os.Stdout, os.Stderr); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	goleak.VerifyTestMain(m)
}

var discard = slog.New(slog.DiscardHandler)
