package policy

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/mcp-supervisor/supervisor/governance/spec"
)

// yamlCase is one case as docs/policies.md describes it, as far as the examples use it.
type yamlCase struct {
	Name, Agent, Role, Call, Want, Rule string
	Groups, Redact                      []string
	Arguments                           map[string]any
	Effect                              spec.Effect
	Counts                              struct {
		RunCalls int64 `yaml:"run_calls"`
	}
	Time time.Time
}

func (c yamlCase) read(t *testing.T) Case {
	t.Helper()
	topology, id, _ := strings.Cut(c.Agent, "/")
	server, tool, _ := strings.Cut(c.Call, "/")
	arguments, err := json.Marshal(c.Arguments)
	if err != nil {
		t.Fatal(err)
	}
	return Case{
		Name: c.Name,
		Request: Request{
			Agent:  Agent{Topology: topology, ID: id, Role: c.Role, Groups: c.Groups, Operator: c.Agent == spec.Operator},
			Server: server, Tool: tool, Effect: c.Effect, Arguments: arguments, Now: c.Time,
			Counts: Counts{Run: c.Counts.RunCalls}, Implicit: c.Effect == spec.Read,
		},
		Want: Want{Decision: c.Want, Rule: c.Rule, Redact: c.Redact},
	}
}

func TestExamples(t *testing.T) {
	names, err := filepath.Glob("../../examples/policies/*.cedar")
	if err != nil || len(names) != 3 {
		t.Fatalf("examples are %v, %v", names, err)
	}
	for _, name := range names {
		t.Run(filepath.Base(name), func(t *testing.T) {
			s := load(t, string(contents(t, name)))
			cases := readCases(t, strings.TrimSuffix(name, ".cedar")+"_test.yaml")
			for _, r := range s.Run(cases) {
				if !r.OK {
					t.Errorf("%s: %s", r.Name, r.Why)
				}
			}
			for _, p := range s.Check(worldOf(cases)) {
				t.Error(p)
			}
			for _, rule := range s.rules {
				if !decides(s, cases, rule.name) {
					t.Errorf("policy %s decides no case", rule.name)
				}
			}
		})
	}
}

func decides(s *Set, cases []Case, rule string) bool {
	for _, c := range cases {
		if s.Decide(c.Request).Rule == rule {
			return true
		}
	}
	return false
}

func readCases(t *testing.T, name string) []Case {
	t.Helper()
	var file struct{ Cases []yamlCase }
	d := yaml.NewDecoder(bytes.NewReader(contents(t, name)))
	d.KnownFields(true)
	if err := d.Decode(&file); err != nil {
		t.Fatal(err)
	}
	var cases []Case
	for _, c := range file.Cases {
		cases = append(cases, c.read(t))
	}
	return cases
}

// worldOf is a world of the agents and servers that cases name. The servers' tools are not known in it.
func worldOf(cases []Case) World {
	var w World
	for _, c := range cases {
		w.Agents = append(w.Agents, c.Request.Agent)
		w.Servers = append(w.Servers, ServerTools{ID: c.Request.Server})
	}
	return w
}

func contents(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
