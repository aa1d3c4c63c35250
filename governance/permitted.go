package governance

import (
	"github.com/mcp-supervisor/supervisor/governance/policy"
	"github.com/mcp-supervisor/supervisor/governance/spec"
	"github.com/mcp-supervisor/supervisor/messages"
)

// permitted asks the policies. Tools of tier open skip them, and a workspace without policies permits what came so far.
func (c *check) permitted() bool {
	switch {
	case c.d.Tier == spec.Open:
		return c.permit("tier:open")
	case c.b.rules == nil:
		return c.permit("builtin:permit-all")
	}
	v := c.b.rules.Decide(c.request())
	c.d.PolicyVersion, c.d.Diagnostic, c.d.Redact = c.b.rules.Version(), v.Diagnostic, v.Redact
	if !v.Allowed {
		return c.refuse(messages.Denied, v.Rule, "%s", v.Reason)
	}
	if v.Approve != nil && c.d.Approve == nil {
		c.d.Approve = &Approval{Rule: v.Approve.Rule, Reason: v.Approve.Reason}
	}
	return c.permit(v.Rule)
}

// Explain decides as EvaluateAction does, and says what the policies had to do with it; nil when they were not asked.
func (b *Builtin) Explain(a Action) (Decision, *policy.Explanation) {
	c := b.check(a)
	if c.d.PolicyVersion == "" {
		return c.d, nil
	}
	why := b.rules.Explain(c.request())
	return c.d, &why
}

func (c *check) permit(rule string) bool {
	c.d.Allowed, c.d.Rule = true, rule
	return true
}

// request is the action as the policies see it. A permit is implied for reads under cautious, and for the person at the
// keyboard: forbids and approvals hold for them all the same.
func (c *check) request() policy.Request {
	operator := c.agent.ID == spec.Operator && c.agent.Topology == ""
	read := c.d.Effect == spec.Read && c.d.Tier == spec.Cautious
	return policy.Request{
		Agent: policy.Agent{
			Topology: c.agent.Topology, ID: c.agent.ID, Role: c.agent.Role, Groups: c.agent.Groups, Trust: 1, Operator: operator,
		},
		Server: c.server.ID, ServerTags: c.server.Tags,
		Tool: c.tool.Name, Effect: c.d.Effect, Annotations: c.tool.Annotations,
		Arguments: c.a.Arguments, Run: c.a.Run, Now: c.a.Now, Tier: c.d.Tier,
		Counts:   policy.Counts(c.a.Counts),
		Implicit: operator || read,
	}
}
