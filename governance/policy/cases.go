package policy

import (
	"fmt"
	"slices"
	"strings"
)

// Decisions that a [Case] may want.
const (
	Allow   = "allow"
	Deny    = "deny"
	Approve = "approve" // allowed once a person has approved
)

// Case is one test of a policy author.
type Case struct {
	Name    string
	Request Request
	Want    Want
}

// Want is what a case expects.
type Want struct {
	// Decision is allow, deny or approve.
	Decision string
	// Rule is the deciding policy; empty for any.
	Rule string
	// Redact are the redacted paths in any order, with or without "$."; nil for any.
	Redact []string
}

// Result is how a case went.
type Result struct {
	Name string
	OK   bool
	// Got is allow, deny or approve.
	Got     string
	Verdict Verdict
	// Why says what is not as wanted and how the verdict came about; empty when the case is OK.
	Why string
}

// Run runs cases in their order, and each by itself: counts and times are what the cases say.
func (s *Set) Run(cases []Case) []Result {
	results := make([]Result, len(cases))
	for i, c := range cases {
		results[i] = s.runCase(c)
	}
	return results
}

func (s *Set) runCase(c Case) Result {
	v := s.Decide(c.Request)
	r := Result{Name: c.Name, Got: v.Decision(), Verdict: v}
	var wrong []string
	if c.Want.Decision != r.Got {
		wrong = append(wrong, fmt.Sprintf("want %s, got %s", c.Want.Decision, r.Got))
	}
	if c.Want.Rule != "" && c.Want.Rule != v.Rule {
		wrong = append(wrong, fmt.Sprintf("want it decided by %s, got %s", c.Want.Rule, v.Rule))
	}
	if c.Want.Redact != nil && !slices.Equal(sortedPaths(c.Want.Redact), sortedPaths(v.Redact)) {
		wrong = append(wrong, fmt.Sprintf("want %v redacted, got %v", c.Want.Redact, v.Redact))
	}
	if r.OK = len(wrong) == 0; !r.OK {
		r.Why = strings.Join(wrong, "; ") + s.because(c.Request, v)
	}
	return r
}

// because is what somebody with a failed case looks for next.
func (s *Set) because(r Request, v Verdict) string {
	because := "; decided by " + v.Rule
	if needed := s.Explain(r).Needed; needed != "" {
		because += ": " + needed
	}
	return because
}

func sortedPaths(paths []string) []string {
	var out []string
	for _, p := range paths {
		out = append(out, strings.TrimPrefix(p, "$."))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Decision is the verdict in one word: allow, deny or approve.
func (v Verdict) Decision() string {
	switch {
	case v.Allowed && v.Approve != nil:
		return Approve
	case v.Allowed:
		return Allow
	}
	return Deny
}
