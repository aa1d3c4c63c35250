// Package spec holds the values that describe who may do what: agents, skills, grants, tiers and effects.
//
// It is a leaf, so that loading a workspace links no policy engine. All values are immutable once handed on.
package spec

// Operator is the id of the person at the keyboard: it holds all grants and scopes.
const Operator = "operator"

// Tier is a server's or tool's permission tier.
type Tier string

const (
	// Open skips policies, never identity, filters or scopes.
	Open Tier = "open"
	// Cautious lets reads pass and sends writes through the policies. It is the default.
	Cautious Tier = "cautious"
	// Readonly lets only tools through that are known to read.
	Readonly Tier = "readonly"
	// Strict asks for an approval of every call.
	Strict Tier = "strict"
)

// Effect is what a tool does to the world.
type Effect string

const (
	Read  Effect = "read"
	Write Effect = "write"
)

// Agent is the gate's view of one agent.
type Agent struct {
	ID string
	// Role is root, leader or worker.
	Role string
	// Scopes are the scopes the agent holds (its base_scope).
	Scopes []string
	// Elevated are scopes it may be given later; they are not granted by themselves.
	Elevated []string
	// Grants are the ways the agent may reach tools.
	Grants []Grant
	// Groups are what policies may call the agent a member of, beside its role.
	Groups []string
}

// Grant is one way for an agent to reach tools: a skill it holds, a whole server, or one tool.
type Grant struct {
	// Via names the grant in decisions: the skill's id, "server:<id>" or "tool:<server>/<name>".
	Via string
	// Server is the server's id, or "*" for all.
	Server string
	// Tool is the tool's original name, or "*" for all tools the server exposes.
	Tool string
	// Scopes are needed to use this grant (the skill's required_scopes).
	Scopes []string
}

// Server is the gate's view of one server.
type Server struct {
	ID string
	// Tools is the filter of exposed tools by original name; empty means all.
	Tools []string
	// Tier is the server's permission tier, Overrides those of single tools.
	Tier      Tier
	Overrides map[string]Tier
	// Effects declares what tools do; it wins over the server's own annotations.
	Effects map[string]Effect
	// Tags are what policies may tell the server by, beside its id.
	Tags []string
}

// TierOf returns the tier that holds for a tool.
func (s Server) TierOf(tool string) Tier {
	if t, ok := s.Overrides[tool]; ok {
		return t
	}
	if s.Tier == "" {
		return Cautious
	}
	return s.Tier
}

// Exposes reports whether the filter lets the tool through. Names match exactly.
func (s Server) Exposes(tool string) bool {
	if len(s.Tools) == 0 {
		return true
	}
	for _, t := range s.Tools {
		if t == tool {
			return true
		}
	}
	return false
}
