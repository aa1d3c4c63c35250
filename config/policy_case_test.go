package config

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	gov "github.com/mcp-supervisor/supervisor/governance/spec"
	mcpspec "github.com/mcp-supervisor/supervisor/mcp/spec"
)

// policyTest writes a policy test file and reads it.
func policyTest(t testing.TB, text string) ([]PolicyCase, error) {
	t.Helper()
	t.Chdir(t.TempDir())
	if err := os.WriteFile("p_test.yaml", []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return PolicyCases("p_test.yaml")
}

func TestPolicyCases(t *testing.T) {
	yes, no := true, false
	got, err := policyTest(t, `
cases:
  - name: everything is said
    agent: swarm/reader
    role: worker
    groups: [staff, "night shift"]
    trust: 0.5
    call: filesystem/read/file
    arguments: {path: "/srv/${A}/$${B}", id: 9007199254740993, ratio: 1.10, hex: 0x1F, on: true, none: null, list: [1, {a: <b>}], day: 2026-11-30}
    effect: read
    annotations: {destructive: true, open_world: no, title: Read}
    tier: strict
    tags: [data]
    counts: {agent_calls: 3, run_calls: 7, denied: 1}
    time: 2026-11-30T11:00:00+01:00
    want: approve
    rule: read-data
    redact: ["$.password"]
  - {name: as little as can be, agent: operator, call: db/get, want: deny, redact: [], arguments: {}}
`)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "cases", []PolicyCase{
		{
			Name: "everything is said", Topology: "swarm", Agent: "reader", Role: "worker", Groups: []string{"staff", "night shift"}, Trust: 0.5,
			Server: "filesystem", Tool: "read/file",
			Arguments: json.RawMessage(`{"path":"/srv/${A}/$${B}","id":9007199254740993,"ratio":1.10,"hex":31,"on":true,"none":null,` +
				`"list":[1,{"a":"\u003cb\u003e"}],"day":"2026-11-30"}`),
			Effect: gov.Read, Annotations: mcpspec.Annotations{Title: "Read", Destructive: &yes, OpenWorld: &no}, Tier: gov.Strict,
			Tags: []string{"data"}, AgentCalls: 3, RunCalls: 7, Denied: 1, Time: time.Date(2026, 11, 30, 10, 0, 0, 0, time.UTC),
			Want: WantApprove, Rule: "read-data", Redact: []string{"$.password"}, Line: 3,
		},
		{
			Name: "as little as can be", Agent: "operator", Trust: 1, Server: "db", Tool: "get", Arguments: json.RawMessage(`{}`),
			Effect: gov.Write, Tier: gov.Cautious, Want: WantDeny, Redact: []string{}, Line: 19,
		},
	}, got)
}

// A file says everything that is wrong with it, each with its line and what was meant.
func TestPolicyCaseFaults(t *testing.T) {
	const whole = "name: n, agent: a, call: s/t, want: allow"
	for _, c := range []struct{ name, text, want string }{
		{"nothing", "", "p_test.yaml:1: the file is empty: expected a mapping"},
		{"no mapping", "[]", "p_test.yaml:1: expected a mapping at the top, found a list"},
		{"no YAML", "cases:\n- }", "p_test.yaml:2: YAML: did not find expected node content (the list or mapping that is broken starts on this line)"},
		{"no cases", "case: []", "p_test.yaml:1: case: unknown field (did you mean `cases`?)\n" +
			"p_test.yaml:1: cases: no case: nothing is tested (write `cases: [{name: ..., agent: ..., call: SERVER/TOOL, want: allow}]`)"},
		{"an empty list", "cases: []", "p_test.yaml:1: cases: no case: nothing is tested (write `cases: [{name: ..., agent: ..., call: SERVER/TOOL, want: allow}]`)"},
		{"no list", "cases: {a: b}", "p_test.yaml:1: cases: expected a list, found a mapping"},
		{"no case", "cases: [a, ~]", "p_test.yaml:1: cases[0]: expected a mapping, found the string \"a\"\n" +
			"p_test.yaml:1: cases[1]: expected a mapping, found nothing"},
		{"an empty case", "cases:\n- {}", "p_test.yaml:2: cases[0].agent: missing: a case needs an agent\n" +
			"p_test.yaml:2: cases[0].call: missing: a case needs a call\n" +
			"p_test.yaml:2: cases[0].name: missing: it names the case\n" +
			"p_test.yaml:2: cases[0].want: missing: a case needs to want something (write allow, deny or approve)"},
		{"a name twice", "cases:\n- {" + whole + "}\n- {" + whole + "}", "p_test.yaml:3: cases[1].name: case \"n\" is there twice, first on line 2"},
		{"names that are not", "cases:\n- {name: '', agent: 1, call: [x], want: {}}", "p_test.yaml:2: cases[0].agent: expected a string, found the number 1\n" +
			"p_test.yaml:2: cases[0].call: expected a string, found a list\n" +
			"p_test.yaml:2: cases[0].name: missing: it names the case\n" +
			"p_test.yaml:2: cases[0].want: expected a string, found a mapping"},
		{
			"half names", "cases:\n- {name: n, agent: swarm/, call: s, want: allow}\n- {name: m, agent: a/b/c, call: /t, want: allow}",
			"p_test.yaml:2: cases[0].agent: \"swarm/\" is not an agent (write TOPOLOGY/ID, or an id)\n" +
				"p_test.yaml:2: cases[0].call: \"s\" is not a call (write SERVER/TOOL)\n" +
				"p_test.yaml:3: cases[1].agent: \"a/b/c\" is not an agent (write TOPOLOGY/ID, or an id)\n" +
				"p_test.yaml:3: cases[1].call: \"/t\" is not a call (write SERVER/TOOL)",
		},
		{
			"words", "cases:\n- {name: n, agent: a, call: s/t, want: allowed, role: boss, effect: reads, tier: opne, rul: x}",
			"p_test.yaml:2: cases[0].effect: \"reads\" is not one of read, write (did you mean `read`?)\n" +
				"p_test.yaml:2: cases[0].role: \"boss\" is not one of root, leader, worker\n" +
				"p_test.yaml:2: cases[0].rul: unknown field (did you mean `rule`?)\n" +
				"p_test.yaml:2: cases[0].tier: \"opne\" is not one of open, cautious, readonly, strict (did you mean `open`?)\n" +
				"p_test.yaml:2: cases[0].want: \"allowed\" is not one of allow, deny, approve (did you mean `allow`?)",
		},
		{
			"numbers and times", "cases:\n- {" + whole + ", trust: 2, time: yesterday, counts: {denied: -1, calls: 1}, annotations: {readonly: true, destructive: maybe}}",
			"p_test.yaml:2: cases[0].annotations.destructive: expected true or false, found the string \"maybe\"\n" +
				"p_test.yaml:2: cases[0].annotations.readonly: unknown field (did you mean `read_only`?)\n" +
				"p_test.yaml:2: cases[0].counts.calls: unknown field\n" +
				"p_test.yaml:2: cases[0].counts.denied: -1 is out of range: expected 0 to 2147483647\n" +
				"p_test.yaml:2: cases[0].time: \"yesterday\" is not a time (write it like 2026-11-30T10:00:00Z)\n" +
				"p_test.yaml:2: cases[0].trust: 2 is out of range: expected 0 to 1",
		},
		{"a list as arguments", "cases:\n- {" + whole + ", arguments: [1]}", "p_test.yaml:2: cases[0].arguments: expected a mapping, found a list"},
		{"no number of JSON's", "cases:\n- {" + whole + ", arguments: {a: [.inf]}}", "p_test.yaml:2: cases[0].arguments.a[0]: .inf cannot be sent as JSON"},
	} {
		t.Run(c.name, func(t *testing.T) {
			cases, err := policyTest(t, c.text)
			var faults Faults
			if cases != nil || !errors.As(err, &faults) {
				t.Fatalf("PolicyCases = %v, %v", cases, err)
			}
			equal(t, "faults", c.want, err.Error())
		})
	}
}

func TestPolicyCasesOfNoFile(t *testing.T) {
	dir := t.TempDir()
	for path, want := range map[string]string{
		filepath.Join(dir, "gone_test.yaml"): "no such file or directory", dir: "not a regular file",
	} {
		if _, err := PolicyCases(path); err == nil || err.Error() != path+": "+want {
			t.Errorf("PolicyCases(%s) = %v", path, err)
		}
	}
}

// A JSON object is YAML too, and arguments that are written as one come out as the same object.
func TestArgumentsAreJSON(t *testing.T) {
	var values *rapid.Generator[any]
	values = rapid.OneOf(
		rapid.Map(rapid.StringMatching(`[a-z<>"\\:#{}~ é-]{0,8}`), func(s string) any { return s }),
		rapid.Map(rapid.StringMatching(`-?(0|[1-9][0-9]{0,25})(\.[0-9]{1,25})?`), func(s string) any { return json.Number(s) }),
		rapid.Map(rapid.Bool(), func(b bool) any { return b }),
		rapid.Just[any](nil),
		rapid.Map(rapid.SliceOfN(rapid.Deferred(func() *rapid.Generator[any] { return values }), 0, 3), func(s []any) any { return s }),
	)
	objects := rapid.MapOfN(rapid.StringMatching(`[a-z]{1,4}`), values, 0, 4)
	path := filepath.Join(t.TempDir(), "p_test.yaml")
	rapid.Check(t, func(t *rapid.T) {
		want, err := json.Marshal(objects.Draw(t, "arguments"))
		if err != nil {
			t.Fatal(err)
		}
		text := "cases: [{name: n, agent: a, call: s/t, want: allow, arguments: " + string(want) + "}]"
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		cases, err := PolicyCases(path)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(decoded(t, want), decoded(t, cases[0].Arguments)); diff != "" {
			t.Fatal(diff)
		}
	})
}

// decoded decodes JSON with the digits of its numbers.
func decoded(t *rapid.T, data []byte) any {
	d := json.NewDecoder(strings.NewReader(string(data)))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%s: %v", data, err)
	}
	return v
}

// FuzzPolicyCases feeds the text of a policy test: it ends in cases whose arguments are JSON, or in faults with a place.
func FuzzPolicyCases(f *testing.F) {
	f.Add([]byte("cases:\n- {name: n, agent: a/b, call: s/t, want: deny, arguments: {a: [1, 0x1f, 1_0, .5, ~, yes, 2026-11-30]}}"))
	f.Add([]byte("cases: [{name: &n x, agent: *n, arguments: {<<: {a: 1e999}}}]"))
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(t.TempDir(), "p_test.yaml")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		cases, err := PolicyCases(path)
		var faults Faults
		if (len(cases) == 0) == (err == nil) || err != nil && (!errors.As(err, &faults) || len(faults) == 0) {
			t.Fatalf("PolicyCases = %v, %v", cases, err)
		}
		for _, c := range cases {
			if c.Arguments != nil && !json.Valid(c.Arguments) || c.Line < 1 || c.Want == "" {
				t.Errorf("case %+v", c)
			}
		}
		for _, fault := range faults {
			if fault.File != path || fault.Message == "" || fault.Line < 1 {
				t.Errorf("fault without a place: %#v", fault)
			}
		}
	})
}
