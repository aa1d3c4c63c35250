package chaos

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/mcp-supervisor/supervisor/config"
	mcpspec "github.com/mcp-supervisor/supervisor/mcp/spec"
	"github.com/mcp-supervisor/supervisor/supervision"
)

func declared() *config.Workspace {
	server := func(id string) config.Server {
		return config.Server{
			Server:  mcpspec.Server{ID: id, Transport: mcpspec.Stdio, Command: []string{"serve", "it"}, Cwd: "/ws"},
			Timeout: time.Minute, Restart: supervision.DefaultRestart(), Health: config.DefaultHealth(),
		}
	}
	fast, off, far := server("fast"), server("off"), server("far")
	fast.Timeout = time.Second
	off.Disabled = true
	far.Server = mcpspec.Server{ID: "far", Transport: mcpspec.HTTP, Endpoint: "https://example.com/mcp"}
	return &config.Workspace{
		File: "ws/workspace.yaml", Servers: []config.Server{server("a"), fast, off, far},
		Topologies: map[string]config.Topology{"theirs": {Name: "theirs"}},
	}
}

func TestTheCopyIsRaised(t *testing.T) {
	ws := declared()
	run, err := prepare(ws, Options{Agents: 3, Supervisor: "/bin/supervisor"}, "/tmp/ledger")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range run.Servers {
		if s.Restart.MaxRestarts != raisedBudget || s.Restart.Backoff != raisedBackoff || s.Health != raisedHealth {
			t.Errorf("%s: restart %+v, health %+v", s.ID, s.Restart, s.Health)
		}
	}
	timeouts := map[string]time.Duration{"a": raisedTimeout, "fast": time.Second, Ledger: raisedTimeout}
	for id, want := range timeouts {
		if s, _ := run.Server(id); s.Timeout != want {
			t.Errorf("%s: timeout %s, want %s", id, s.Timeout, want)
		}
	}
	if diff := cmp.Diff(declared(), ws, cmpopts.IgnoreUnexported(config.Workspace{})); diff != "" {
		t.Errorf("the workspace itself was changed (-want +got):\n%s", diff)
	}
}

func TestAsConfiguredChangesNoServer(t *testing.T) {
	ws := declared()
	run, err := prepare(ws, Options{Agents: 3, AsConfigured: true}, "/tmp/ledger")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(ws.Servers, run.Servers[:len(ws.Servers)]); diff != "" {
		t.Errorf("servers (-want +got):\n%s", diff)
	}
}

func TestAgentsHoldAGrantOfEachEnabledServer(t *testing.T) {
	run, err := prepare(declared(), Options{Agents: 3}, "/tmp/ledger")
	if err != nil {
		t.Fatal(err)
	}
	got := map[string][]string{}
	for _, a := range run.Agents() {
		for _, g := range a.Grants {
			got[a.ID] = append(got[a.ID], g.Via+" "+g.Tool)
		}
	}
	grants := []string{"server:a *", "server:fast *", "server:far *", "server:chaos-ledger *"}
	if diff := cmp.Diff(map[string][]string{"chaos-0": grants, "chaos-1": grants, "chaos-2": grants}, got); diff != "" {
		t.Errorf("grants (-want +got):\n%s", diff)
	}
}

func TestTheLedgersIdIsTaken(t *testing.T) {
	ws := declared()
	ws.Servers[0].ID = Ledger
	if _, err := prepare(ws, Options{Agents: 1}, "/tmp/ledger"); !says(err, `ws/workspace.yaml: a server is called "chaos-ledger"`) {
		t.Errorf("prepare = %v", err)
	}
}

func TestCommands(t *testing.T) {
	want := []string{`a: ["serve" "it"] in /ws`, `fast: ["serve" "--token" "[masked:token]"] in /ws`, `far: https://example.com/mcp?api_key=[masked:api_key] (remote: called, never killed)`}
	ws := declared()
	ws.Servers[1].Command = []string{"serve", "--token", "hunter22"}
	ws.Servers[3].Endpoint = "https://example.com/mcp?api_key=hunter33"
	if diff := cmp.Diff(want, Commands(ws)); diff != "" {
		t.Errorf("commands (-want +got):\n%s", diff)
	}
}
