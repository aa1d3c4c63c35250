//go:build unix

package actors

import (
	"context"
	"syscall"
	"testing"

	"github.com/mcp-supervisor/supervisor/config"
	mcpspec "github.com/mcp-supervisor/supervisor/mcp/spec"
	"github.com/mcp-supervisor/supervisor/messages"
)

func TestASupervisorHasAGuardianOfItsOwn(t *testing.T) {
	ws, err := config.Load("../examples/hello-swarm", config.Options{})
	if err != nil {
		t.Fatal(err)
	}
	begin := func(opts ...Option) *Supervisor {
		s, err := Start(context.Background(), ws, append(opts, WithStateDir(t.TempDir()))...)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Stop(context.Background()) })
		return s
	}
	a, b, none := begin(), begin(), begin(WithoutGuardian())
	if a.guardian.PID() == b.guardian.PID() || a.guardian.Cookie() == b.guardian.Cookie() {
		t.Error("two supervisors share a guardian")
	}
	if none.guardian != nil {
		t.Error("WithoutGuardian has one")
	}
	if r := a.CallTool(context.Background(), CallRequest{Server: "hello", Tool: "greet", Arguments: []byte(`{"audience":"you"}`)}); r.Outcome != messages.OK {
		t.Fatalf("%+v", r)
	}
	if got, err := a.Servers(context.Background()); err != nil || got[0].Guarantee == "" || len(got[0].Warnings) > 0 {
		t.Errorf("status: %+v, %v", got, err)
	}
	pid := a.guardian.PID()
	if err := syscall.Kill(pid, 0); err != nil {
		t.Fatalf("guardian %d: %v", pid, err)
	}
	_ = a.Stop(context.Background())
	if err := syscall.Kill(pid, 0); err == nil {
		t.Error("the guardian outlives an orderly stop")
	}
	if b.guardian.PID() == 0 {
		t.Error("the other one is gone as well")
	}
}

func TestAMissingGuardianShowsInStatus(t *testing.T) {
	var told []string
	_, err := dialMCP(nil, "no sh")(context.Background(), mcpspec.Server{ID: "s", Transport: mcpspec.Stdio}, Hooks{Warn: func(text string) { told = append(told, text) }})
	if err == nil || len(told) != 1 || told[0] != "no sh" {
		t.Errorf("told %q, %v", told, err)
	}
}
