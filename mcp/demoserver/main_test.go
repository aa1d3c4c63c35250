package demoserver

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/goleak"

	"github.com/mcp-supervisor/supervisor/internal/safe"
)

// patience bounds every wait for something that takes milliseconds when all is well.
const patience = 20 * time.Second

// serveEnv makes the test binary a demo server, as `supervisor demo-server` does.
const serveEnv = "DEMOSERVER_TEST_SERVE"

func TestMain(m *testing.M) {
	if name := os.Getenv(serveEnv); name != "" {
		ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
		err := Serve(ctx, name, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
		stop()
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

// connect serves a demo server inside the test process and returns a client's session with it. At the end of the test
// the session is closed, and Serve must have returned nil.
func connect(t *testing.T, name string, args ...string) *sdk.ClientSession {
	t.Helper()
	session, served := dial(t, name, args...)
	t.Cleanup(func() {
		_ = session.Close()
		if err := <-served; err != nil {
			t.Errorf("Serve(%q) = %v after its input ended, want nil", name, err)
		}
	})
	return session
}

func dial(t *testing.T, name string, args ...string) (*sdk.ClientSession, <-chan error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	served := make(chan error, 1)
	safe.Go("serve", func(c *safe.Crash) { served <- c }, func() {
		err := Serve(context.WithoutCancel(ctx), name, args, in, out, io.Discard)
		_ = out.Close() // as the end of the process does
		served <- err
	})
	session, err := client().Connect(ctx, &sdk.IOTransport{Reader: fromServer, Writer: toServer}, &sdk.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	if err != nil {
		t.Fatalf("connect to %s: %v", name, err)
	}
	return session, served
}

func client() *sdk.Client {
	return sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil)
}

// spawn starts a demo server in a process of its own.
func spawn(t *testing.T, name string, args ...string) (*sdk.ClientSession, *exec.Cmd, *strings.Builder) {
	t.Helper()
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), serveEnv+"="+name)
	stderr := new(strings.Builder)
	cmd.Stderr = stderr
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	session, err := client().Connect(ctx, &sdk.CommandTransport{Command: cmd, TerminateDuration: patience}, &sdk.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	if err != nil {
		t.Fatalf("spawn %s: %v", name, err)
	}
	t.Cleanup(func() { _ = session.Close() })
	return session, cmd, stderr
}

type args = map[string]any

// call calls a tool and returns its text; an isError result comes back as text with "error: " before it.
func call(t *testing.T, session *sdk.ClientSession, tool string, arguments args) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	got, err := try(ctx, session, tool, arguments)
	if err != nil {
		t.Fatalf("%s(%v): %v", tool, arguments, err)
	}
	return got
}

func try(ctx context.Context, session *sdk.ClientSession, tool string, arguments args) (string, error) {
	if arguments == nil {
		arguments = args{}
	}
	result, err := session.CallTool(ctx, &sdk.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		return "", err
	}
	said := result.Content[0].(*sdk.TextContent).Text
	if result.IsError {
		said = "error: " + said
	}
	return said, nil
}
