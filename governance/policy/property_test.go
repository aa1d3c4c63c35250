package policy

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cedar-policy/cedar-go"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/mcp-supervisor/supervisor/governance/spec"
)

// policy draws one policy over a small world, so that they meet often. Some of them fail on some requests.
func drawPolicy(t *rapid.T, id, effect string) string {
	pick := func(label string, from ...string) string { return rapid.SampledFrom(from).Draw(t, label) }
	annotation := ""
	if effect == "permit" {
		annotation = pick("obligation", "", "", `@approve("ask") `, `@redact("$.path") `, `@redact("token, x.y") `)
	} else {
		annotation = pick("reason", "", `@reason("R") `)
	}
	return fmt.Sprintf("@id(%q) %s%s (%s, %s, %s)%s;\n", id, annotation, effect,
		pick("principal", "principal", `principal == Agent::"t/a"`, `principal == Agent::"operator"`, `principal in Group::"g"`,
			`principal in Role::"worker"`, `principal in Agent::"t/b"`, "principal is Agent", "principal is Tool", `principal is Agent in Group::"h"`),
		pick("action", "action", `action == Action::"call_tool"`, `action in Action::"call_tool"`, `action == Action::"other"`,
			`action in [Action::"other", Action::"call_tool"]`, `action in []`),
		pick("resource", "resource", `resource == Tool::"s/x"`, `resource == Server::"s"`, `resource in Server::"s"`, `resource in Tool::"s/y"`,
			"resource is Tool", "resource is Server", `resource is Tool in Server::"r"`),
		pick("condition", "", "", ` when { context.arguments has path }`, ` when { context.arguments.path like "/a*" }`,
			` unless { context.arguments has path && context.arguments.path == "/b" }`, ` when { principal in Group::"g" && resource.effect == "read" }`,
			` when { context.counts.run > 3 }`, ` when { context.arguments == {path: "/a"} }`, ` when { resource.destructive }`))
}

func drawPolicies(t *rapid.T) []string {
	n := rapid.IntRange(0, 8).Draw(t, "policies")
	var out []string
	for i := range n {
		effect := rapid.SampledFrom([]string{"permit", "permit", "forbid"}).Draw(t, "effect")
		out = append(out, drawPolicy(t, fmt.Sprintf("p%d", i), effect))
	}
	return out
}

func drawRequest(t *rapid.T) Request {
	pick := func(label string, from ...string) string { return rapid.SampledFrom(from).Draw(t, label) }
	return Request{
		Agent: Agent{
			Topology: "t", ID: pick("agent", "a", "b"), Role: pick("role", "", "worker", "root"),
			Groups:   rapid.SliceOfN(rapid.SampledFrom([]string{"g", "h"}), 0, 3).Draw(t, "groups"),
			Operator: rapid.Bool().Draw(t, "operator"),
		},
		Server: pick("server", "s", "r"), Tool: pick("tool", "x", "y"),
		Effect:    rapid.SampledFrom([]spec.Effect{spec.Read, spec.Write}).Draw(t, "effect"),
		Arguments: json.RawMessage(pick("arguments", "", `{}`, `{"path":"/a"}`, `{"path":"/b"}`, `{"path":1}`, `{"path":"/a","rest":[1]}`, `[]`, `{"path":"/a","path":"/b"}`)),
		Counts:    Counts{Run: rapid.Int64Range(2, 5).Draw(t, "run")},
		Implicit:  rapid.Bool().Draw(t, "implicit"),
	}
}

// The index is an optimisation and nothing else.
func TestIndexedIsFull(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s, r := load(t, drawPolicies(rt)...), drawRequest(rt)
		if diff := cmp.Diff(s.decide(r, newEntities(r), s.rules), s.Decide(r)); diff != "" {
			rt.Fatalf("full (-) and indexed (+):\n%s", diff)
		}
	})
}

// Attributes that no rule in scope reads are left out, and scopes are not evaluated: no policy notices.
func TestLeftOutIsNotMissed(t *testing.T) {
	conditions := []string{
		`context.hour < 13 && context.weekday == "tuesday"`, `principal.trust.greaterThan(decimal("0.5"))`, `context has tier`,
		`principal == Agent::"t/a" && Agent::"t/a".id == "a"`, `Tool::"s/x".effect == "read"`, `resource.tags.contains("text")`,
		`resource has destructive && resource["destructive"]`, `(if context.counts.run > 3 then context else {run: "r"}).run == "r"`,
		`(if principal.operator then resource else resource).name == "x"`, `context.nothing == 1`, `[context.tier].contains("cautious")`,
		`context == {run: ""}`, `principal.role == "worker" || principal.topology == ""`, `resource in Server::"s" && resource.server == "s"`,
	}
	rapid.Check(t, func(rt *rapid.T) {
		policies, r := drawPolicies(rt), drawRequest(rt)
		for i, c := range rapid.SliceOfN(rapid.SampledFrom(conditions), 1, 4).Draw(rt, "conditions") {
			policies = append(policies, fmt.Sprintf("@id(\"c%d\") permit (principal, action, resource) when { %s };\n", i, c))
		}
		s, e, all, want := load(t, policies...), newEntities(r), newEntities(r), cedar.PolicyMap{}
		got, err := s.evaluate(e, s.rules)
		if err != nil {
			return // arguments that nobody gets to see
		}
		for _, rule := range s.rules {
			want[cedar.PolicyID(rule.name)] = rule.policy
		}
		q, err := all.request(read{attributes: ^attributes(0), all: true})
		if err != nil {
			return
		}
		_, d := cedar.Authorize(want, all, q)
		var reasons, failed []string
		for _, reason := range d.Reasons {
			reasons = append(reasons, string(reason.PolicyID))
		}
		for _, e := range d.Errors {
			failed = append(failed, string(e.PolicyID))
		}
		slices.Sort(reasons)
		slices.Sort(failed)
		if diff := cmp.Diff([][]string{reasons, failed}, [][]string{names(append(got.forbids, got.permits...)), names(got.broken)}, cmpopts.EquateEmpty()); diff != "" {
			rt.Fatalf("all (-) and only what is read (+):\n%s", diff)
		}
	})
}

// Scopes are read by us, to find rules and to explain them, and Cedar evaluates the rest. They mean what Cedar says.
func TestScopesMeanWhatCedarSays(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		text := drawPolicy(rt, "p", "permit")
		head, _, _ := strings.Cut(strings.TrimSuffix(text, ";\n"), " when {")
		head, _, _ = strings.Cut(head, " unless {")
		s, e := load(t, head+";"), newEntities(drawRequest(rt))
		got, _ := cedar.Authorize(cedar.PolicyMap{"p": s.rules[0].policy}, e, cedar.Request{Principal: e.principal(), Action: callTool, Resource: e.tool})
		if want := s.rules[0].covers(e); bool(got) != want {
			rt.Fatalf("%s: Cedar says %v, we %v", s.rules[0].text, got, want)
		}
		if out := s.rules[0].outOfScope(e); (out == "") != bool(got) {
			rt.Fatalf("%s: Cedar says %v, explained as %q", s.rules[0].text, got, out)
		}
	})
}

func TestAddingAForbidNeverAllowsMore(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		policies, r := drawPolicies(rt), drawRequest(rt)
		before := load(t, policies...).Decide(r)
		after := load(t, append(policies, drawPolicy(rt, "new", "forbid"))...).Decide(r)
		if after.Allowed && !before.Allowed {
			rt.Fatalf("allowed by one more forbid: %+v, before %+v", after, before)
		}
		if after.Allowed {
			if diff := cmp.Diff(before, after); diff != "" {
				rt.Fatalf("a forbid that does not match changed the verdict:\n%s", diff)
			}
		}
	})
}

// With an implied permit nothing is refused that is allowed without, and approvals and redactions are the same.
func TestImplicitOnlyAddsAPermit(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s, r := load(t, drawPolicies(rt)...), drawRequest(rt)
		r.Implicit = false
		plain := s.Decide(r)
		r.Implicit = true
		implied := s.Decide(r)
		if plain.Rule != RuleDefaultDeny {
			if diff := cmp.Diff(plain, implied); diff != "" {
				rt.Fatalf("an implied permit changed more than the default (-without +with):\n%s", diff)
			}
		} else if !implied.Allowed {
			rt.Fatalf("not implied: %+v", implied)
		}
	})
}

func TestOrderDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		policies, r := drawPolicies(rt), drawRequest(rt)
		shuffled := rapid.Permutation(policies).Draw(rt, "order")
		cut := rapid.IntRange(0, len(shuffled)).Draw(rt, "cut")
		a := load(t, policies...).Decide(r)
		b := load(t, strings.Join(shuffled[:cut], ""), strings.Join(shuffled[cut:], "")).Decide(r)
		a.Diagnostic, b.Diagnostic = "", "" // it tells places, which differ
		if diff := cmp.Diff(a, b); diff != "" {
			rt.Fatalf("order matters:\n%s", diff)
		}
	})
}

// What Explain says of each policy is what the verdict was made of.
func TestExplainAgreesWithDecide(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s, r := load(t, drawPolicies(rt)...), drawRequest(rt)
		x := s.Explain(r)
		if diff := cmp.Diff(s.Decide(r), x.Verdict); diff != "" {
			rt.Fatalf("another verdict:\n%s", diff)
		}
		if strings.HasPrefix(x.Verdict.Diagnostic, "arguments: ") {
			return // no policy was evaluated
		}
		by := map[State][]string{}
		for _, c := range x.Policies {
			if c.State == Matched {
				by[State(c.Effect)] = append(by[State(c.Effect)], c.Rule)
			}
			by[c.State] = append(by[c.State], c.Rule)
			if (c.Why == "") != (c.State == Matched) {
				rt.Fatalf("%+v: a reason is for those that did not match", c)
			}
		}
		want := by["permit"]
		if len(by["forbid"]) > 0 {
			want = by["forbid"]
		} else if len(by[Failed]) > 0 {
			want = by[Failed]
		}
		slices.Sort(want)
		if diff := cmp.Diff(want, x.Verdict.Determining); diff != "" {
			rt.Fatalf("determining (-explained +decided):\n%s", diff)
		}
		if (x.Needed == "") != (x.Verdict.Decision() == Allow) {
			rt.Fatalf("%s needs %q", x.Verdict.Decision(), x.Needed)
		}
	})
}
