package faults

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	mcpspec "github.com/mcp-supervisor/supervisor/mcp/spec"
	"github.com/mcp-supervisor/supervisor/messages"
)

var exportable = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

func TestB56AndB57NamesThatProvidersRefuse(t *testing.T) {
	for name, prefix := range map[string]string{"without prefix": "", "with prefix": ", prefix: " + strings.Repeat("p", 40)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := start(t, fakeEntry("fake", "weird-names", quick+prefix))
			tools := r.tools("fake")
			seen := map[string]string{}
			for _, tool := range tools {
				if other, taken := seen[tool.Exported]; taken || !exportable.MatchString(tool.Exported) {
					t.Errorf("%q is exported as %q, like %q", tool.Name, tool.Exported, other)
				}
				seen[tool.Exported] = tool.Name
			}
			if slices.Contains(toolNames(tools), "") {
				t.Error("the tool without a name is listed")
			}
			mentions(t, "warnings", r.warnings("fake"), "it has no name")
			for _, odd := range []string{"with/slash", "grüße_日本語", "same.name", strings.Repeat("d", 90) + "_two"} {
				quoted, err := json.Marshal(odd)
				if err != nil {
					t.Fatal(err)
				}
				expect(t, r.call("fake", odd, "{}"), messages.OK, messages.RanYes, odd+" of faulty")
				if !strings.Contains(strings.Join(toolNames(tools), "\n"), odd) {
					t.Errorf("%s is not listed", quoted)
				}
			}
		})
	}
}

func TestB59SameToolNameOnTwoServers(t *testing.T) {
	t.Parallel()
	r := start(t, fakeEntry("one", "ok", "", "--name", "one", "--tools", "search")+fakeEntry("two", "ok", "", "--name", "two", "--tools", "search"))
	exported := map[string]bool{}
	for _, id := range []string{"one", "two"} {
		expect(t, r.call(id, "search", "{}"), messages.OK, messages.RanYes, "search of "+id)
	}
	for _, tool := range r.tools("") {
		exported[tool.Exported] = true
	}
	if len(exported) != 2 {
		t.Errorf("exported as %v", exported)
	}
}

func TestB61OneToolTwice(t *testing.T) {
	t.Parallel()
	r := startOne(t, "dup-tools")
	var echoes []string
	for _, tool := range r.tools("fake") {
		if tool.Name == "echo" {
			echoes = append(echoes, tool.Description)
		}
	}
	if diff := cmp.Diff([]string{"says what it was given"}, echoes); diff != "" {
		t.Error(diff)
	}
	mentions(t, "warnings", r.warnings("fake"), `"echo" left out`)
}

// One odd schema costs at most its own tool: the rest is listed and can be called.
func TestB62ToB69OddSchemas(t *testing.T) {
	t.Parallel()
	r := startOne(t, "weird-schemas")
	tools := toolNames(r.tools("fake"))
	for _, name := range []string{
		"s_no_props", "s_empty", "s_missing", "s_null", "s_only_schema", "s_props_null", "s_required_empty", // B62
		"s_defs", "s_definitions", "s_root_ref", "s_ref_siblings", "s_escaped_ref", // B63
		"s_type_array", "s_nullable_anyof", // B66
		"s_root_anyof", "s_root_oneof", "s_root_allof", "s_no_type", // B68
	} {
		if !slices.Contains(tools, name) {
			t.Errorf("%s is not listed", name)
			continue
		}
		if got := r.call("fake", name, "{}"); got.Outcome != messages.OK && got.Outcome != messages.Invalid {
			t.Errorf("%s: %s", name, shown(got))
		}
	}
	for _, name := range []string{"s_no_props", "s_empty", "s_missing", "s_null", "s_only_schema", "s_required_empty"} {
		expect(t, r.call("fake", name, "{}"), messages.OK, messages.RanYes, name+" of faulty")
	}
}

func TestB69OneMalformedTool(t *testing.T) {
	t.Parallel()
	r := startOne(t, "bad-tool-in-list")
	if n := len(r.tools("fake")); n != 8 {
		t.Errorf("%d tools", n)
	}
	mentions(t, "warnings", r.warnings("fake"), "tool left out", "just a string", "no name")
	expect(t, r.echo("fake"), messages.OK, messages.RanYes)
}

func TestB82AllPages(t *testing.T) {
	t.Parallel()
	r := startOne(t, "paginated-tools", "--n", "3")
	if n := len(r.tools("fake")); n != 10 {
		t.Errorf("%d tools", n)
	}
	expect(t, r.call("fake", "page_09", "{}"), messages.OK, messages.RanYes, "page_09 of faulty")
}

func TestB84ListChanged(t *testing.T) {
	t.Parallel()
	log := file(t, "log")
	r := startWorkspace(t, "mcp_servers:\n"+fakeEntry("fake", "list-changed", "", "--log", log))
	expect(t, r.echo("fake"), messages.OK, messages.RanYes)
	eventually(t, "the new tool is listed", func() bool { return slices.Contains(toolNames(r.tools("fake")), "added") })
	expect(t, r.call("fake", "added", "{}"), messages.OK, messages.RanYes, "added of faulty")
	before := len(readLines(t, log))
	expect(t, r.call("fake", "add", `{"a":1,"b":2}`), messages.Invalid, messages.RanNo)
	if after := readLines(t, log); len(after) != before {
		t.Errorf("it was asked: %v", after[before:])
	}
}

func TestB88HundredsOfTools(t *testing.T) {
	t.Parallel()
	r := start(t, fakeEntry("all", "many-tools", quick, "--n", "500")+fakeEntry("few", "many-tools", quick+", tools: [tool_0100]", "--n", "500"))
	if n := len(r.tools("all")); n != 500 {
		t.Errorf("%d tools", n)
	}
	if diff := cmp.Diff([]string{"tool_0100"}, toolNames(r.tools("few"))); diff != "" {
		t.Error(diff)
	}
}

func TestB72ToB77Results(t *testing.T) {
	tests := []struct {
		mode    string
		outcome messages.Outcome
		text    string
	}{
		{"structured-only", messages.OK, `{"temperature":21.5,"unit":"C"}`}, // B72
		{"structured-summary", messages.OK, "2 rows"},
		{"structured-array", messages.OK, "[1,2,3]"},
		{"structured-scalar", messages.OK, "42"},
		{"mixed-content", messages.OK, "first\n[image: image/png, "}, // B73
		{"image-result", messages.OK, "[image: image/png, "},
		{"audio-result", messages.OK, "[audio: audio/wav, "},
		{"resource-link", messages.OK, "report.pdf"},
		{"embedded-text", messages.OK, "embedded notes"},
		{"embedded-blob", messages.OK, "[resource file:///data/notes.bin: application/octet-stream, 6 bytes]"},
		{"empty-content", messages.OK, mcpspec.NoOutput}, // B75
		{"no-content", messages.OK, mcpspec.NoOutput},
		{"null-result", messages.OK, mcpspec.NoOutput},
		{"content-string", messages.OK, "plain text"},
		{"is-error", messages.ToolError, "reason-marker-4713"}, // B76
		{"is-error-empty", messages.ToolError, ""},
		{"error-rpc", messages.ToolError, "4712"},
		{"error-odd", messages.ToolError, "the server gave no reason"},
		{"big-int", messages.OK, "9007199254740993 9223372036854775807"}, // B77
	}
	for _, test := range tests {
		t.Run(test.mode, func(t *testing.T) {
			t.Parallel()
			r := startOne(t, test.mode)
			for range 2 {
				got := r.echo("fake")
				expect(t, got, test.outcome, messages.RanYes, test.text)
				if test.outcome == messages.ToolError && got.Error.Message == "" {
					t.Error("a failure without a word")
				}
				if test.mode == "big-int" {
					mentions(t, "result", string(got.Result), `"a":9007199254740993,"b":9223372036854775807`)
				}
			}
		})
	}
}

func TestB77AndB80ArgumentsArriveAsGiven(t *testing.T) {
	t.Parallel()
	r := startOne(t, "strict-args")
	for given, want := range map[string]string{
		`{"a":9007199254740993,"b":1.10}`: `raw {"a":9007199254740993,"b":1.10}`, "": "raw {}", "{}": "raw {}",
	} {
		tool := "noargs"
		if strings.Contains(given, "a") {
			tool = "add"
		}
		expect(t, r.call("fake", tool, given), messages.OK, messages.RanYes, want)
	}
}
