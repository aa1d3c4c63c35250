package control

import (
	"context"
	"encoding/json"
	"net"
	"path/filepath"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/mcp-supervisor/supervisor/actors"
	"github.com/mcp-supervisor/supervisor/governance/audit"
	"github.com/mcp-supervisor/supervisor/messages"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// owner is a Backend made of functions; a nil one answers with zero values.
type owner struct {
	gatekeeper
	call  func(context.Context, actors.CallRequest) messages.CallResult
	tools func(actors.ToolsQuery) (actors.ToolsResult, error)
	run   func(context.Context, actors.RunRequest, func(messages.Event)) (actors.RunResult, error)
	list  func(audit.Filter) ([]audit.Record, error)
	// tell is one of start, stop and restart, with the server's id.
	tell   func(ctx context.Context, verb, id string) (messages.ServerStatus, error)
	reload func() (actors.ReloadResult, error)
}

func (o owner) CallTool(ctx context.Context, r actors.CallRequest) messages.CallResult {
	return o.call(ctx, r)
}

func (o owner) Tools(_ context.Context, q actors.ToolsQuery) (actors.ToolsResult, error) {
	return o.tools(q)
}

func (o owner) Servers(context.Context) ([]messages.ServerStatus, error) {
	return []messages.ServerStatus{{ID: "files", State: messages.StateUp, PID: 7}}, nil
}

func (o owner) Run(ctx context.Context, r actors.RunRequest, progress func(messages.Event)) (actors.RunResult, error) {
	return o.run(ctx, r, progress)
}

func (o owner) StartServer(ctx context.Context, id string) (messages.ServerStatus, error) {
	return o.tell(ctx, "start", id)
}

func (o owner) StopServer(ctx context.Context, id string) (messages.ServerStatus, error) {
	return o.tell(ctx, "stop", id)
}

func (o owner) RestartServer(ctx context.Context, id string) (messages.ServerStatus, error) {
	return o.tell(ctx, "restart", id)
}

func (o owner) Reload(context.Context) (actors.ReloadResult, error) { return o.reload() }

func (o owner) Audit(_ context.Context, f audit.Filter) ([]audit.Record, error) { return o.list(f) }

func (o owner) VerifyAudit(context.Context) (audit.Report, error) { return audit.Report{}, nil }

// serve runs a server for the backend and returns a client of it.
func serve(t *testing.T, api Backend) (*Server, *Client) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "s")
	l, err := Listen(path)
	if err != nil {
		t.Fatal(err)
	}
	s := Serve(l, api)
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	c, err := Dial(path)
	if err != nil {
		t.Fatal(err)
	}
	return s, c
}

// answering returns a socket where each connection is handled by fn and closed after it.
func answering(t *testing.T, fn func(net.Conn)) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	t.Cleanup(func() { _ = l.Close(); <-done })
	goDo(t, done, func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			fn(conn)
			_ = conn.Close()
		}
	})
	return path
}

func ok(r actors.CallRequest) messages.CallResult {
	return messages.CallResult{
		CallID: "c1", Server: r.Server, Tool: r.Tool, Outcome: messages.OK, Ran: messages.RanYes,
		Result: json.RawMessage(`{"n":12345678901234567890,"html":"<&>"}`), Attempts: 1, Incarnation: 2,
		Duration: messages.Millis(1500 * time.Microsecond),
	}
}

// within fails the test when ch brings nothing for ten seconds.
func within[T any](t *testing.T, ch <-chan T, what string) T {
	t.Helper()
	select {
	case v := <-ch:
		return v
	case <-time.After(10 * time.Second):
		t.Fatalf("%s: nothing within 10 s", what)
		panic("unreachable")
	}
}
