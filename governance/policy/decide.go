package policy

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/cedar-policy/cedar-go"

	"github.com/mcp-supervisor/supervisor/internal/safe"
)

// Decide answers a request. It is pure, never blocks and never panics: whatever goes wrong is a no.
//
// It costs about what the policies cost whose scopes can match, however many others there are.
func (s *Set) Decide(r Request) Verdict {
	e := newEntities(r)
	return s.decide(r, e, s.index.candidates(e))
}

// decide answers by some of the rules.
func (s *Set) decide(r Request, e *entities, rules []*rule) (v Verdict) {
	err := safe.Do("policy", func() error {
		o, err := s.evaluate(e, rules)
		if err != nil {
			return err
		}
		v = o.verdict(r.Implicit)
		return nil
	})
	if err != nil {
		return Verdict{Rule: RuleError, Reason: NotPermitted, Diagnostic: err.Error()}
	}
	return v
}

// outcome is what the rules say about one request, each list sorted by name. Where forbids match, permits is not filled.
type outcome struct {
	forbids, permits, broken []*rule
	errors                   []string
}

// policies makes an iterator for Cedar of rules that are in scope.
type policies []*rule

func (ps policies) All() iter.Seq2[cedar.PolicyID, *cedar.Policy] {
	return func(yield func(cedar.PolicyID, *cedar.Policy) bool) {
		for _, r := range ps {
			if !yield(cedar.PolicyID(r.name), r.unscoped) {
				return
			}
		}
	}
}

func (s *Set) evaluate(e *entities, rules []*rule) (outcome, error) {
	var o outcome
	// It decides which arguments are read, too: a rule of others must not break a call.
	rules = inScope(e, rules)
	if len(rules) == 0 {
		return o, nil
	}
	request, err := e.request(readOf(rules))
	if err != nil {
		return o, err
	}
	_, d := cedar.Authorize(policies(rules), e, request)
	for _, reason := range d.Reasons {
		if m := s.byName[string(reason.PolicyID)]; m.permit {
			o.permits = append(o.permits, m)
		} else {
			o.forbids = append(o.forbids, m)
		}
	}
	for _, e := range d.Errors {
		m := s.byName[string(e.PolicyID)]
		o.broken = append(o.broken, m)
		o.errors = append(o.errors, fmt.Sprintf("policy %s (%s): %s", m.name, m.place(), e.Message))
	}
	for _, rules := range [][]*rule{o.forbids, o.permits, o.broken} {
		slices.SortFunc(rules, func(a, b *rule) int { return cmp.Compare(a.name, b.name) })
	}
	slices.Sort(o.errors)
	return o, nil
}

// inScope returns the rules whose scopes cover the request.
func inScope(e *entities, rules []*rule) []*rule {
	var covering []*rule
	for _, r := range rules {
		if r.covers(e) {
			covering = append(covering, r)
		}
	}
	return covering
}

func (r *rule) covers(e *entities) bool {
	f := &r.facts
	return f.principal.covers(e.principal(), e.principals[2:]...) && f.action.covers(callTool) &&
		f.resource.covers(e.tool, e.server)
}

func (o outcome) verdict(implicit bool) Verdict {
	v := Verdict{Diagnostic: strings.Join(o.errors, "; "), Reason: NotPermitted}
	switch {
	case len(o.forbids) > 0:
		v.Determining = names(o.forbids)
		by := prefer(o.forbids, func(r *rule) bool { return r.reason != "" })
		v.Rule, v.Reason = by.name, cmp.Or(by.reason, NotPermitted)
	case len(o.broken) > 0:
		v.Rule, v.Determining = RuleError, names(o.broken)
	case len(o.permits) > 0:
		return o.permitted()
	case implicit:
		return Verdict{Allowed: true, Rule: RuleImplicit}
	default:
		v.Rule = RuleDefaultDeny
	}
	return v
}

func (o outcome) permitted() Verdict {
	by := prefer(o.permits, func(r *rule) bool { return r.approve != "" })
	v := Verdict{Allowed: true, Rule: by.name, Determining: names(o.permits)}
	if by.approve != "" {
		v.Approve = &Approval{Rule: by.name, Reason: by.approve}
	}
	for _, r := range o.permits {
		v.Redact = append(v.Redact, r.redact...)
	}
	slices.Sort(v.Redact)
	v.Redact = slices.Compact(v.Redact)
	return v
}

// prefer returns the first rule that has something, else the first.
func prefer(rules []*rule, has func(*rule) bool) *rule {
	return rules[max(0, slices.IndexFunc(rules, has))]
}

func names(rules []*rule) []string {
	out := make([]string, len(rules))
	for i, r := range rules {
		out[i] = r.name
	}
	return out
}
