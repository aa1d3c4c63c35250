package config

import (
	"time"

	gov "github.com/mcp-supervisor/supervisor/governance/spec"
	mcpspec "github.com/mcp-supervisor/supervisor/mcp/spec"
	"github.com/mcp-supervisor/supervisor/models"
	"github.com/mcp-supervisor/supervisor/supervision"
)

// Workspace is one validated workspace. It is immutable.
type Workspace struct {
	ID   string
	Name string
	// Root is the workspace's folder, absolute.
	Root string
	// File is the file that declares the servers, as a user would name it.
	File string
	// Servers are in the order of the file, disabled ones included.
	Servers     []Server
	Credentials map[string]Credential
	Skills      map[string]Skill
	Topologies  map[string]Topology
	// Warnings are what was declared and is not run, or looks wrong and is harmless.
	Warnings []Fault
}

// Server is all that is declared about one server: how to reach it, who may use it, and how it is supervised.
type Server struct {
	mcpspec.Server
	Rules gov.Server
	// Prefix is put before tool names that models see.
	Prefix   string
	Disabled bool
	// Timeout bounds one call.
	Timeout time.Duration
	// CredentialsRef names a credential that is sent as Bearer token to an http server.
	CredentialsRef string
	Restart        supervision.Restart
	Health         Health
	// MaxInFlight calls run at the same time; 1 means strictly in order.
	MaxInFlight int
	Queue       Queue
	// OnDown is what calls do while the server is down.
	OnDown OnDown
	// DependsOn orders start and stop.
	DependsOn []string
	// Significant: the run ends when this server is failed.
	Significant bool
}

// Health is how often an idle server is probed. Every 0 means never; Misses probes in a row must fail.
type Health struct {
	Every, Timeout time.Duration
	Misses         int
}

// Queue bounds the calls that wait for a server.
type Queue struct {
	Max  int
	Wait time.Duration
}

// OnDown says what calls do while their server is down.
type OnDown string

const (
	OnDownQueue OnDown = "queue" // wait for it, inside the queue's bounds
	OnDownFail  OnDown = "fail"  // end as unavailable at once
)

// Credential says where a secret comes from; it never holds the secret.
type Credential struct {
	Name string
	// Source is env or file.
	Source string
	// Config is the source's own settings: {env: VAR} or {path: FILE}.
	Config map[string]string
}

// Skill is a tool with a name and the scopes it needs.
type Skill struct {
	ID          string
	Description string
	// Server and Tool are set for skills of type mcp_tool, the only type that is run for now.
	Server string
	Tool   string
	// Arguments are merged under the model's arguments; a JSON object or nil.
	Arguments      map[string]any
	RequiredScopes []string
}

// Topology is a tree of agents.
type Topology struct {
	Name string
	// File is where it was declared, relative to the workspace.
	File string
	Root Agent
}

// Agent is one agent of a topology, with its archetype's defaults merged in.
type Agent struct {
	gov.Agent
	Model  models.Config
	System string // the system prompt
	// Skills are the ids of the skills it holds.
	Skills   []string
	Children []Agent
}

// Walk calls visit for a and all agents below it, parents first.
func (a Agent) Walk(visit func(Agent)) {
	visit(a)
	for _, child := range a.Children {
		child.Walk(visit)
	}
}

// Server returns the declared server with that id.
func (w *Workspace) Server(id string) (Server, bool) {
	for _, s := range w.Servers {
		if s.ID == id {
			return s, true
		}
	}
	return Server{}, false
}

// Needs returns the ids of the enabled servers that the topology's agents can reach, in the order of the file.
func (w *Workspace) Needs(t Topology) []string {
	reached := map[string]bool{}
	t.Root.Walk(func(a Agent) {
		for _, g := range a.Grants {
			reached[g.Server] = true
		}
	})
	var ids []string
	for _, s := range w.Servers {
		if !s.Disabled && (reached[s.ID] || reached["*"]) {
			ids = append(ids, s.ID)
		}
	}
	return ids
}
