package config

import (
	"encoding/json"
	"time"

	gov "github.com/mcp-supervisor/supervisor/governance/spec"
	mcpspec "github.com/mcp-supervisor/supervisor/mcp/spec"
)

// PolicyCase is one case of a policy test file: a call, and what the policies have to say about it.
type PolicyCase struct {
	Name string
	// Topology and Agent name the caller; Topology is "" where only an agent's id is given.
	Topology, Agent string
	// Role is root, leader or worker, or "" when it is not said.
	Role   string
	Groups []string
	// Trust is 0 to 1; 1 when it is not said.
	Trust float64
	// Server and Tool are what is called.
	Server, Tool string
	// Arguments are a JSON object, numbers with the digits of the file; nil when there are none.
	Arguments json.RawMessage
	// Effect is write when it is not said.
	Effect      gov.Effect
	Annotations mcpspec.Annotations
	// Tier is cautious when it is not said.
	Tier gov.Tier
	// Tags are those of the server; nil when they are not said.
	Tags []string
	// AgentCalls and RunCalls were made before this one in the run, by the agent and by all; Denied of the agent's were
	// denied.
	AgentCalls, RunCalls, Denied int64
	// Time is when the call is made; zero when it is not said.
	Time time.Time
	// Want is WantAllow, WantDeny or WantApprove.
	Want string
	// Rule is the policy that has to decide; "" means whichever.
	Rule string
	// Redact are the paths that have to be redacted; nil means that nobody looks, and an empty list none.
	Redact []string
	// Line is where the case starts in its file, from 1.
	Line int
}

// What a case of a policy test can want.
const (
	WantAllow   = "allow"
	WantDeny    = "deny"
	WantApprove = "approve" // allowed once somebody approves
)
