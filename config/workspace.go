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
	// Groups are restarted together. A server is in one of them at most, and disabled servers are in none.
	Groups []supervision.Group
	// MaxStarts is how many servers may be starting at the same time; 0 means the supervisor's own default.
	MaxStarts int
	// Governance is what the gate decides by, beside what servers and agents declare.
	Governance Governance
	// Files are the files that the load read, relative to Root with slashes, sorted.
	Files []string
	// Digest is the SHA-256, as lower-case hex, of the names and contents of Files. It does not depend on where the
	// folder is; what placeholders take from the environment is not in it.
	Digest string
	// Warnings are what was declared and is not run, or looks wrong and is harmless.
	Warnings []Fault

	from source
	// gone are servers that a comparison with later files still knows: see WithServersOf.
	gone map[string]Server
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
	// Start says whether the server is started with the supervisor, or for the first call that needs it.
	Start StartMode
	// IdleStop is how long a server may have nothing to do before it is stopped until the next call; 0 means for ever.
	IdleStop time.Duration
	// MaxInFlight calls run at the same time; 1 means strictly in order.
	MaxInFlight int
	Queue       Queue
	// OnDown is what calls do while the server is down.
	OnDown OnDown
	// CatalogWhenDown is what becomes of the server's tools in lists while it is down.
	CatalogWhenDown CatalogWhenDown
	// Retry says which calls may be sent once more after they were lost.
	Retry Retry
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

// StartMode says when a server is started first.
type StartMode string

const (
	StartEager StartMode = "eager" // with the supervisor
	StartLazy  StartMode = "lazy"  // when a call needs it
)

// CatalogWhenDown says whether the tools of a server that is down are listed.
type CatalogWhenDown string

const (
	CatalogKeep CatalogWhenDown = "keep" // as they were when it was last up
	CatalogHide CatalogWhenDown = "hide" // not until it is up again
)

// Retry says which lost calls are sent once more when the server is back, inside the same deadline.
type Retry string

const (
	RetryNever      Retry = "never"      // a call runs at most once
	RetryReadOnly   Retry = "read_only"  // those of tools that are known to read only
	RetryIdempotent Retry = "idempotent" // those too of tools that say a second call changes nothing more
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
