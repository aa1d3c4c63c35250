package config

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

// before is a workspace in which everything is declared that can change.
var before = map[string]string{
	"workspace.yaml": `apiVersion: supervisor/v1
kind: Workspace
metadata: {id: w}
credentials: {token: {source: env, config: {env: TOKEN}}}
mcp_servers:
  - {id: db, command: [db, serve]}
  - {id: web, url: "http://localhost/mcp", credentials_ref: token}
  - {id: off, command: x, disabled: true}
supervision: [{group: data, members: [db, web]}]
`,
	"skills/search.yaml": `apiVersion: supervisor/v1
kind: Skill
metadata: {id: search}
category: capability
implementation: {type: mcp_tool, server: web, tool: search}
iam: {required_scopes: ["web:read"]}
`,
	"topologies/swarm.yaml": `apiVersion: supervisor/v1
kind: Topology
metadata: {name: swarm}
agents:
  root:
    id: root
    skills: [search]
    iam: {base_scope: ["web:*"]}
    children: [{id: hand, skills: ["server:db"]}]
`,
}

// edited loads before, and again after one replacement of text in one of its files.
func edited(t *testing.T, file, old, next string) (*Workspace, *Workspace) {
	t.Helper()
	dir := write(t, archived(before))
	ws := load(t, dir, "")
	if file != "" {
		rewrite(t, dir, file, old, next)
	}
	return ws, reload(t, ws)
}

func rewrite(t *testing.T, dir, file, old, next string) {
	t.Helper()
	path := filepath.Join(dir, filepath.FromSlash(file))
	data, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(data), old) {
		t.Fatalf("%s does not hold %q: %v", file, old, err)
	}
	if err := os.WriteFile(path, []byte(strings.Replace(string(data), old, next, 1)), 0o644); err != nil {
		t.Fatal(err)
	}
}

func reload(t *testing.T, ws *Workspace) *Workspace {
	t.Helper()
	again, err := ws.Reload()
	if err != nil {
		t.Fatal(err)
	}
	return again
}

func archived(files map[string]string) []txtar.File {
	var all []txtar.File
	for _, name := range slices.Sorted(maps.Keys(files)) {
		all = append(all, txtar.File{Name: name, Data: []byte(files[name])})
	}
	return all
}

func TestCompare(t *testing.T) {
	const main, skill, swarm = "workspace.yaml", "skills/search.yaml", "topologies/swarm.yaml"
	const db, web = "command: [db, serve]", "credentials_ref: token"
	both := []string{"db", "web"}
	for _, c := range []struct {
		name            string
		file, old, next string
		want            Changes
	}{
		{name: "nothing", want: Changes{Unchanged: both}},
		{"another command", main, db, "command: [db]", Changes{Changed: []string{"db"}, Unchanged: []string{"web"}}},
		{"another time-out", main, db, db + ", timeout: 1s", Changes{Tuned: []string{"db"}, Unchanged: []string{"web"}}},
		{"both", main, db, "command: [db], timeout: 1s", Changes{Changed: []string{"db"}, Unchanged: []string{"web"}}},
		{"another group", main, "members: [db, web]", "members: [web]", Changes{Tuned: both, Supervision: []string{"group `data`"}}},
		{"a server more", main, "supervision", "  - {id: new, command: x}\nsupervision", Changes{Added: []string{"new"}, Unchanged: both}},
		{"a server enabled", main, "disabled: true", "disabled: false", Changes{Added: []string{"off"}, Unchanged: both}},
		{"a server disabled", main, db, db + ", disabled: true", Changes{Removed: []string{"db"}, Tuned: []string{"web"}, Supervision: []string{"group `data`"}}},
		{"a disabled server gone", main, "  - {id: off, command: x, disabled: true}\n", "", Changes{Unchanged: both}},
		{"another file's text", swarm, "kind: Topology", "kind: Topology # the only one", Changes{Unchanged: both}},
		{
			"a server's rules", main, db, db + ", tools: [get], permission: open, permission_overrides: {get: strict}, effects: {get: read}, prefix: d_",
			Changes{Unchanged: both, Gate: []string{"server `db`: tools, permission, permission_overrides, effects, prefix"}},
		},
		{"retry", main, db, db + ", retry: read_only", Changes{
			Tuned: []string{"db"}, Unchanged: []string{"web"}, Gate: []string{"server `db`: retry"},
		}},
		{"the rules of a disabled server", main, "disabled: true", "disabled: true, permission: open", Changes{
			Unchanged: both, Gate: []string{"server `off`: permission"},
		}},
		{"a credential by ref", main, web, "timeout: 30s", Changes{
			Changed: []string{"web"}, Unchanged: []string{"db"}, Gate: []string{"server `web`: credentials"},
		}},
		{"a credential in env", main, db, db + `, env: {T: "{credential.token}"}`, Changes{
			Changed: []string{"db"}, Unchanged: []string{"web"}, Gate: []string{"server `db`: credentials"},
		}},
		{"another secret", main, "env: TOKEN", "env: OTHER", Changes{
			Changed: []string{"web"}, Unchanged: []string{"db"}, Gate: []string{"credentials: `token`"},
		}},
		{"a skill's scopes", skill, "web:read", "web:all", Changes{
			Unchanged: both, Gate: []string{"skill `search`: required_scopes", "agent `swarm/root`: skills"},
		}},
		{"an agent's scopes", swarm, "web:*", "web:read", Changes{
			Unchanged: both, Gate: []string{"agent `swarm/root`: base_scope"},
		}},
		{"an agent's grants", swarm, "server:db", "tool:db/get", Changes{
			Unchanged: both, Gate: []string{"agent `swarm/hand`: skills"},
		}},
		{"an agent gone", swarm, "    children: [{id: hand, skills: [\"server:db\"]}]\n", "", Changes{
			Unchanged: both, Gate: []string{"agent `swarm/hand` removed", "agent `swarm/root`: children"},
		}},
		{"a topology renamed", swarm, "name: swarm", "name: x", Changes{
			Unchanged: both, Gate: []string{"topology `swarm` removed", "topology `x` added"},
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			old, next := edited(t, c.file, c.old, c.next)
			if diff := cmp.Diff(c.want, Compare(old, next)); diff != "" {
				t.Errorf("changes (-want +got):\n%s", diff)
			}
		})
	}
}
