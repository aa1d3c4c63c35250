package config

import (
	"fmt"
	"strings"
	"time"

	gov "github.com/mcp-supervisor/supervisor/governance/spec"
	mcpspec "github.com/mcp-supervisor/supervisor/mcp/spec"
)

var (
	policyTestShape = shape{known: "cases"}
	policyCaseShape = shape{known: "name agent role groups trust call arguments effect annotations tier tags counts time want rule redact"}
	toolHintsShape  = shape{known: "title read_only destructive idempotent open_world"}
	countsShape     = shape{known: "agent_calls run_calls denied"}
)

// PolicyCases reads a policy test file: a mapping with a list of cases, in their order. It is text as it stands: nothing
// in it is a placeholder.
//
// It returns at least one case, or Faults with everything that is wrong in the order of lines, never both. Whether the
// agents and tools exist is not looked at. The file may be 4 MiB long. Safe for concurrent use.
func PolicyCases(path string) (cases []PolicyCase, err error) {
	r := caseReader{names: map[string]value{}}
	doc := &document{file: path, strict: true}
	data, err := readBounded(path, maxFile)
	if err != nil {
		return nil, Faults{{File: path, Message: err.Error()}}
	}
	if top := parse(doc, data, nil, &r.report); top.kind == mapping {
		cases = r.cases(top)
	}
	if len(r.faults) > 0 {
		return nil, Faults(sorted(r.faults))
	}
	return cases, nil
}

// caseReader reads one policy test file.
type caseReader struct {
	report
	names map[string]value
}

func (r *caseReader) cases(top value) []PolicyCase {
	r.check(top, policyTestShape)
	v := top.get("cases")
	if len(r.list(v)) == 0 && (!v.given() || v.kind == list) {
		r.fault(v, "write `cases: [{name: ..., agent: ..., call: SERVER/TOOL, want: allow}]`", "no case: nothing is tested")
	}
	var all []PolicyCase
	for _, item := range v.items {
		r.check(item, policyCaseShape)
		if item.kind != mapping {
			r.wrong(item, "a mapping")
			continue
		}
		all = append(all, r.policyCase(item))
	}
	return all
}

func (r *caseReader) policyCase(v value) PolicyCase {
	c := PolicyCase{
		Name:        r.name(v.get("name")),
		Role:        oneOf(&r.report, v.get("role"), "", rootRole, leaderRole, workerRole),
		Groups:      r.strs(v.get("groups")),
		Trust:       r.float(v.get("trust"), 1, 0, 1),
		Arguments:   r.arguments(v.get("arguments")),
		Effect:      oneOf(&r.report, v.get("effect"), gov.Write, gov.Read, gov.Write),
		Annotations: r.annotations(v.get("annotations")),
		Tier:        oneOf(&r.report, v.get("tier"), gov.Cautious, gov.Open, gov.Cautious, gov.Readonly, gov.Strict),
		Tags:        r.strs(v.get("tags")),
		Time:        r.time(v.get("time")),
		Want:        r.want(v.get("want")),
		Rule:        r.str(v.get("rule")),
		Redact:      r.redact(v.get("redact")),
		Line:        v.line,
	}
	c.Topology, c.Agent = r.caller(v.get("agent"))
	c.Server, c.Tool = r.call(v.get("call"))
	counts := v.get("counts")
	r.check(counts, countsShape)
	c.AgentCalls, c.RunCalls, c.Denied = r.count(counts, "agent_calls"), r.count(counts, "run_calls"), r.count(counts, "denied")
	return c
}

func (r *caseReader) name(v value) string {
	name := r.required(v, "it names the case")
	if first, twice := r.names[name]; twice && name != "" {
		r.fault(v, "", "case %s is there twice, first on line %d", v.quote(), first.line)
	}
	r.names[name] = v
	return name
}

// required reads a string that may not be left out, nor be empty.
func (r *caseReader) required(v value, why string) string {
	if s := r.str(v); s != "" || v.given() && v.kind != text {
		return s
	}
	r.fault(v, "", "missing: %s", why)
	return ""
}

// caller reads topology/id, or an id alone.
func (r *caseReader) caller(v value) (topology, id string) {
	agent := r.required(v, "a case needs an agent")
	topology, id, both := strings.Cut(agent, "/")
	if !both {
		return "", agent
	}
	if topology == "" || id == "" || strings.Contains(id, "/") {
		r.fault(v, "write TOPOLOGY/ID, or an id", "%s is not an agent", v.quote())
	}
	return topology, id
}

// call reads server/tool; a tool's name may hold slashes of its own.
func (r *caseReader) call(v value) (server, tool string) {
	call := r.required(v, "a case needs a call")
	if server, tool, _ = strings.Cut(call, "/"); call != "" && (server == "" || tool == "") {
		r.fault(v, "write SERVER/TOOL", "%s is not a call", v.quote())
	}
	return server, tool
}

func (r *caseReader) annotations(v value) mcpspec.Annotations {
	r.check(v, toolHintsShape)
	hint := func(name string) *bool {
		if !v.get(name).given() {
			return nil
		}
		b := r.bool(v.get(name), false)
		return &b
	}
	return mcpspec.Annotations{
		Title: r.str(v.get("title")), ReadOnly: hint("read_only"), Destructive: hint("destructive"),
		Idempotent: hint("idempotent"), OpenWorld: hint("open_world"),
	}
}

func (r *caseReader) count(counts value, name string) int64 {
	return int64(r.int(counts.get(name), 0, 0))
}

func (r *caseReader) time(v value) time.Time {
	s := r.str(v)
	if v.kind != text {
		return time.Time{}
	}
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		r.fault(v, "write it like 2026-11-30T10:00:00Z", "%s is not a time", v.quote())
	}
	return t.UTC()
}

func (r *caseReader) want(v value) string {
	if !v.given() {
		r.fault(v, fmt.Sprintf("write %s, %s or %s", WantAllow, WantDeny, WantApprove), "missing: a case needs to want something")
	}
	return oneOf(&r.report, v, WantAllow, WantAllow, WantDeny, WantApprove)
}

// redact keeps an empty list apart from none.
func (r *caseReader) redact(v value) []string {
	paths := r.strs(v)
	if paths == nil && v.kind == list {
		return []string{}
	}
	return paths
}
