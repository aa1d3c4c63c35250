package policy

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-supervisor/supervisor/governance/spec"
	mcpspec "github.com/mcp-supervisor/supervisor/mcp/spec"
)

const permitAll = `@id("all") permit (principal, action, resource);`

func TestDecide(t *testing.T) {
	tests := []struct {
		name     string
		policies []string
		request  Request
		want     Verdict
	}{
		{
			"nothing permits: no", nil, reading(),
			Verdict{Rule: RuleDefaultDeny, Reason: NotPermitted},
		},
		{
			"a permit",
			[]string{permitAll},
			reading(),
			Verdict{Allowed: true, Rule: "all", Determining: []string{"all"}},
		},
		{
			"a policy without an id is named by file and number",
			[]string{"// nothing", "permit (principal, action, resource) when { false };\npermit (principal, action, resource);"},
			reading(),
			Verdict{Allowed: true, Rule: "2.cedar#2", Determining: []string{"2.cedar#2"}},
		},
		{
			"forbid wins",
			[]string{permitAll, `@id("no") @reason("files are closed today;  try tomorrow") forbid (principal, action, resource);`},
			reading(),
			Verdict{Rule: "no", Reason: "files are closed today; try tomorrow", Determining: []string{"no"}},
		},
		{
			"a forbid without a reason says what a missing permit says",
			[]string{permitAll, `@id("no") forbid (principal, action, resource);`},
			reading(),
			Verdict{Rule: "no", Reason: NotPermitted, Determining: []string{"no"}},
		},
		{
			"of several forbids one with a reason is named",
			[]string{`@id("a") forbid (principal, action, resource);`, `@id("c") @reason("C") forbid (principal, action, resource);`, `@id("b") @reason("B") forbid (principal, action, resource);`},
			reading(),
			Verdict{Rule: "b", Reason: "B", Determining: []string{"a", "b", "c"}},
		},
		{
			"a policy that fails is a no, whatever permits",
			[]string{permitAll, `@id("bad") permit (principal, action, resource) when { context.arguments.missing == 1 };`},
			reading(),
			Verdict{
				Rule: RuleError, Reason: NotPermitted, Determining: []string{"bad"},
				Diagnostic: "policy bad (policies/2.cedar:1:1): record does not have the attribute `missing`",
			},
		},
		{
			"a forbid that fails is a no too",
			[]string{permitAll, `@id("bad") forbid (principal, action, resource) when { context.arguments.path < 1 };`},
			reading(),
			Verdict{
				Rule: RuleError, Reason: NotPermitted, Determining: []string{"bad"},
				Diagnostic: "policy bad (policies/2.cedar:1:1): type error: expected comparable value, got string",
			},
		},
		{
			"a forbid that matches is named rather than a policy that fails",
			[]string{`@id("no") @reason("R") forbid (principal, action, resource);`, `@id("bad") permit (principal, action, resource) when { context.arguments.missing == 1 };`},
			reading(),
			Verdict{
				Rule: "no", Reason: "R", Determining: []string{"no"},
				Diagnostic: "policy bad (policies/2.cedar:1:1): record does not have the attribute `missing`",
			},
		},
		{
			"any permit that matches may ask for an approval",
			[]string{`@id("a") permit (principal, action, resource);`, `@id("b") @approve("it costs money") permit (principal, action, resource);`},
			reading(),
			Verdict{Allowed: true, Rule: "b", Approve: &Approval{"b", "it costs money"}, Determining: []string{"a", "b"}},
		},
		{
			"redactions of all permits that match",
			[]string{
				`@redact("$.password, headers.authorization") permit (principal, action, resource);`,
				`@redact("password") permit (principal, action, resource);`,
				`@redact("other") permit (principal, action, resource) when { false };`,
			},
			reading(),
			Verdict{Allowed: true, Rule: "1.cedar#1", Redact: []string{"headers.authorization", "password"}, Determining: []string{"1.cedar#1", "2.cedar#1"}},
		},
		{
			"an implied permit", nil, with(func(r *Request) { r.Implicit = true }),
			Verdict{Allowed: true, Rule: RuleImplicit},
		},
		{
			"an implied permit yields to a forbid",
			[]string{`@id("no") forbid (principal, action, resource);`},
			with(func(r *Request) { r.Implicit = true }),
			Verdict{Rule: "no", Reason: NotPermitted, Determining: []string{"no"}},
		},
		{
			"an implied permit does not heal an error",
			[]string{`@id("bad") permit (principal, action, resource) when { 1 };`},
			with(func(r *Request) { r.Implicit = true }),
			Verdict{
				Rule: RuleError, Reason: NotPermitted, Determining: []string{"bad"},
				Diagnostic: "policy bad (policies/1.cedar:1:1): type error: expected bool, got long",
			},
		},
		{
			"an approval is asked for with an implied permit too",
			[]string{`@id("ask") @approve("why") permit (principal, action, resource);`},
			with(func(r *Request) { r.Implicit = true }),
			Verdict{Allowed: true, Rule: "ask", Approve: &Approval{"ask", "why"}, Determining: []string{"ask"}},
		},
		{
			"arguments that policies look at must be an object",
			[]string{`permit (principal, action, resource) when { context.arguments has path };`},
			with(func(r *Request) { r.Arguments = json.RawMessage(`[1]`) }),
			Verdict{Rule: RuleError, Reason: NotPermitted, Diagnostic: "arguments: not a JSON object"},
		},
		{
			"arguments that no policy looks at are not read",
			[]string{permitAll},
			with(func(r *Request) { r.Arguments = json.RawMessage(`{"path":1,"path":2}`) }),
			Verdict{Allowed: true, Rule: "all", Determining: []string{"all"}},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, load(t, tt.policies...).Decide(tt.request)); diff != "" {
				t.Errorf("Decide (-want +got):\n%s", diff)
			}
		})
	}
}

// Each condition says something true of the request; everything a policy can look at is here.
func TestWhatPoliciesSee(t *testing.T) {
	tests := []struct{ condition, change string }{
		{condition: `principal == Agent::"swarm/reader"`},
		{condition: `principal in Group::"staff" && !(principal in Group::"other")`},
		{condition: `principal in Role::"worker" && !(principal in Role::"root")`},
		{condition: `principal.topology == "swarm" && principal.id == "reader" && principal.role == "worker" && !principal.operator`},
		{condition: `principal.trust == decimal("0.57") && principal.trust.greaterThan(decimal("0.5"))`},
		{condition: `action == Action::"call_tool"`},
		{condition: `resource == Tool::"files/read" && resource in Server::"files" && resource is Tool`},
		{condition: `resource.name == "read" && resource.server == "files" && resource.effect == "read"`},
		{condition: `resource.tags.containsAll(["text", "local"])`},
		{condition: `!(resource has read_only) && !(resource has idempotent)`},
		{condition: `resource.destructive && !resource.open_world`, change: "hints"},
		{condition: `context.arguments.path like "/srv/*" && context.arguments.limit == 10`},
		{condition: `context.arguments == {path: "/srv/data/a.txt", limit: 10}`},
		{condition: `context["arguments"]["path"] like "*.txt"`},
		{condition: `context.run == "run-1" && context.topology == "swarm" && context.tier == "cautious" && context.traceparent == ""`},
		{condition: `context.time < datetime("2026-03-04") && context.time.toTime() >= duration("12h30m")`},
		{condition: `context.hour == 12 && context.weekday == "tuesday"`},
		{condition: `context.counts.agent == 3 && context.counts.run == 7 && context.counts.denied == 1`},
		{condition: `principal == Agent::"operator" && principal.operator && principal.id == "operator" && principal.topology == "" && !(principal in Role::"worker")`, change: "operator"},
		{condition: `resource.effect == "write" && context.tier == "cautious" && !(context.arguments has path)`, change: "nothing said"},
	}
	for _, tt := range tests {
		t.Run(tt.condition, func(t *testing.T) {
			r := reading()
			switch tt.change {
			case "hints":
				r.Annotations = mcpspec.Annotations{Destructive: pointer(true), OpenWorld: pointer(false)}
			case "operator":
				r.Agent.Operator = true
			case "nothing said":
				r.Effect, r.Tier, r.Arguments = "", "", nil
			}
			v := load(t, `permit (principal, action, resource) when { `+tt.condition+` };`).Decide(r)
			if !v.Allowed {
				t.Errorf("refused by %s: %s", v.Rule, v.Diagnostic)
			}
		})
	}
}

func TestNobodyElseIsTheOperator(t *testing.T) {
	s := load(t, `permit (principal == Agent::"operator", action, resource);`)
	for _, a := range []Agent{{ID: "operator"}, {Topology: "operator"}, {Topology: "x", ID: "operator"}, {}} {
		if s.Decide(Request{Agent: a}).Allowed {
			t.Errorf("%+v passed for the operator", a)
		}
	}
	if !s.Decide(Request{Agent: Agent{Operator: true}}).Allowed {
		t.Error("the operator did not pass")
	}
}

func TestTrustIsBetweenZeroAndOne(t *testing.T) {
	zero := 0.0
	for given, want := range map[float64]string{-1: "0.0", 0: "0.0", 0.57: "0.57", 0.29999: "0.3", 1: "1.0", 7: "1.0", zero / zero: "0.0"} {
		if got := trust(given).String(); got != want {
			t.Errorf("trust(%v) = %s, want %s", given, got, want)
		}
	}
}

func TestTimesAreUTC(t *testing.T) {
	s := load(t, `permit (principal, action, resource) when { context.hour == 23 && context.weekday == "monday" };`)
	east := time.FixedZone("", 2*60*60)
	if v := s.Decide(Request{Now: time.Date(2026, 3, 3, 1, 0, 0, 0, east)}); !v.Allowed {
		t.Errorf("refused: %+v", v)
	}
}

func TestReadsOfManyElementsAreRefusedNotSlow(t *testing.T) {
	s := load(t, `permit (principal, action, resource) when { context.arguments has path };`,
		`permit (principal, action, resource) when { resource.name == "all" && context.arguments.rows.contains(1) };`)
	rows := json.RawMessage(`{"path":"a","rows":[` + strings.Repeat("[1,2],", 5000) + `0]}`)
	v := s.Decide(Request{Arguments: rows, Effect: spec.Read})
	if v.Rule != RuleError || !strings.Contains(v.Diagnostic, "more than 4096 array elements") {
		t.Errorf("got %+v", v)
	}
	only := load(t, `permit (principal, action, resource) when { context.arguments has path };`)
	if v := only.Decide(Request{Arguments: rows}); !v.Allowed {
		t.Errorf("rows that no policy reads refused the call: %+v", v)
	}
}
