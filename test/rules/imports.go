package rules

import (
	"fmt"
	"slices"
	"strings"
)

// Layer says which packages of ours a package may import.
type Layer struct {
	// Packages is a pattern; of several that match a package the longest holds.
	Packages string
	May      []string
	Why      string
}

// Layers are all packages of ours, from the top down. Everybody may import internal/.
var Layers = []Layer{
	{
		"cmd/...",
		[]string{
			"cmd/...", "actors", "chaos", "config", "control", "governance/...", "mcp/...", "messages", "models/...", "supervision",
			"dashboard/...", "telemetry/...", "cluster/...", "examples",
		},
		"the program is where everything is wired together, and nothing imports it",
	},
	{
		"examples/...",
		[]string{"actors", "config", "governance/...", "messages", "models/..."},
		"an example shows what a user of the library would import",
	},
	{
		"test/...",
		[]string{"actors/...", "chaos", "config", "control", "governance/...", "mcp/...", "messages", "models/...", "supervision", "test/..."},
		"black-box tests and benchmarks look at everything but the program's own code, which they run",
	},
	{
		"chaos",
		[]string{"actors", "config", "governance/audit", "governance/secrets", "governance/spec", "mcp", "mcp/spec", "messages", "supervision"},
		"it is a user of the embedding API that hurts what that API opened: the values of a workspace, sessions, and the audit it checks",
	},
	{
		"control",
		[]string{"actors", "config", "governance/...", "mcp/spec", "messages"},
		"it offers the embedding API to other processes of the same user, and adds nothing to it",
	},
	{
		"actors/...",
		[]string{"actors/...", "config", "governance/...", "mcp/...", "messages", "models/...", "supervision"},
		"actors are thin shells over the other packages; they take a *config.Workspace, and never the program around them",
	},
	{
		"config",
		[]string{"governance/spec", "mcp/spec", "models", "supervision"},
		"it fills the values of others, so that no parallel structs exist, and links none of their machinery",
	},
	{
		"governance/...",
		[]string{"governance/...", "mcp/spec", "messages"},
		"the gate decides on values; whoever could reach a server from here could go round it",
	},
	{
		"mcp/...",
		[]string{"mcp/...", "messages"},
		"one server's process and session know nothing of agents, rules or restarts",
	},
	{
		"models/...",
		[]string{"models/..."},
		"a model sees a conversation and tools, never servers or the gate",
	},
	{
		"messages",
		[]string{"governance/spec", "mcp/spec"},
		"everybody speaks it, so it may depend on nobody who speaks",
	},
	{"governance/spec", nil, "a leaf of values that files, gate and actors share"},
	{"mcp/spec", nil, "a leaf of values that files, sessions and actors share"},
	{"supervision", nil, "restart decisions are pure: equal arguments, equal results"},
	{"internal/...", []string{"messages"}, "small tools that any package may use, so they use none"},
}

// Owner says who may import a module or a package that is not ours.
type Owner struct {
	// Module is the import path's beginning.
	Module string
	By     []string
	Why    string
}

// Owners are all direct dependencies. A new one is a decision: docs/adr/0009-each-dependency-has-one-reason.md.
var Owners = []Owner{
	{
		"github.com/asynkron/protoactor-go",
		[]string{"actors/...", "cluster/..."},
		"its traps are met in one place, and all else is tested without an actor system",
	},
	{
		"github.com/modelcontextprotocol/go-sdk",
		[]string{"mcp/...", "test/...", "examples/..."},
		"the SDK changes with the protocol; tools reach the rest as mcp/spec values. Tests and examples are servers and rivals",
	},
	{"gopkg.in/yaml.v3", []string{"config"}, "one package knows what files look like"},
	{"go.uber.org/zap", []string{"cmd/..."}, "the program chooses where logs go; a library logs through log/slog"},
	{"github.com/spf13/cobra", []string{"cmd/..."}, "flags belong to the program"},
	{"github.com/fsnotify/fsnotify", []string{"cmd/..."}, "`serve --watch` is the program's; a library reloads when it is told to"},
	{"github.com/cedar-policy/cedar-go", []string{"governance/policy"}, "policies are Cedar; the gate sees verdicts, and half of what we use of it is experimental"},
	{"modernc.org/sqlite", []string{"governance/audit/..."}, "SQLite is an index over the audit chain and nothing else"},
	{"github.com/gofrs/flock", []string{"internal/owner", "governance/audit/...", "mcp/demoserver"}, "one writer per workspace, audit chain or durable file"},
	{"github.com/kballard/go-shellquote", []string{"config"}, "a command written as one string is split when it is read"},
	{"github.com/agext/levenshtein", []string{"internal/nearest"}, `"did you mean" is for messages to people`},
	{"github.com/santhosh-tekuri/jsonschema/v6", []string{"governance/...", "mcp/...", "config"}, "a tool's schema is the server's: any draft of it"},
	{"github.com/theory/jsonpath", []string{"governance/redact"}, "JSONPath (RFC 9535) is how people say what is to be redacted"},
	{"github.com/google/uuid", []string{"actors/...", "control", "governance/audit/...", "internal/...", "mcp/...", "cmd/..."}, "ids of calls and runs"},
	{"golang.org/x/sync", []string{"actors/...", "mcp/...", "cmd/...", "test/...", "examples/..."}, "groups of goroutines with one end"},
	{"golang.org/x/sys", []string{"control", "internal/...", "mcp/...", "governance/audit/...", "cmd/...", "test/..."}, "process groups, locks and peers, below package os"},
	{"go.uber.org/goleak", []string{"actors/actorstest", "test/..."}, "for tests"},
	{"github.com/google/go-cmp", []string{"actors/actorstest", "test/..."}, "for tests"},
	{"github.com/rogpeppe/go-internal", []string{"test/..."}, "for tests"},
	{"pgregory.net/rapid", []string{"actors/actorstest", "test/..."}, "for tests"},
}

// ImportFaults lists every import that no rule allows, in words that say what to do.
func ImportFaults(t *Tree) []string {
	var faults []string
	for _, p := range t.Packages {
		layer, ok := layerOf(p.Path)
		if !ok {
			faults = append(faults, fmt.Sprintf("package %s is in no rule: add it to Layers in test/rules/imports.go, with a reason", p.Path))
			continue
		}
		for _, path := range p.Imports() {
			if why := refuse(layer, p.Path, path); why != "" {
				faults = append(faults, fmt.Sprintf("package %s imports %s: %s", p.Path, path, why))
			}
		}
	}
	return faults
}

// refuse says why a package may not import path; "" when it may.
func refuse(layer Layer, pkg, path string) string {
	if ours, ok := strings.CutPrefix(path, Module+"/"); ok {
		if matchesAny(layer.May, ours) || Matches("internal/...", ours) {
			return ""
		}
		return fmt.Sprintf("%s may not, because %s", layer.Packages, layer.Why)
	}
	if isStandard(path) {
		return ""
	}
	for _, o := range Owners {
		if path != o.Module && !strings.HasPrefix(path, o.Module+"/") {
			continue
		}
		if matchesAny(o.By, pkg) {
			return ""
		}
		return fmt.Sprintf("only %s may, because: %s", strings.Join(o.By, ", "), o.Why)
	}
	return "a new dependency: add it to Owners in test/rules/imports.go and say why in docs/adr"
}

func layerOf(pkg string) (Layer, bool) {
	var found Layer
	for _, l := range Layers {
		if Matches(l.Packages, pkg) && len(l.Packages) > len(found.Packages) {
			found = l
		}
	}
	return found, found.Packages != ""
}

func matchesAny(patterns []string, path string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return Matches(p, path) })
}

// isStandard: only import paths outside the standard library begin with a host name.
func isStandard(path string) bool {
	host, _, _ := strings.Cut(path, "/")
	return !strings.Contains(host, ".")
}

// Reach returns everything that a package imports, directly or through packages of ours, tests left out.
func Reach(t *Tree, pkg string) map[string]bool {
	imports := map[string][]string{}
	for _, p := range t.Packages {
		imports[p.Path] = p.Imports()
	}
	reached := map[string]bool{}
	var visit func(pkg string)
	visit = func(pkg string) {
		for _, path := range imports[pkg] {
			if !reached[path] {
				reached[path] = true
				visit(strings.TrimPrefix(path, Module+"/"))
			}
		}
	}
	visit(pkg)
	return reached
}
