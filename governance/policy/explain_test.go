package policy

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestExplain(t *testing.T) {
	s := load(t, lines(
		`@id("agent") permit (principal == Agent::"swarm/writer", action, resource);`,
		`@id("group") permit (principal is Agent in Group::"admins", action, resource);`,
		`@id("action") permit (principal, action in [Action::"list", Action::"drop"], resource);`,
		`@id("tool") forbid (principal, action, resource == Tool::"files/write");`,
		`@id("limit") permit (principal, action, resource in Server::"files")`,
		`when { context.arguments has path && context.arguments.path like "/srv/*" && context.arguments.limit < 10 };`,
		`@id("evening") permit (principal, action, resource) unless { context.hour < 18 };`,
		`@id("one") forbid (principal is Tool, action, resource);`,
	))
	x := s.Explain(reading())
	want := []Considered{
		{"agent", "permit", "policies/1.cedar", 1, 1, OutOfScope, `the scope has principal == Agent::"swarm/writer"; the agent is Agent::"swarm/reader" in Group::"staff", Role::"worker"`},
		{"group", "permit", "policies/1.cedar", 2, 1, OutOfScope, `the scope has principal is Agent in Group::"admins"; the agent is Agent::"swarm/reader" in Group::"staff", Role::"worker"`},
		{"action", "permit", "policies/1.cedar", 3, 1, OutOfScope, `the scope has action in [Action::"list", Action::"drop"]; the action is Action::"call_tool"`},
		{"tool", "forbid", "policies/1.cedar", 4, 1, OutOfScope, `the scope has resource == Tool::"files/write"; the tool is Tool::"files/read" in Server::"files"`},
		{"limit", "permit", "policies/1.cedar", 5, 1, Unmet, `this does not hold: context.arguments.limit < 10`},
		{"evening", "permit", "policies/1.cedar", 7, 1, Unmet, `this does not hold: not (context.hour < 18)`},
		{"one", "forbid", "policies/1.cedar", 8, 1, OutOfScope, `the scope has principal is Tool; the agent is Agent::"swarm/reader" in Group::"staff", Role::"worker"`},
	}
	if diff := cmp.Diff(want, x.Policies); diff != "" {
		t.Errorf("Policies (-want +got):\n%s", diff)
	}
	needed := "a permit has to match; in scope are: limit (this does not hold: context.arguments.limit < 10); evening (this does not hold: not (context.hour < 18))"
	if diff := cmp.Diff(needed, x.Needed); diff != "" {
		t.Errorf("Needed (-want +got):\n%s", diff)
	}
}

func TestExplainSaysWhatIsNeeded(t *testing.T) {
	tests := []struct{ name, policies, want string }{
		{"nothing", permitAll, ""},
		{"an approval", `@id("ask") @approve("it costs money") permit (principal, action, resource);`, "a person has to approve the call, because of policy ask: it costs money"},
		{"no forbid", permitAll + `@id("a") forbid (principal, action, resource); @id("b") forbid (principal, action, resource);`, "no forbid may match; change the call, or add an exception to a, b"},
		{"a permit at all", "", "a permit has to match; none is about this agent and this tool"},
		{
			"a guard", `@id("bad") permit (principal, action, resource) when { context.arguments.depth > 1 };`,
			"a policy that cannot be evaluated refuses the call; ask with `has` before reading what may be missing, and compare only values of one type: " +
				"policy bad (policies/1.cedar:1:1): record does not have the attribute `depth`",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, load(t, tt.policies).Explain(reading()).Needed); diff != "" {
				t.Errorf("Needed (-want +got):\n%s", diff)
			}
		})
	}
}

func TestExplainTellsOfArgumentsThatCannotBeRead(t *testing.T) {
	s := load(t, `permit (principal, action, resource) when { context.arguments has path }; permit (principal is Tool, action, resource);`)
	x := s.Explain(with(func(r *Request) { r.Arguments = json.RawMessage(`{"path":1,"path":2}`) }))
	if c := x.Policies[0]; c.State != Failed || c.Why != `arguments: key "path" is there twice` {
		t.Errorf("got %+v", c)
	}
	if c := x.Policies[1]; c.State != OutOfScope {
		t.Errorf("got %+v", c)
	}
}
