package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	gov "github.com/mcp-supervisor/supervisor/governance/spec"
	mcpspec "github.com/mcp-supervisor/supervisor/mcp/spec"
	"github.com/mcp-supervisor/supervisor/models"
	"github.com/mcp-supervisor/supervisor/supervision"
)

func equal(t *testing.T, what string, want, got any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func abs(t *testing.T, path string) string {
	t.Helper()
	path, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// defaults is a server about which nothing is said.
func defaults(id string) Server {
	return Server{
		Server: mcpspec.Server{
			ID: id, StartTimeout: time.Minute, StopGrace: 5 * time.Second, MaxMessage: 64 << 20,
		},
		Rules:       gov.Server{ID: id, Tier: gov.Cautious},
		Timeout:     30 * time.Second,
		Restart:     supervision.DefaultRestart(),
		Health:      Health{Every: 30 * time.Second, Timeout: 5 * time.Second, Misses: 2},
		MaxInFlight: 16,
		Queue:       Queue{Max: 256, Wait: 10 * time.Second},
		OnDown:      OnDownQueue,
		Start:       StartEager, CatalogWhenDown: CatalogKeep, Retry: RetryNever,
	}
}

// The servers of the first mission document get all defaults of design.md, section 4.
func TestSeedServers(t *testing.T) {
	dir := "testdata/workspaces/seed"
	ws := load(t, dir, "GITHUB_TOKEN=s3cret")
	npx := func(id string, command []string, env map[string]string) Server {
		s := defaults(id)
		s.Transport, s.Command, s.Env, s.Cwd = mcpspec.Stdio, command, env, abs(t, dir)
		return s
	}
	github := npx("github", []string{"npx", "-y", "@modelcontextprotocol/server-github"},
		map[string]string{"GITHUB_PERSONAL_ACCESS_TOKEN": "s3cret"})
	github.CredentialsRef = "github_pat"
	rynko := defaults("rynko-flow")
	rynko.Transport, rynko.Endpoint = mcpspec.HTTP, "https://mcp.rynko.dev"
	equal(t, "servers", []Server{
		npx("filesystem", []string{"npx", "-y", "@modelcontextprotocol/server-filesystem", "/workspace"}, nil),
		npx("qdrant", []string{"uvx", "mcp-server-qdrant"},
			map[string]string{"QDRANT_URL": "http://localhost:6333", "COLLECTION_NAME": "knowledge"}),
		github, rynko,
	}, ws.Servers)
	equal(t, "credentials", map[string]Credential{
		"github_pat": {Name: "github_pat", Source: "env", Config: map[string]string{"env": "GITHUB_TOKEN"}},
	}, ws.Credentials)
	equal(t, "file", filepath.Join(dir, "workspace.yaml"), ws.File)
	equal(t, "root", abs(t, dir), ws.Root)
}

// An agent's model, prompt and iam are its archetype's, key by key; its skills replace the archetype's.
func TestSeedAgents(t *testing.T) {
	ws := load(t, "testdata/workspaces/seed", "GITHUB_TOKEN=x")
	topology, err := ws.Topology("")
	if err != nil {
		t.Fatal(err)
	}
	read := gov.Grant{Via: "filesystem-read", Server: "filesystem", Tool: "read_file", Scopes: []string{"fs:read"}}
	query := gov.Grant{Via: "qdrant-query", Server: "qdrant", Tool: "qdrant-find", Scopes: []string{"kb:read"}}
	scopes := []string{"fs:read", "kb:read"}
	options := map[string]any{"temperature": 0.2, "top_p": 0.9}
	equal(t, "agents", Agent{
		Agent:  gov.Agent{ID: "curator", Role: "root"},
		System: "You lead.",
		Children: []Agent{
			{
				Agent:  gov.Agent{ID: "reader", Role: "worker", Scopes: scopes, Grants: []gov.Grant{read, query}},
				Model:  models.Config{Provider: "mock", Name: "mock-1", Options: options},
				System: "You read files.\n\nBe brief.",
				Skills: []string{"filesystem-read", "qdrant-query"},
			},
			{
				Agent:  gov.Agent{ID: "other-reader", Role: "worker", Scopes: scopes, Grants: []gov.Grant{read}},
				Model:  models.Config{Provider: "mock", Name: "mock-2", Options: options},
				System: "You read files.\n\nBe brief.",
				Skills: []string{"filesystem-read"},
			},
		},
	}, topology.Root)
	equal(t, "arguments", map[string]any{"limit": 5}, ws.Skills["qdrant-query"].Arguments)
	equal(t, "needs", []string{"filesystem", "qdrant"}, ws.Needs(topology))
	var all []string
	for _, a := range ws.Agents() {
		all = append(all, a.Topology+"/"+a.ID)
	}
	equal(t, "all agents", []string{"curate/curator", "curate/reader", "curate/other-reader"}, all)
}

// The samples of both documents load unmodified; what is not run of them is said.
func TestSampleWarnings(t *testing.T) {
	for dir, want := range map[string][]string{
		"seed": {
			"skills/qdrant-query.yaml:8: inputs",
			"topologies/curate.yml:21: agents.root.children[1].depends_on",
			"triggers",
			"workspace.yaml:30: mcp_servers[2].credentials_ref",
		},
		"tools/agent.yaml": nil,
		"own":              nil,
		"full": {
			"archetypes/judge.yaml:7: defaults.output_schema", "archetypes/judge.yaml:8: executor",
			"skills/review.yaml:5: outputs", "skills/review.yaml:6: implementation.type",
			"skills/review.yaml:7: constraints", "skills/review.yaml:8: audit",
			"topologies/main.yaml:4: runtime", "topologies/main.yaml:9: agents.root.skills[2]",
			"topologies/main.yaml:14: agents.root.children[0].requires",
			"topologies/main.yaml:15: agents.root.children[0].intent_monitoring",
			"topologies/main.yaml:16: artifacts", "topologies/main.yaml:17: governance",
			"workspace.yaml:8: organisation", "workspace.yaml:9: team",
			"workspace.yaml:11: governance.provider", "workspace.yaml:12: governance.policy_language",
			"workspace.yaml:15: model_providers",
			"workspace.yaml:17: credentials.vaulted.source", "workspace.yaml:18: credentials.pat.identity",
			"workspace.yaml:19: command_packs", "workspace.yaml:21: events", "workspace.yaml:22: memory",
			"workspace.yaml:36: mcp_servers[1].sandbox_image", "workspace.yaml:37: storage",
			"workspace.yaml:38: context_compression", "workspace.yaml:39: server",
		},
	} {
		t.Run(dir, func(t *testing.T) {
			ws := load(t, filepath.Join("testdata/workspaces", dir), "GITHUB_TOKEN=x\nBRAVE_API_KEY=y")
			var got []string
			for _, w := range ws.Warnings {
				w.Message, w.Fix, w.Server = "", "", ""
				got = append(got, strings.TrimSuffix(w.String(), ": "))
			}
			equal(t, "warnings", want, got)
		})
	}
}

// The example of the second mission document: one agent that may use every server.
func TestToolsFile(t *testing.T) {
	ws := load(t, "testdata/workspaces/tools/agent.yaml", "BRAVE_API_KEY=k")
	cwd := abs(t, "testdata/workspaces/tools")
	brave, files, remote := defaults("brave-search"), defaults("filesystem"), defaults("remote-tools")
	brave.Transport, brave.Cwd, brave.Prefix = mcpspec.Stdio, cwd, "brave_"
	brave.Command = []string{"npx", "-y", "@anthropic/mcp-server-brave-search"}
	brave.Env = map[string]string{"BRAVE_API_KEY": "k"}
	files.Transport, files.Cwd, files.Prefix = mcpspec.Stdio, cwd, "fs_"
	files.Command = []string{"npx", "-y", "@anthropic/mcp-server-filesystem", "/home/data"}
	remote.Transport, remote.Endpoint, remote.Prefix = mcpspec.HTTP, "http://localhost:8080/mcp", "remote_"
	remote.Rules.Tools = []string{"search", "summarize"}
	equal(t, "servers", []Server{brave, files, remote}, ws.Servers)
	equal(t, "id", "agent", ws.ID)
	equal(t, "topologies", map[string]Topology{"default": {
		Name: "default", File: "agent.yaml",
		Root: Agent{Agent: gov.Agent{ID: "agent", Role: "root", Grants: []gov.Grant{{Via: "server:*", Server: "*", Tool: "*"}}}},
	}}, ws.Topologies)
	equal(t, "needs", []string{"brave-search", "filesystem", "remote-tools"}, ws.Needs(ws.Topologies["default"]))
}

func TestToolsFileInFolder(t *testing.T) {
	dir := filepath.Join(write(t, []txtar.File{{Name: "My Agents/workspace.yml", Data: []byte(`
tools: {mcp: {enabled: false, servers: [{name: x}]}}
model: {provider: script, options: {turns: []}}
system: Be good.
prompt: {system: Read., persona: Slowly.}
`)}}), "My Agents")
	ws := load(t, dir, "")
	equal(t, "id", "my-agents", ws.ID)
	equal(t, "servers of a disabled block", 0, len(ws.Servers))
	root := ws.Topologies["default"].Root
	equal(t, "system", "Be good.\n\nRead.\n\nSlowly.", root.System)
	equal(t, "provider", "script", root.Model.Provider)
	if err := ws.CheckRun(ws.Topologies["default"]); err == nil {
		t.Error("CheckRun found nothing wrong with a run without servers")
	}
}

// Everything of design.md, section 4, away from its default.
func TestOwnFields(t *testing.T) {
	dir := "testdata/workspaces/own"
	ws := load(t, dir, "PORT=1\nBRAVE=no")
	db := defaults("db")
	db.Transport, db.Cwd, db.Command = mcpspec.Stdio, abs(t, dir), []string{"/opt/my bin/supervisor", "demo", "db"}
	equal(t, "servers", []Server{db, {
		Server: mcpspec.Server{
			ID: "brave_search", Transport: mcpspec.HTTP, Endpoint: "http://localhost:9090/mcp",
			Headers: map[string]string{"X-Count": "3"}, StartTimeout: 5 * time.Second, MaxMessage: 1 << 20,
		},
		Rules:    gov.Server{ID: "brave_search", Tools: []string{"search"}, Tier: gov.Open},
		Prefix:   "brave_",
		Disabled: true,
		Timeout:  2500 * time.Millisecond,
		Restart: supervision.Restart{
			Mode: supervision.Transient, Within: 90 * time.Second, ResetAfter: time.Second,
			Backoff: supervision.Backoff{First: 10 * time.Millisecond, Min: time.Second, Max: 2 * time.Second, Factor: 1.5},
		},
		Health:      Health{Every: time.Minute, Timeout: time.Second, Misses: 1},
		MaxInFlight: 1,
		Queue:       Queue{Wait: time.Second},
		OnDown:      OnDownFail,
		Start:       StartLazy, IdleStop: 10 * time.Minute, CatalogWhenDown: CatalogHide, Retry: RetryReadOnly,
		DependsOn:   []string{"db"},
		Significant: true,
	}}, ws.Servers)
	equal(t, "groups", []supervision.Group{
		{Name: "data", Strategy: supervision.RestForOne, Members: []string{"db"}, MaxRestarts: 2, Within: 30 * time.Second},
	}, ws.Groups)
	equal(t, "starts at the same time", 8, ws.MaxStarts)
	roles := map[string]string{}
	for _, a := range ws.Agents() {
		roles[a.ID] = a.Role
	}
	equal(t, "roles told from the tree", map[string]string{"scripted": "root", "lead": "leader", "hand": "worker"}, roles)
	equal(t, "script", map[string]any{"turns": []any{
		map[string]any{"calls": []any{map[string]any{
			"tool": "db.get", "arguments": map[string]any{"n": 1, "text": "{{.Input}}"},
		}}},
		map[string]any{"text": "{{ (index .Results 0).Text }}"},
	}}, ws.Topologies["only"].Root.Model.Options)
}

func TestTransport(t *testing.T) {
	for entry, want := range map[string]mcpspec.Transport{
		"command: x":                                      mcpspec.Stdio,
		"type: STDIO, command: x":                         mcpspec.Stdio,
		"url: http://h/mcp":                               mcpspec.HTTP,
		"url: http://h/sse":                               mcpspec.SSE,
		"url: 'http://h/v1/sse/?a=b'":                     mcpspec.SSE,
		"transport: http, url: http://h/sse":              mcpspec.HTTP,
		"transport: sse, endpoint: https://h/mcp":         mcpspec.SSE,
		"transport: streamable-http, serverUrl: http://h": mcpspec.HTTP,
		"type: streamableHttp, httpUrl: http://h":         mcpspec.HTTP,
		"type: streamable_http, url: 'http://${HOST}/a'":  mcpspec.HTTP,
	} {
		t.Run(entry, func(t *testing.T) {
			ws := loadServers(t, "  - {id: a, "+entry+"}\n", "HOST=there")
			equal(t, "transport", want, ws.Servers[0].Transport)
		})
	}
}

// A command is an argument vector; one string is cut into words like a shell would, and never run by one.
func TestCommand(t *testing.T) {
	for _, c := range []struct {
		name, entry string
		want        []string
	}{
		{"list", `command: [a, b c, "", -d, $HOME, 8080, true]`, []string{"a", "b c", "", "-d", "$HOME", "8080", "true"}},
		{"list and args", `command: [a], args: [b, 1.50]`, []string{"a", "b", "1.50"}},
		{"word", `command: a`, []string{"a"}},
		{"word and args", `command: a, args: ["b c", ünï]`, []string{"a", "b c", "ünï"}},
		{"string", `command: "a 'b c' \"d $X;'e\" f\\ g"`, []string{"a", "b c", "d $X;'e", "f g"}},
		{"string with empty word", `command: "a '' b"`, []string{"a", "", "b"}},
		{"quoted word", `command: "'a b'"`, []string{"a b"}},
		{"string and args", `command: "uvx --quiet x", args: [y]`, []string{"uvx", "--quiet", "x", "y"}},
		{"quotes with args are a name", `command: "it's", args: [y]`, []string{"it's", "y"}},
		{"value with blanks stays one word", `command: "${BIN} run ${X:-d e}"`, []string{"/my bin/x", "run", "d e"}},
		{"value inside a word", `command: "x --a='${BIN}' $${BIN}"`, []string{"x", "--a=/my bin/x", "${BIN}"}},
		{"value alone", `command: "${BIN}"`, []string{"/my bin/x"}},
		{"no shell, no expansion", "command: \"echo $HOME `id` *\"", []string{"echo", "$HOME", "`id`", "*"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			ws := loadServers(t, "  - {id: a, "+c.entry+"}\n", "BIN=/my bin/x")
			equal(t, "command", c.want, ws.Servers[0].Command)
		})
	}
}

// A string that names a file is that file, blanks or not.
func TestCommandIsFile(t *testing.T) {
	main := "apiVersion: supervisor/v1\nkind: Workspace\nmetadata: {id: w}\nmcp_servers:\n" +
		"  - {id: a, command: My App (x)/run me, args: [y]}\n  - {id: b, command: ./run me, cwd: My App (x)}\n"
	dir := write(t, []txtar.File{{Name: "workspace.yaml", Data: []byte(main)}, {Name: "My App (x)/run me"}})
	ws := load(t, dir, "")
	equal(t, "with args", []string{"My App (x)/run me", "y"}, ws.Servers[0].Command)
	equal(t, "in cwd", []string{"./run me"}, ws.Servers[1].Command)
	equal(t, "cwd", filepath.Join(dir, "My App (x)"), ws.Servers[1].Cwd)
}

// Scalars of env are strings as they were written; an empty one is set and empty.
func TestEnv(t *testing.T) {
	ws := loadServers(t, `
  - id: a
    command: x
    env: {INT: 0x1F, FLOAT: 1.50, YES: yes, TRUE: True, DATE: 2026-01-02, EMPTY: "", VAR: "a${V}b", LATER: "{credential.x}"}
  - {id: b, command: x, env: {}}
credentials: {x: {source: file, config: {path: pat}}}
`, "V=${V}")
	equal(t, "env", map[string]string{
		"INT": "0x1F", "FLOAT": "1.50", "YES": "yes", "TRUE": "True", "DATE": "2026-01-02", "EMPTY": "",
		"VAR": "a${V}b", "LATER": "{credential.x}",
	}, ws.Servers[0].Env)
	equal(t, "credential's file", filepath.Join(ws.Root, "pat"), ws.Credentials["x"].Config["path"])
}

func TestSize(t *testing.T) {
	for text, want := range map[string]int{
		"1": 1, "512B": 512, "64MiB": 64 << 20, "64 MiB": 64 << 20, "2MB": 2_000_000, "10K": 10_000, "10Ki": 10 << 10,
		"1GiB": 1 << 30, "${N}": 7, `"${N}"`: 7, "${NONE:-}": mcpspec.DefaultMaxMessage, "": mcpspec.DefaultMaxMessage,
	} {
		t.Run(text, func(t *testing.T) {
			ws := loadServers(t, "  - id: a\n    command: x\n    max_message: "+text+"\n", "N=7")
			equal(t, "size", want, ws.Servers[0].MaxMessage)
		})
	}
}

func TestProtocol(t *testing.T) {
	for text, want := range map[string]string{"": "", "auto": "", "2025-06-18": "2025-06-18", `"2026-07-28"`: "2026-07-28"} {
		ws := loadServers(t, "  - id: a\n    command: x\n    protocol: "+text+"\n", "")
		equal(t, text, want, ws.Servers[0].Protocol)
	}
}

// Anchors, aliases and merge keys work: a field of one's own wins over a merged one, an earlier merge over a later one.
func TestMergeKeys(t *testing.T) {
	ws := loadServers(t, `
  - &base {id: a, command: x, timeout: 1s, env: &env {A: 1}}
  - {<<: *base, id: b, env: {<<: *env, B: 2}}
  - {id: c, <<: [{timeout: 2s}, *base]}
`, "")
	equal(t, "own field", map[string]string{"A": "1", "B": "2"}, ws.Servers[1].Env)
	equal(t, "merged field", time.Second, ws.Servers[1].Timeout)
	equal(t, "first merge", 2*time.Second, ws.Servers[2].Timeout)
}

func TestLocate(t *testing.T) {
	dir := write(t, []txtar.File{{Name: "a/workspace.yml"}, {Name: "empty/x"}})
	for path, want := range map[string]string{
		"nowhere": "no workspace here: no such file or directory",
		"empty":   "no workspace here: the folder holds no workspace.yaml or workspace.yml",
		"a":       "the file is empty: expected a mapping",
	} {
		_, err := Load(filepath.Join(dir, path), Options{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Load(%s) = %v, want %q", path, err, want)
		}
	}
	if _, err := Load(os.DevNull, Options{}); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("Load of a device = %v", err)
	}
}

func TestPropertyFile(t *testing.T) {
	main := "apiVersion: supervisor/v1\nkind: Workspace\nmetadata: {id: w}\nmcp_servers:\n" +
		"  - {id: a, command: x, env: {V: '${db.host}'}}\n"
	dir := write(t, []txtar.File{
		{Name: "workspace.yaml", Data: []byte(main)},
		{Name: "workspace.env.yaml", Data: []byte("db: {host: 'default-${E}'}\nsecrets: [db.host]\n")},
		{Name: "workspace.env.prod.yaml", Data: []byte("db: {host: prod}\n")},
	})
	for env, want := range map[string]string{
		"E=1":                              "default-1",
		"E=1\nSWARMKIT_ENV=prod":           "prod",
		"E=1\nSWARMKIT_ENV=test":           "default-1",
		"SUPERVISOR_ENV=prod\nE=1":         "prod",
		"E=${E}\ndb.host=from environment": "default-${E}",
	} {
		t.Run(env, func(t *testing.T) {
			equal(t, "value", want, load(t, dir, env).Servers[0].Env["V"])
		})
	}
	_, err := Load(dir, Options{LookupEnv: environ("E=1\nSUPERVISOR_ENV=../x")})
	if err == nil || !strings.Contains(err.Error(), "SUPERVISOR_ENV names an environment") {
		t.Errorf("a path as environment: %v", err)
	}
}
