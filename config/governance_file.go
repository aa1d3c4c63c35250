package config

import (
	"math"
	"slices"
	"strings"

	gov "github.com/mcp-supervisor/supervisor/governance/spec"
)

var (
	governanceShape = shape{
		known: "provider exec http policies limits rates pinning approvals",
		idle:  "policy_language config{} decision_skills[]",
	}
	execShape      = shape{known: "command env timeout"}
	httpShape      = shape{known: "endpoint headers timeout"}
	limitsShape    = shape{known: "max_steps_per_agent max_steps_per_run max_cost_per_run_usd"}
	approvalsShape = shape{known: "timeout remember"}
)

// governance reads all but the rates, which name servers and agents.
func (l *loader) governance(v value) {
	l.check(v, governanceShape)
	g := &l.ws.Governance
	g.Provider = l.decides(v)
	g.Policies = l.policies(v.get("policies"))
	g.Limits = l.limits(v.get("limits"))
	g.Pinning = oneOf(&l.report, v.get("pinning"), gov.PinningReport, gov.PinningOff, gov.PinningReport, gov.PinningEnforce)
	approvals := v.get("approvals")
	l.check(approvals, approvalsShape)
	g.ApprovalTimeout = l.duration(approvals.get("timeout"), DefaultApprovalTimeout, 1)
	g.ApprovalRemember = oneOf(&l.report, approvals.get("remember"), "none", "none", "run") == "run"
}

// decides reads who decides about calls, and how to reach them. Where a provider is not run, our own gate decides.
func (l *loader) decides(v value) string {
	provider := v.get("provider")
	chosen := oneOf(&l.report, provider, GovernanceBuiltin,
		GovernanceBuiltin, GovernanceMock, GovernanceExec, GovernanceHTTP, "agt", "custom")
	exec, http := l.execProvider(v.get("exec"), chosen), l.httpProvider(v.get("http"), chosen)
	switch chosen {
	case GovernanceExec:
		l.ws.Governance.Exec = exec
	case GovernanceHTTP:
		l.ws.Governance.HTTP = http
	case "agt", "custom":
		l.idle(provider)
		return GovernanceBuiltin
	}
	return chosen
}

func (l *loader) execProvider(v value, chosen string) *ProviderExec {
	l.check(v, execShape)
	l.decidesAlone(v, GovernanceExec, chosen)
	p := &ProviderExec{Env: l.environ(v.get("env")), Timeout: l.duration(v.get("timeout"), DefaultProviderTimeout, 1)}
	l.useInProvider(v.get("command"), v.get("env"))
	if command := v.get("command"); command.given() {
		p.Command = l.command(command, value{}, l.root)
	} else if v.kind == mapping || !v.given() && chosen == GovernanceExec {
		l.fault(command, "write `exec: {command: [...]}`", "missing: provider exec needs it")
	}
	return p
}

func (l *loader) httpProvider(v value, chosen string) *ProviderHTTP {
	l.check(v, httpShape)
	l.decidesAlone(v, GovernanceHTTP, chosen)
	p := &ProviderHTTP{Headers: l.headers(v.get("headers")), Timeout: l.duration(v.get("timeout"), DefaultProviderTimeout, 1)}
	l.useInProvider(v.get("endpoint"), v.get("headers"))
	if endpoint := v.get("endpoint"); endpoint.given() {
		p.Endpoint = l.url(endpoint, "a service", "http://localhost:8181/decide")
	} else if v.kind == mapping || !v.given() && chosen == GovernanceHTTP {
		l.fault(endpoint, "write `http: {endpoint: ...}`", "missing: provider http needs it")
	}
	return p
}

// decidesAlone finds a block of a provider that was not chosen: who wrote it thinks that it decides.
func (l *loader) decidesAlone(v value, name, chosen string) {
	if v.given() && name != chosen {
		l.fault(v, "write `provider: "+name+"`, or remove the block", "has no effect: the provider is %s", chosen)
	}
}

// useInProvider notes the credentials in a block of values, and refuses them where others would see them.
func (l *loader) useInProvider(seen, block value) {
	l.noCredentials(seen)
	for _, f := range block.fields {
		for _, name := range templatesIn(f.value) {
			l.use(f.value, name, false)
		}
	}
}

func (l *loader) limits(v value) gov.Limits {
	l.check(v, limitsShape)
	return gov.Limits{
		StepsPerAgent:      l.int(v.get("max_steps_per_agent"), 0, 1),
		StepsPerRun:        l.int(v.get("max_steps_per_run"), 0, 1),
		CostPerRunMicroUSD: l.microUSD(v.get("max_cost_per_run_usd")),
	}
}

// maxUSD keeps sums of costs far from overflow.
const maxUSD = 1e9

// microUSD reads dollars. Less than a millionth is one: it may not become 0, which is no limit.
func (l *loader) microUSD(v value) int64 {
	usd := l.float(v, 0, 0, maxUSD)
	if usd == 0 && !v.unset() {
		l.warn(v, "leave it out, or write what a run may cost", "0 is no limit")
	}
	micro := int64(math.Round(usd * 1e6))
	if usd > 0 {
		micro = max(micro, 1)
	}
	return micro
}

// unresolvedGovernance reports placeholders that have no value: a fault in what the gate decides by.
func (l *loader) unresolvedGovernance(v value) {
	l.unresolved(value{doc: v.doc, line: v.line, path: v.path, problems: v.problems}, "governance")
	for _, f := range v.fields {
		who := ""
		if slices.Contains(strings.Fields(governanceShape.known), f.key) {
			who = "governance"
		}
		l.unresolved(f.value, who)
	}
}
