package chaos

import (
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/mcp-supervisor/supervisor/config"
	"github.com/mcp-supervisor/supervisor/governance/secrets"
	gov "github.com/mcp-supervisor/supervisor/governance/spec"
	mcpspec "github.com/mcp-supervisor/supervisor/mcp/spec"
	"github.com/mcp-supervisor/supervisor/supervision"
)

// Ledger is the id of the server that a run adds to the workspace: it writes down each call it carries out.
const Ledger = "chaos-ledger"

// What the copy has instead of the workspace's own settings. A budget is for servers that die by themselves, and a back-off
// gives whatever killed them time to pass; both would only measure themselves here; a server that was up for half a
// second had been healthy. A hung server must be noticed within the run.
const (
	raisedBudget  = 100_000
	raisedTimeout = 2 * time.Second
	raisedReset   = 500 * time.Millisecond
)

var (
	raisedBackoff = supervision.Backoff{Min: 10 * time.Millisecond, Max: 100 * time.Millisecond, Factor: 2, Jitter: 0.2}
	raisedHealth  = config.Health{Every: time.Second, Timeout: 500 * time.Millisecond, Misses: 2}
)

// prepare is the copy of the workspace that is run: its servers, the ledger, and agents that may call them all. It has no
// other agents, so that nobody else calls.
func prepare(ws *config.Workspace, o Options, ledger string) (*config.Workspace, error) {
	for _, s := range ws.Servers {
		if s.ID == Ledger {
			return nil, unusable("%s: a server is called %q, as the one that a chaos run adds: give it another id", ws.File, Ledger)
		}
	}
	run := *ws
	run.Servers = append(slices.Clone(ws.Servers), ledgerServer(o.Supervisor, ledger))
	for i := range run.Servers {
		if !o.AsConfigured {
			raise(&run.Servers[i])
		}
	}
	run.Topologies = map[string]config.Topology{"chaos": {Name: "chaos", Root: agents(o.Agents, run.Servers)}}
	return &run, nil
}

func raise(s *config.Server) {
	s.Restart.MaxRestarts, s.Restart.Within = raisedBudget, time.Minute
	s.Restart.Backoff, s.Restart.ResetAfter = raisedBackoff, raisedReset
	s.Timeout = min(s.Timeout, raisedTimeout)
	s.Health = raisedHealth
}

func ledgerServer(supervisor, file string) config.Server {
	return config.Server{
		Server: mcpspec.Server{
			ID: Ledger, Transport: mcpspec.Stdio, Command: []string{supervisor, "demo-server", "ledger", file}, Cwd: filepath.Dir(file),
			StartTimeout: mcpspec.DefaultStartTimeout, StopGrace: mcpspec.DefaultStopGrace, MaxMessage: mcpspec.DefaultMaxMessage,
		},
		Rules:   gov.Server{ID: Ledger, Tier: gov.Open},
		Timeout: mcpspec.DefaultTimeout, Restart: supervision.DefaultRestart(), Health: config.DefaultHealth(),
		MaxInFlight: config.DefaultMaxInFlight, Queue: config.Queue{Max: config.DefaultQueueMax, Wait: config.DefaultQueueWait},
		OnDown: config.OnDownQueue,
	}
}

// agents is a root with n-1 workers. Each holds a grant of each server, so that every call passes the gate as an agent's.
func agents(n int, servers []config.Server) config.Agent {
	var grants []gov.Grant
	for _, s := range servers {
		if !s.Disabled {
			grants = append(grants, gov.Grant{Via: "server:" + s.ID, Server: s.ID, Tool: "*"})
		}
	}
	root := config.Agent{Agent: gov.Agent{ID: agentID(0), Role: "root", Grants: grants}}
	for i := 1; i < n; i++ {
		root.Children = append(root.Children, config.Agent{Agent: gov.Agent{ID: agentID(i), Role: "worker", Grants: grants}})
	}
	return root
}

func agentID(n int) string { return fmt.Sprintf("chaos-%d", n) }

// Commands are the command lines of the servers that a run of the workspace starts and hurts, one a line, the ledger left
// out; remote servers are named by their URL. Secrets in them are masked.
func Commands(ws *config.Workspace) []string {
	keeper := secrets.NewKeeper(nil, secrets.Builtin(nil))
	var lines []string
	for _, s := range ws.Servers {
		if s.Disabled {
			continue
		}
		keeper.RememberArgs(s.Command)
		keeper.RememberURL("endpoint", s.Endpoint)
		lines = append(lines, keeper.Mask(commandOf(s)))
	}
	return lines
}

func commandOf(s config.Server) string {
	if remote(s.Transport) {
		return fmt.Sprintf("%s: %s (remote: called, never killed)", s.ID, s.Endpoint)
	}
	return fmt.Sprintf("%s: %q in %s", s.ID, s.Command, s.Cwd)
}

// remote reports whether a server has no process of ours.
func remote(t mcpspec.Transport) bool { return t != mcpspec.Stdio }
