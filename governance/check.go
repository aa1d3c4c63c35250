package governance

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcp-supervisor/supervisor/governance/spec"
	"github.com/mcp-supervisor/supervisor/messages"
)

// check is one decision on its way through the steps.
type check struct {
	b      *Builtin
	a      Action
	frozen *Frozen

	agent  AgentIn
	grants []spec.Grant // those that reach the tool
	server spec.Server
	tool   Tool
	d      Decision
}

// steps are asked in this order; one that returns false has decided.
var steps = []func(*check) bool{
	(*check).identify,
	(*check).agentThawed,
	(*check).granted,
	(*check).serverKnown,
	(*check).serverThawed,
	(*check).scoped,
	(*check).catalogued,
	(*check).exposed,
	(*check).tiered,
	(*check).fitting,
	(*check).pinned,
	(*check).permitted,
}

// check takes an action through the steps, up to the one that decides.
func (b *Builtin) check(a Action) check {
	c := check{b: b, a: a, frozen: b.frozen.Load()}
	for _, step := range steps {
		if !step(&c) {
			break
		}
	}
	return c
}

func (c *check) identify() bool {
	var reason string
	if c.agent, reason = c.b.agents.find(c.a.Topology, c.a.Agent); reason != "" {
		return c.refuse(messages.Invalid, "identity", "%s", reason)
	}
	return true
}

func (c *check) agentThawed() bool {
	if c.frozen.agent(c.agent) {
		return c.refuse(messages.Denied, "freeze", "agent %s is frozen; an operator has to thaw it", tick(c.a.Agent))
	}
	return true
}

// granted answers alike whether server and tool exist or not: a prober learns nothing.
func (c *check) granted() bool {
	if c.a.Server == "" { // a name that stands for no tool of any server
		return c.refuse(messages.Invalid, "tool", "agent %s has no tool %s; a tool is named by a skill the agent holds, by the name models see, or as server/tool",
			tick(c.a.Agent), tick(c.a.Tool))
	}
	if c.grants = covering(c.agent.Grants, c.a.Server, c.a.Tool); c.grants != nil {
		return true
	}
	return c.refuse(messages.Denied, "grant",
		"agent %s has no grant for tool %s of server %s; give it a skill that uses the tool, or add \"tool:<server>/<tool>\" to its skills",
		tick(c.a.Agent), tick(c.a.Tool), tick(c.a.Server))
}

func (c *check) serverKnown() bool {
	var known bool
	if c.server, known = c.b.servers[c.a.Server]; known {
		return true
	}
	if slices.Contains(c.b.off, c.a.Server) {
		return c.refuse(messages.Invalid, "server", "server %s is disabled in this workspace", tick(c.a.Server))
	}
	var reachable []string
	for _, id := range c.b.order {
		if slices.ContainsFunc(c.agent.Grants, func(g spec.Grant) bool { return g.Server == "*" || g.Server == id }) {
			reachable = append(reachable, id)
		}
	}
	return c.refuse(messages.Invalid, "server", "unknown server %s%s", tick(c.a.Server), didYouMean(c.a.Server, reachable))
}

// serverThawed comes after the grant, so that who may not use a server does not learn its state.
func (c *check) serverThawed() bool {
	if c.frozen.server(c.a.Server) {
		return c.refuse(messages.Denied, "freeze", "server %s is frozen; an operator has to thaw it", tick(c.a.Server))
	}
	return true
}

// scoped takes the first grant whose scopes the agent holds. When there is none it tells of the nearest.
func (c *check) scoped() bool {
	var nearest spec.Grant
	var lacking []string
	for _, g := range c.grants {
		lacks := c.lacks(g)
		if len(lacks) == 0 {
			c.d.Via, c.d.ScopesGranted = g.Via, c.required(g)
			return true
		}
		if lacking == nil || len(lacks) < len(lacking) {
			nearest, lacking = g, lacks
		}
	}
	c.d.ScopesDenied = lacking
	c.d.ScopesGranted = slices.DeleteFunc(c.required(nearest), func(s string) bool { return slices.Contains(lacking, s) })
	return c.refuse(messages.Denied, "scope", "agent %s lacks %s %s, which %s needs; add it to its iam.base_scope%s",
		tick(c.a.Agent), plural(len(lacking), "scope"), ticks(lacking), grantName(nearest), c.elevatedHint(lacking))
}

func (c *check) lacks(g spec.Grant) []string {
	if c.agent.ID == spec.Operator && c.agent.Topology == "" {
		return nil
	}
	return missing(c.agent.Scopes, c.required(g))
}

// required returns the scopes that a call through a grant needs, each once.
func (c *check) required(g spec.Grant) []string {
	var scopes []string
	for _, s := range slices.Concat(c.a.ScopesRequired, g.Scopes) {
		if !slices.Contains(scopes, s) {
			scopes = append(scopes, s)
		}
	}
	return scopes
}

func (c *check) elevatedHint(lacking []string) string {
	if len(missing(c.agent.Elevated, lacking)) > 0 {
		return ""
	}
	return " (elevated_scopes are not granted by themselves)"
}

func grantName(g spec.Grant) string {
	if strings.HasPrefix(g.Via, "server:") || strings.HasPrefix(g.Via, "tool:") {
		return "grant " + tick(g.Via)
	}
	return "skill " + tick(g.Via)
}

func (c *check) catalogued() bool {
	if c.a.Catalogue != nil {
		return true
	}
	c.d.NeedsCatalogue, c.d.Rule = true, "catalogue"
	c.d.Reason = fmt.Sprintf("the tools of server %s are not known yet", tick(c.a.Server))
	return false
}

// exposed answers alike for a tool that is hidden and one that does not exist. It asks the rules once more, since the
// catalogue may be older than they are.
func (c *check) exposed() bool {
	var found bool
	if c.tool, found = c.a.Catalogue.Find(c.a.Tool); found && c.server.Exposes(c.a.Tool) {
		c.d.ToolHash = c.tool.Hash
		return true
	}
	var reachable []string
	for _, t := range c.a.Catalogue.Tools() {
		if c.server.Exposes(t.Name) && covering(c.agent.Grants, c.a.Server, t.Name) != nil {
			reachable = append(reachable, t.Name)
		}
	}
	return c.refuse(messages.Invalid, "tool", "server %s has no tool %s%s",
		tick(c.a.Server), tick(c.a.Tool), didYouMean(c.a.Tool, reachable))
}

// tiered also says what later policies may build on: the tier and the effect as the current rules have it.
func (c *check) tiered() bool {
	tier := c.server.TierOf(c.a.Tool)
	effect, known := effectOf(c.tool.Tool, c.server)
	c.d.Tier, c.d.Effect = tier, effect
	switch tier {
	case spec.Open, spec.Cautious:
		return true
	case spec.Readonly:
		if known && effect == spec.Read {
			return true
		}
		return c.refuse(messages.Denied, "tier:readonly", "server %s is read-only, and tool %s %s",
			tick(c.a.Server), tick(c.a.Tool), whyNotRead(known))
	case spec.Strict:
		c.d.Approve = &Approval{Rule: "tier:strict", Reason: fmt.Sprintf("every call of tool %s of server %s needs an approval", tick(c.a.Tool), tick(c.a.Server))}
		return true
	}
	return c.refuse(messages.Denied, "tier", "the permission of tool %s of server %s is none of open, cautious, readonly and strict",
		tick(c.a.Tool), tick(c.a.Server))
}

func whyNotRead(known bool) string {
	if known {
		return "writes"
	}
	return "is not known to be a read; if it is, say so in the server's effects"
}

func (c *check) fitting() bool {
	arguments, err := parseArguments(c.a.Arguments)
	fault := ""
	if err != nil {
		fault = err.Error()
	} else {
		fault = fits(c.tool.schema, arguments)
	}
	if fault == "" {
		return true
	}
	return c.refuse(messages.Invalid, "schema", "arguments of tool %s: %s", tick(c.a.Tool), fault)
}

// refuse decides and always returns false.
func (c *check) refuse(outcome messages.Outcome, rule, format string, args ...any) bool {
	c.d.Outcome, c.d.Rule, c.d.Reason = outcome, rule, fmt.Sprintf(format, args...)
	return false
}
