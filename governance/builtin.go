package governance

import (
	"context"
	"sync/atomic"

	"github.com/mcp-supervisor/supervisor/governance/pins"
	"github.com/mcp-supervisor/supervisor/governance/policy"
	"github.com/mcp-supervisor/supervisor/governance/spec"
)

// Snapshot is what a Builtin decides by.
type Snapshot struct {
	Agents  []AgentIn
	Servers []spec.Server
	// Disabled are ids of servers that are declared and never run: calls to them are told so.
	Disabled []string
	// Pinning says what becomes of a tool that is not as it was approved.
	Pinning spec.Pinning
	// Policies decide about what the rest lets pass; nil permits it.
	Policies *policy.Set
}

// Builtin is the provider of a workspace. The zero value knows nobody but the operator, and no server.
//
// The snapshot is immutable: a reload makes a new Builtin. Only the kill switch can be thrown on a live one.
type Builtin struct {
	agents  directory
	servers map[string]spec.Server
	order   []string // server ids, as declared
	off     []string // ids of servers that are disabled
	pinning spec.Pinning
	rules   *policy.Set // nil: none
	frozen  atomic.Pointer[Frozen]
	lock    atomic.Pointer[pins.Lock]
}

var _ Provider = (*Builtin)(nil)

// NewBuiltin makes a provider of a snapshot, which must not be changed afterwards. Of two agents with one topology and
// id, or two servers with one id, the first counts.
func NewBuiltin(s Snapshot) *Builtin {
	b := &Builtin{off: s.Disabled, pinning: s.Pinning, rules: s.Policies, agents: newDirectory(s.Agents), servers: make(map[string]spec.Server, len(s.Servers))}
	for _, server := range s.Servers {
		if _, twice := b.servers[server.ID]; !twice {
			b.servers[server.ID] = server
			b.order = append(b.order, server.ID)
		}
	}
	return b
}

// SetFrozen throws the kill switch for all decisions from now on, replacing what was frozen before. f must not be
// changed afterwards. Calls that were allowed before are not its business.
func (b *Builtin) SetFrozen(f Frozen) { b.frozen.Store(&f) }

// EvaluateAction decides; see the package's order of checks. It never blocks.
func (b *Builtin) EvaluateAction(_ context.Context, a Action) Decision {
	return b.check(a).d
}

// VerifyIdentity knows an agent by its name: inside the process the supervisor itself says who calls.
func (b *Builtin) VerifyIdentity(_ context.Context, c Credential) Identity {
	agent, reason := b.agents.find(c.Topology, c.Agent)
	if reason != "" {
		return Identity{Topology: c.Topology, Agent: c.Agent, Reason: reason}
	}
	return Identity{Verified: true, Topology: agent.Topology, Agent: agent.ID, Role: agent.Role}
}

// RecordEvent does nothing: the builtin decides by the workspace alone and learns nothing from the past.
func (b *Builtin) RecordEvent(context.Context, Event) error { return nil }

// TrustScore trusts whom the workspace declares, fully, and nobody else.
func (b *Builtin) TrustScore(_ context.Context, agentID string) Trust {
	if _, reason := b.agents.find(ParseAgent(agentID)); reason != "" {
		return Trust{Score: 0, Tier: Untrusted}
	}
	return Trust{Score: 1, Tier: Trusted}
}

// Reachable returns those of a catalogue's tools that the agent's grants cover, in the catalogue's order. Scopes and
// tiers are not looked at: they refuse with a reason, which an agent cannot read from a tool it does not see.
// An unknown agent reaches nothing. It is what listings show; EvaluateAction does not trust it.
func (b *Builtin) Reachable(topology, agent, server string, c *Catalogue) []Tool {
	who, reason := b.agents.find(topology, agent)
	if reason != "" || c == nil {
		return nil
	}
	rules := b.servers[server]
	var tools []Tool
	for _, t := range c.Tools() {
		if rules.Exposes(t.Name) && covering(who.Grants, server, t.Name) != nil {
			tools = append(tools, t)
		}
	}
	return tools
}

// covering returns the grants that reach a tool, in the order of declaration.
func covering(grants []spec.Grant, server, tool string) []spec.Grant {
	var out []spec.Grant
	for _, g := range grants {
		if covers(g, server, tool) {
			out = append(out, g)
		}
	}
	return out
}

func covers(g spec.Grant, server, tool string) bool {
	return (g.Server == "*" || g.Server == server) && (g.Tool == "*" || g.Tool == tool)
}
