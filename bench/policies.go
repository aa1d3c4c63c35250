package main

import (
	"fmt"
	"strings"

	"github.com/mcp-supervisor/supervisor/governance/policy"
)

// none is a workspace without a folder of policies: whatever is granted is permitted. With 0 policies a read is, too, by
// an implied permit, but the policies are asked.
const none = -1

// matching is how many of the policies have a scope that covers the call.
const matching = 10

// amounts are how many policies are compared.
var amounts = []int{none, 0, 10, 100, 1000}

func amountName(n int) string {
	if n == none {
		return "no policies"
	}
	return fmt.Sprintf("%d policies", n)
}

// near and far are heads of policies: about the agent bench/caller and the tool echo/echo, and about other ones.
var (
	near = []string{
		`principal, action, resource in Server::"echo"`,
		`principal == Agent::"bench/caller", action, resource`,
		`principal in Group::"callers", action, resource in Server::"echo"`,
		`principal in Role::"root", action, resource == Tool::"echo/echo"`,
	}
	far = []string{
		`principal, action, resource in Server::"server-%d"`,
		`principal == Agent::"bench/agent-%d", action, resource`,
		`principal in Group::"group-%d", action, resource in Server::"echo"`,
		`principal in Role::"root", action, resource == Tool::"echo/tool-%d"`,
	}
)

// rules are what people write policies for. The permits hold for the call and the forbids do not, so that it goes on.
var rules = []struct{ effect, condition string }{
	{`permit`, `when { resource.effect == "read" && context.arguments has text }`},
	{`@reason("name no parent folders") forbid`, `when { context.arguments has text && context.arguments.text like "*..*" }`},
	{`@reason("the run made its calls; finish") forbid`, `when { context.counts.run >= 500 }`},
	{`permit`, `when { principal.trust.greaterThan(decimal("0.5")) && context.tier == "cautious" }`},
	{
		`@reason("nothing changes at weekends") forbid`,
		`when { resource.effect == "write" && ["saturday", "sunday"].contains(context.weekday) }`,
	},
}

// policyFiles are the files of a workspace with n policies, of which at most [matching] can match the call.
func policyFiles(n int) []policy.File {
	if n == none {
		return nil
	}
	text := &strings.Builder{}
	for i := range n {
		head := near[i%len(near)]
		if i >= matching {
			head = fmt.Sprintf(far[i%len(far)], i)
		}
		rule := rules[i%len(rules)]
		_, _ = fmt.Fprintf(text, "@id(\"policy-%d\") %s (%s)\n%s;\n", i, rule.effect, head, rule.condition)
	}
	return []policy.File{{Name: "policies/bench.cedar", Text: []byte(text.String())}}
}
