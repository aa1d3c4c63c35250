package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcp-supervisor/supervisor/actors"
	"github.com/mcp-supervisor/supervisor/control"
	"github.com/mcp-supervisor/supervisor/governance"
	"github.com/mcp-supervisor/supervisor/internal/owner"
	"github.com/mcp-supervisor/supervisor/messages"
)

// fakeOwner answers for a workspace that nothing runs in.
type fakeOwner struct {
	control.Backend
	servers []messages.ServerStatus
	tell    func(verb, id string) (messages.ServerStatus, error)
	reload  func() (actors.ReloadResult, error)
	frozen  governance.Frozen
}

func (f fakeOwner) Frozen(context.Context) (governance.Frozen, error) { return f.frozen, nil }

func (f fakeOwner) Servers(context.Context) ([]messages.ServerStatus, error) { return f.servers, nil }

func (f fakeOwner) StartServer(_ context.Context, id string) (messages.ServerStatus, error) {
	return f.tell("start", id)
}

func (f fakeOwner) StopServer(_ context.Context, id string) (messages.ServerStatus, error) {
	return f.tell("stop", id)
}

func (f fakeOwner) RestartServer(_ context.Context, id string) (messages.ServerStatus, error) {
	return f.tell("restart", id)
}

func (f fakeOwner) Reload(context.Context) (actors.ReloadResult, error) { return f.reload() }

// newFolder is the folder of a workspace with these servers, as YAML.
func newFolder(t *testing.T, servers string) string {
	t.Helper()
	dir := t.TempDir()
	save(t, filepath.Join(dir, "workspace.yaml"),
		"apiVersion: supervisor/v1\nkind: Workspace\nmetadata: {id: w, name: W}\nmcp_servers:\n"+servers)
	return dir
}

func save(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// owned makes the fake the owner of the workspace in dir.
func owned(t *testing.T, dir string, f control.Backend) {
	t.Helper()
	state := owner.StateDir(dir)
	o, err := owner.Acquire(state)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = o.Release() })
	socket, err := owner.SocketPath(state)
	if err != nil {
		t.Fatal(err)
	}
	l, err := control.Listen(socket)
	if err != nil {
		t.Fatal(err)
	}
	server := control.Serve(l, f)
	t.Cleanup(func() { _ = server.Close() })
	if err := o.Publish(socket); err != nil {
		t.Fatal(err)
	}
}

// ran is what a command line did.
type ran struct {
	Code     int
	Out, Err string
}

func command(t *testing.T, args ...string) ran {
	t.Helper()
	var out, words strings.Builder
	a := &app{in: strings.NewReader(""), out: &out, err: &words}
	root := a.root()
	root.SetArgs(args)
	code := a.report(root.ExecuteContext(t.Context()))
	return ran{Code: code, Out: out.String(), Err: words.String()}
}
