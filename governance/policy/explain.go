package policy

import (
	"fmt"
	"strings"

	"github.com/cedar-policy/cedar-go"

	"github.com/mcp-supervisor/supervisor/internal/safe"
)

// Explanation says how a verdict came about. It is for policy authors: it reveals the rules.
type Explanation struct {
	Verdict Verdict `json:"verdict"`
	// Policies are all policies of the set, in the order of files and lines.
	Policies []Considered `json:"policies"`
	// Needed says in words what would lead to a yes; or what an allowed call still needs; empty when it needs nothing.
	Needed string `json:"needed,omitempty"`
}

// Considered is one policy's part in an explanation.
type Considered struct {
	Rule string `json:"rule"`
	// Effect is permit or forbid.
	Effect string `json:"effect"`
	File   string `json:"file"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
	State  State  `json:"state"`
	// Why says which part of the scope, or which condition, did not match, or how the evaluation failed; empty when the
	// policy matched.
	Why string `json:"why,omitempty"`
}

// State is what became of a policy.
type State string

const (
	// Matched: scope and conditions hold.
	Matched State = "matched"
	// OutOfScope: principal, action or resource are others.
	OutOfScope State = "out of scope"
	// Unmet: the scope holds and a condition does not.
	Unmet State = "unmet"
	// Failed: a condition, or the arguments that policies in scope read, could not be evaluated, which refuses the call.
	Failed State = "failed"
)

// Explain decides like [Set.Decide] and says why. It evaluates every policy by itself and is slower by far.
func (s *Set) Explain(r Request) Explanation {
	x := Explanation{Verdict: s.Decide(r)}
	e := newEntities(r)
	q, err := e.request(readOf(inScope(e, s.rules)))
	for _, rule := range s.rules {
		c := Considered{Rule: rule.name, Effect: rule.effect(), File: rule.file, Line: rule.line, Column: rule.column}
		c.State, c.Why = rule.consider(e, q, err)
		x.Policies = append(x.Policies, c)
	}
	x.Needed = needed(x)
	return x
}

// outOfScope says which part of the scope does not cover the request; "" when all do.
func (r *rule) outOfScope(e *entities) string {
	f := r.facts
	switch {
	case !f.principal.covers(e.principal(), e.principals[2:]...):
		return fmt.Sprintf("the scope has %s; the agent is %s", f.principal.text("principal"), list(e.principals[1:]))
	case !f.action.covers(callTool):
		return fmt.Sprintf("the scope has %s; the action is %s", f.action.text("action"), callTool)
	case !f.resource.covers(e.tool, e.server):
		return fmt.Sprintf("the scope has %s; the tool is %s", f.resource.text("resource"), list([]cedar.EntityUID{e.tool, e.server}))
	}
	return ""
}

// list names an entity and its parents.
func list(es []cedar.EntityUID) string {
	text := es[0].String()
	for i, e := range es[1:] {
		if i == 0 {
			text += " in "
		} else {
			text += ", "
		}
		text += e.String()
	}
	return text
}

// consider evaluates one rule. broken is what is wrong with the arguments that rules in scope read.
func (r *rule) consider(e *entities, q cedar.Request, broken error) (state State, why string) {
	if why := r.outOfScope(e); why != "" {
		return OutOfScope, why
	}
	if broken != nil {
		return Failed, broken.Error()
	}
	crash := safe.Run("policy "+r.name, func() { state, why = r.conditions(e, q) })
	if crash != nil {
		return Failed, crash.Error()
	}
	return state, why
}

func (r *rule) conditions(e *entities, q cedar.Request) (State, string) {
	for _, c := range clauses(r.policy) {
		ok, failed := c.holds(e, q)
		switch {
		case failed != "":
			return Failed, fmt.Sprintf("%s: %s", c, failed)
		case !ok:
			return Unmet, fmt.Sprintf("this does not hold: %s", c)
		}
	}
	return Matched, ""
}

func needed(x Explanation) string {
	v := x.Verdict
	switch {
	case v.Approve != nil:
		return fmt.Sprintf("a person has to approve the call, because of policy %s: %s", v.Approve.Rule, v.Approve.Reason)
	case v.Allowed:
		return ""
	case v.Rule == RuleError:
		return "a policy that cannot be evaluated refuses the call; ask with `has` before reading what may be missing, and compare only values of one type: " + v.Diagnostic
	case v.Rule != RuleDefaultDeny:
		return fmt.Sprintf("no forbid may match; change the call, or add an exception to %s", strings.Join(v.Determining, ", "))
	}
	return "a permit has to match" + nearly(x.Policies)
}

// nearly tells of the permits that failed by a condition only, or else that there are none.
func nearly(considered []Considered) string {
	var near []string
	for _, c := range considered {
		if c.Effect == "permit" && c.State == Unmet {
			near = append(near, fmt.Sprintf("%s (%s)", c.Rule, c.Why))
		}
	}
	if near == nil {
		return "; none is about this agent and this tool"
	}
	return "; in scope are: " + strings.Join(near, "; ")
}
