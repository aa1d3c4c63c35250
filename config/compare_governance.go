package config

import (
	"slices"
	"strings"
)

// governanceGate are the aspects of a workspace's governance but its policies, which are named file by file.
var governanceGate = []aspect[Governance]{
	{"provider", func(g Governance) any { return g.Provider }},
	{"exec", func(g Governance) any { return g.Exec }},
	{"http", func(g Governance) any { return g.HTTP }},
	{"limits", func(g Governance) any { return g.Limits }},
	{"rates", func(g Governance) any { return g.Rates }},
	{"pinning", func(g Governance) any { return g.Pinning }},
	{"approvals", func(g Governance) any { return []any{g.ApprovalTimeout, g.ApprovalRemember} }},
}

func governanceChanges(was, is Governance) []string {
	var all []string
	if names := differingNames(was, is, governanceGate); len(names) > 0 {
		all = append(all, "governance: "+strings.Join(names, ", "))
	}
	return append(all, policyChanges(was.Policies, is.Policies)...)
}

// policyChanges names the policy files that differ, in one line. Where none does there may still be a difference: no
// policies permit what is granted, and policies without a file nothing.
func policyChanges(was, is *Policies) []string {
	if same(was, is) {
		return nil
	}
	old, next := was.texts(), is.texts()
	names := unionOfKeys(old, next)
	names = slices.DeleteFunc(names, func(name string) bool {
		a, had := old[name]
		b, has := next[name]
		return had == has && a == b
	})
	if len(names) == 0 {
		return []string{"policies"}
	}
	return []string{"policies: `" + strings.Join(names, "`, `") + "`"}
}

// texts are the policy files' texts by name.
func (p *Policies) texts() map[string]string {
	texts := map[string]string{}
	if p != nil {
		for _, f := range p.Files {
			texts[f.Name] = string(f.Text)
		}
	}
	return texts
}
