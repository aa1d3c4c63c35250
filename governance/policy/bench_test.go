package policy

import (
	"fmt"
	"strings"
	"testing"
)

// many returns n policies of which at most ten can match the request reading().
func many(n int) string {
	var b strings.Builder
	for i := range n {
		switch {
		case i < 10:
			fmt.Fprintf(&b, `permit (principal, action, resource in Server::"files") when { context.arguments.path like "/srv/%d/*" };`+"\n", i)
		case i%2 == 0:
			fmt.Fprintf(&b, `permit (principal == Agent::"swarm/a%d", action, resource) when { context.arguments.path like "/srv/*" };`+"\n", i)
		default:
			fmt.Fprintf(&b, `forbid (principal, action, resource == Tool::"files/t%d") when { context.arguments.path like "/srv/*" };`+"\n", i)
		}
	}
	return b.String()
}

// kinds returns 100 policies that read agent, tool, context and arguments; ten can match the request reading().
func kinds() string {
	rules := []string{
		`permit (principal, action, resource in Server::"%s") when { resource.effect == "read" && context.arguments has path };`,
		`forbid (principal in Group::"staff", action, resource in Server::"%s") when { context.arguments.path like "*..*" };`,
		`forbid (principal, action, resource == Tool::"%s/read") when { context.counts.run >= 500 };`,
		`permit (principal in Role::"worker", action, resource in Server::"%s") when { principal.trust.greaterThan(decimal("0.5")) && context.tier == "cautious" };`,
		`forbid (principal, action, resource in Server::"%s") when { resource.effect == "write" && context.weekday == "sunday" };`,
	}
	var b strings.Builder
	for i := range 100 {
		server := "files"
		if i >= 10 {
			server = fmt.Sprintf("s%d", i)
		}
		fmt.Fprintf(&b, rules[i%len(rules)]+"\n", server)
	}
	return b.String()
}

func BenchmarkDecide(b *testing.B) {
	for _, n := range []int{0, 10, 100, 1000} {
		s, r := load(b, many(n)), reading()
		b.Run(fmt.Sprintf("%d policies", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if s.Decide(r).Allowed {
					b.Fatal("allowed")
				}
			}
		})
	}
	s, r := load(b, many(1000)), reading()
	b.Run("1000 policies without an index", func(b *testing.B) {
		for b.Loop() {
			if s.decide(r, newEntities(r), s.rules).Allowed {
				b.Fatal("allowed")
			}
		}
	})
	s = load(b, kinds())
	b.Run("100 policies of all kinds", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if !s.Decide(r).Allowed {
				b.Fatal("refused")
			}
		}
	})
	s = load(b, permitAll)
	b.Run("one policy without conditions", func(b *testing.B) {
		for b.Loop() {
			if !s.Decide(r).Allowed {
				b.Fatal("refused")
			}
		}
	})
}
