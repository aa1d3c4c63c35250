package config

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	gov "github.com/mcp-supervisor/supervisor/governance/spec"
)

// governed loads a workspace with one server and one agent, and this governance.
func governed(t *testing.T, governance string, more ...txtar.File) *Workspace {
	t.Helper()
	return load(t, write(t, append(more, txtar.File{Name: "workspace.yaml", Data: []byte(emptyWorkspace +
		"credentials: {token: {source: env, config: {env: TOKEN}}}\nmcp_servers: [{id: db, command: x, tags: [data, slow]}]\n" + governance)},
		txtar.File{Name: "topologies/swarm.yaml", Data: []byte("apiVersion: supervisor/v1\nkind: Topology\nmetadata: {name: swarm}\n" +
			"agents: {root: {id: reader, groups: [staff]}}\n")})), "STEPS=9")
}

func ungoverned() Governance {
	return Governance{Provider: GovernanceBuiltin, Pinning: gov.PinningReport, ApprovalTimeout: 5 * time.Minute}
}

func TestGovernance(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       func(*Governance)
	}{
		{"nothing is said", "", func(*Governance) {}},
		{"an empty block", "governance: {}\n", func(*Governance) {}},
		{"mock", "governance: {provider: mock}\n", func(g *Governance) { g.Provider = GovernanceMock }},
		{"what is not run is decided by our own gate", "governance: {provider: agt}\n", func(*Governance) {}},
		{
			"a process", "governance: {provider: exec, exec: {command: [decide, -v], env: {T: '{credential.token}'}, timeout: 1s}}\n",
			func(g *Governance) {
				g.Provider = GovernanceExec
				g.Exec = &ProviderExec{Command: []string{"decide", "-v"}, Env: map[string]string{"T": "{credential.token}"}, Timeout: time.Second}
			},
		},
		{"a process in one string", "governance: {provider: exec, exec: {command: decide -v}}\n", func(g *Governance) {
			g.Provider, g.Exec = GovernanceExec, &ProviderExec{Command: []string{"decide", "-v"}, Timeout: 5 * time.Second}
		}},
		{
			"a service", "governance: {provider: http, http: {endpoint: 'http://h/decide', headers: {A: '{credential.token}'}}}\n",
			func(g *Governance) {
				g.Provider = GovernanceHTTP
				g.HTTP = &ProviderHTTP{Endpoint: "http://h/decide", Headers: map[string]string{"A": "{credential.token}"}, Timeout: 5 * time.Second}
			},
		},
		{
			"limits", "governance: {limits: {max_steps_per_agent: 3, max_steps_per_run: '${STEPS}', max_cost_per_run_usd: 0.29}}\n",
			func(g *Governance) {
				g.Limits = gov.Limits{StepsPerAgent: 3, StepsPerRun: 9, CostPerRunMicroUSD: 290_000}
			},
		},
		{"a cost is never rounded to no limit", "governance: {limits: {max_cost_per_run_usd: 1e-9}}\n", func(g *Governance) {
			g.Limits.CostPerRunMicroUSD = 1
		}},
		{
			"rates", "governance:\n  rates:\n  - {agent: swarm/reader, server: db, tool: get, calls: 60, per: 10s}\n" +
				"  - {agent: operator, server: '*', calls: 2, per: 1h}\n  - {tool: '*', calls: 100}\n",
			func(g *Governance) {
				g.Rates = []gov.Rate{
					{Agent: "swarm/reader", Server: "db", Tool: "get", Calls: 60, Per: 10 * time.Second},
					{Agent: "operator", Server: "*", Calls: 2, Per: time.Hour},
					{Tool: "*", Calls: 100, Per: time.Minute},
				}
			},
		},
		{"pinning", "governance: {pinning: off}\n", func(g *Governance) { g.Pinning = gov.PinningOff }},
		{"approvals", "governance: {approvals: {timeout: 90, remember: run}}\n", func(g *Governance) {
			g.ApprovalTimeout, g.ApprovalRemember = 90*time.Second, true
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			want := ungoverned()
			c.want(&want)
			equal(t, "governance", want, governed(t, c.text).Governance)
		})
	}
}

// Policies see agents by their groups and servers by their tags. An agent's groups replace its archetype's.
func TestGroupsAndTags(t *testing.T) {
	ws := governed(t, "", txtar.File{Name: "archetypes/a.yaml", Data: []byte("apiVersion: supervisor/v1\nkind: Archetype\n" +
		"metadata: {id: a}\ndefaults: {groups: [guests, readers]}\n")},
		txtar.File{Name: "topologies/other.yaml", Data: []byte("apiVersion: supervisor/v1\nkind: Topology\nmetadata: {name: other}\n" +
			"agents: {root: {id: one, archetype: a, children: [{id: two, archetype: a, groups: [staff]}, {id: three, archetype: a, groups: []}]}}\n")})
	groups := map[string][]string{}
	for _, a := range ws.Agents() {
		groups[a.ID] = a.Groups
	}
	equal(t, "groups", map[string][]string{"one": {"guests", "readers"}, "two": {"staff"}, "three": nil, "reader": {"staff"}}, groups)
	equal(t, "tags", []string{"data", "slow"}, ws.Servers[0].Rules.Tags)
}

func cedar(name string) txtar.File { return txtar.File{Name: name, Data: []byte(name)} }

func TestPolicies(t *testing.T) {
	for _, c := range []struct {
		name, text string
		files      []txtar.File
		want       []string // nil: there are none, which is another thing than an empty list
	}{
		{name: "neither folder nor name"},
		{
			name: "the usual folder, sorted", files: []txtar.File{cedar("policies/b.cedar"), cedar("policies/a/z.cedar"), cedar("policies/a.cedar")},
			want: []string{"policies/a.cedar", "policies/a/z.cedar", "policies/b.cedar"},
		},
		{name: "a folder with no policy in it", files: []txtar.File{cedar("policies/README.md")}, want: []string{}},
		{
			name: "another folder", text: "governance: {policies: ./more/rules/}\n", files: []txtar.File{cedar("more/rules/a.cedar"), cedar("policies/b.cedar")},
			want: []string{"more/rules/a.cedar"},
		},
		{
			name: "a list", text: "governance: {policies: [b.cedar, ./x/a.cedar]}\n",
			files: []txtar.File{cedar("b.cedar"), cedar("x/a.cedar"), cedar("x/c.cedar")}, want: []string{"b.cedar", "x/a.cedar"},
		},
		{name: "an empty list", text: "governance: {policies: []}\n", files: []txtar.File{cedar("policies/a.cedar")}, want: []string{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			ws := governed(t, c.text, c.files...)
			equal(t, "no policies", c.want == nil, ws.Governance.Policies == nil)
			if c.want == nil {
				return
			}
			got := []string{}
			for _, f := range ws.Governance.Policies.Files {
				got = append(got, f.Name)
				equal(t, "text", f.Name, string(f.Text))
			}
			equal(t, "policies", c.want, got)
			files := append(got, "topologies/swarm.yaml", "workspace.yaml")
			slices.Sort(files)
			equal(t, "files", files, ws.Files)
		})
	}
}

// A policy is text for another reader: placeholders are nothing to us, and every byte counts.
func TestPolicyTextIsLeftAlone(t *testing.T) {
	const text = "// ${STEPS} $${STEPS}\r\npermit (principal, action, resource);"
	ws := governed(t, "", txtar.File{Name: "policies/a.cedar", Data: []byte(text)})
	equal(t, "text", text, string(ws.Governance.Policies.Files[0].Text))
	rewrite(t, ws.Root, "policies/a.cedar", "\r\n", "\n")
	if again := reload(t, ws); again.Digest == ws.Digest {
		t.Error("the digest does not see a change of a policy")
	}
}

func TestPolicyBounds(t *testing.T) {
	many := make([]txtar.File, 0, 1001)
	for i := range 1001 {
		many = append(many, cedar(fmt.Sprintf("policies/%04d.cedar", i)))
	}
	for _, c := range []struct {
		name  string
		files []txtar.File
		want  string
	}{
		{"as many as there may be", many[:1000], ""},
		{"one more", many, "policies: 1001 policy files: a workspace may have 1000"},
		{"as long as one may be", []txtar.File{{Name: "policies/a.cedar", Data: make([]byte, 1<<20)}}, ""},
		{
			"one byte more",
			[]txtar.File{{Name: "policies/a.cedar", Data: make([]byte, 1<<20+1)}},
			"policies/a.cedar: 1048577 bytes long: a workspace file may have 1048576",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := write(t, slices.Concat(c.files, []txtar.File{{Name: "workspace.yaml", Data: []byte(emptyWorkspace)}}))
			faults, _ := said(t, dir, environ(""))
			equal(t, "faults", c.want, strings.TrimSuffix(faults, "\n"))
		})
	}
	text := emptyWorkspace + "governance:\n  rates:\n" + strings.Repeat("  - {tool: x, calls: 1}\n", 1001)
	faults, _ := said(t, write(t, []txtar.File{{Name: "workspace.yaml", Data: []byte(text)}}), environ(""))
	equal(t, "rates", "workspace.yaml:5: governance.rates: 1001 rates: a workspace may have 1000\n", faults)
}

// A folder of policies that is a link to nowhere must not read as no policies at all.
func TestPoliciesThatLeadNowhere(t *testing.T) {
	dir := write(t, []txtar.File{{Name: "workspace.yaml", Data: []byte(emptyWorkspace)}})
	if err := os.Symlink("gone", filepath.Join(dir, "policies")); err != nil {
		t.Fatal(err)
	}
	faults, _ := said(t, dir, environ(""))
	equal(t, "faults", "policies: no such file or directory\n", faults)
}

// Every change of what the gate decides by waits for somebody who reloads by hand.
func TestCompareGovernance(t *testing.T) {
	old := governed(t, "governance: {limits: {max_steps_per_run: 3}}\n", cedar("policies/a.cedar"), cedar("policies/b.cedar"))
	for _, c := range []struct {
		name string
		next *Workspace
		want []string
	}{
		{"the same elsewhere", governed(t, "governance: {limits: {max_steps_per_run: 3}}\n", cedar("policies/a.cedar"), cedar("policies/b.cedar")), nil},
		{
			"a policy changed, one removed, one added",
			governed(t, "governance: {limits: {max_steps_per_run: 3}}\n", txtar.File{Name: "policies/a.cedar"}, cedar("policies/c.cedar")),
			[]string{"policies: `policies/a.cedar`, `policies/b.cedar`, `policies/c.cedar`"},
		},
		{
			"the rest", governed(t, "governance: {provider: exec, exec: {command: x}, rates: [{tool: x, calls: 1}], pinning: off, approvals: {remember: run}}\n",
				cedar("policies/a.cedar"), cedar("policies/b.cedar")),
			[]string{"governance: provider, exec, limits, rates, pinning, approvals"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			equal(t, "gate", c.want, Compare(old, c.next).Gate)
			mixed := old.WithServersOf(c.next)
			equal(t, "what holds", old.Governance, mixed.Governance)
			equal(t, "still waits", c.want, Compare(mixed, c.next).Gate)
			equal(t, "digest is the new one", c.want == nil, mixed.Digest == c.next.Digest && old.Digest != "")
		})
	}
	none, empty := governed(t, ""), governed(t, "governance: {policies: []}\n")
	equal(t, "no policies, and policies without a file", []string{"policies"}, Compare(none, empty).Gate)
	equal(t, "and back", []string{"policies"}, Compare(empty, none).Gate)
}

// Policies beside a file with a tools block hold for its one agent.
func TestGovernanceOfAToolsFile(t *testing.T) {
	dir := write(t, []txtar.File{cedar("policies/a.cedar"), {Name: "agent.yaml", Data: []byte(
		"tools: {mcp: {servers: [{name: db, command: x}]}}\ngovernance: {rates: [{agent: default/agent, server: db, calls: 1}]}\n")}})
	got := load(t, filepath.Join(dir, "agent.yaml"), "").Governance
	want := ungoverned()
	want.Policies = &Policies{Files: []PolicyFile{{Name: "policies/a.cedar", Text: []byte("policies/a.cedar")}}}
	want.Rates = []gov.Rate{{Agent: "default/agent", Server: "db", Calls: 1, Per: time.Minute}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("governance (-want +got):\n%s", diff)
	}
}
