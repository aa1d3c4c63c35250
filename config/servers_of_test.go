package config

import (
	"slices"
	"testing"
	"time"

	gov "github.com/mcp-supervisor/supervisor/governance/spec"
)

// An edit of the files changes how servers run, and not what anybody may do with them.
func TestWithServersOf(t *testing.T) {
	const main, swarm, db = "workspace.yaml", "topologies/swarm.yaml", "command: [db, serve]"
	for _, c := range []struct {
		name            string
		file, old, next string
		server          string
		want            func(was, next Server) Server // of that server, afterwards
		waits           []string
	}{
		{
			"how it is started", main, db, "command: [other], timeout: 1s", "db",
			func(_, next Server) Server { return next }, nil,
		},
		{
			"and who may use it", main, db, "command: [other], tools: [x], prefix: x_, retry: idempotent", "db",
			func(was, next Server) Server {
				next.Rules, next.Prefix, next.Retry = was.Rules, was.Prefix, was.Retry
				return next
			},
			[]string{"server `db`: tools, prefix, retry"},
		},
		{
			"a secret for another command", main, db, `command: [other], timeout: 1s, env: {T: "{credential.token}"}`, "db",
			func(was, _ Server) Server { was.Timeout = time.Second; return was },
			[]string{"server `db`: credentials"},
		},
		{
			"a disabled server enabled", main, "disabled: true", "permission: open", "off",
			func(was, _ Server) Server { was.Disabled = false; return was },
			[]string{"server `off`: permission"},
		},
		{
			"an agent that may do more", swarm, "web:*", "all:*", "db",
			func(was, _ Server) Server { return was },
			[]string{"agent `swarm/root`: base_scope"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			ws, next := edited(t, c.file, c.old, c.next)
			got := ws.WithServersOf(next)
			was, _ := ws.Server(c.server)
			is, _ := next.Server(c.server)
			after, _ := got.Server(c.server)
			equal(t, "server", c.want(was, is), after)
			equal(t, "waits", c.waits, Compare(ws, next).Gate)
			equal(t, "topologies", ws.Topologies, got.Topologies)
			equal(t, "digest is the new one", c.waits == nil, got.Digest == next.Digest)
			equal(t, "digest is one of both", true, got.Digest == next.Digest || got.Digest == ws.Digest)
			equal(t, "still waits", c.waits, Compare(got, reload(t, got)).Gate)
		})
	}
}

// A new server is added unless that alone gives it to an agent, or gives it a secret.
func TestWithNewServers(t *testing.T) {
	for _, c := range []struct {
		name, grant, server string
		secrets             string // the credentials from then on; "" leaves them
		waits               []string
	}{
		{"that nobody is granted", "server:a", "id: b, command: x", "", nil},
		{"under a grant of all servers", "server:*", "id: b, command: x", "", []string{"server `b` added: agent `t/root` holds `server:*`"}},
		{"under a grant of a tool of all", "tool:*/get", "id: b, command: x", "", []string{"server `b` added: agent `t/root` holds `tool:*/get`"}},
		{"switched off, to be switched on later", "server:*", "id: b, command: x, disabled: true", "", []string{"server `b` added: agent `t/root` holds `server:*`"}},
		{"with a secret that is known", "server:a", "id: b, url: 'http://h', credentials_ref: c", "", nil},
		{
			"with a secret that is not", "server:a", "id: b, url: 'http://h', credentials_ref: d", "{c: {source: env, config: {env: C}}, d: {source: env, config: {env: D}}}",
			[]string{"server `b` added: credential `d` is new or changed", "credentials: `d`"},
		},
		{
			"with a secret that is another one now", "server:a", "id: b, url: 'http://h', credentials_ref: c", "{c: {source: env, config: {env: D}}}",
			[]string{"server `b` added: credential `c` is new or changed", "credentials: `c`"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			ws := load(t, write(t, archived(map[string]string{
				"workspace.yaml": emptyWorkspace + "credentials: {c: {source: env, config: {env: C}}}\n" +
					"mcp_servers:\n  - {id: a, command: x}\nsupervision: [{group: g, members: [a]}]\n",
				"topologies/t.yaml": "apiVersion: supervisor/v1\nkind: Topology\nmetadata: {name: t}\n" +
					"agents: {root: {id: root, skills: ['" + c.grant + "']}}\n",
			})), "")
			rewrite(t, ws.Root, "workspace.yaml", "command: x}", "command: x, depends_on: [b]}\n  - {"+c.server+"}")
			rewrite(t, ws.Root, "workspace.yaml", "members: [a]", "members: [b, a]")
			if c.secrets != "" {
				rewrite(t, ws.Root, "workspace.yaml", "{c: {source: env, config: {env: C}}}", c.secrets)
			}
			next := reload(t, ws)
			got := ws.WithServersOf(next)
			_, added := got.Server("b")
			equal(t, "added", c.waits == nil, added)
			equal(t, "waits", c.waits, Compare(ws, next).Gate)
			for _, s := range got.Servers {
				equal(t, "waits for it", added, s.ID == "b" || slices.Contains(s.DependsOn, "b"))
			}
			for _, g := range got.Groups {
				equal(t, "in the group", added, slices.Contains(g.Members, "b"))
			}
		})
	}
}

// Taken out and put back in two edits, a server has the gate it had.
func TestAServerComesBackWithItsGate(t *testing.T) {
	ws := load(t, write(t, archived(before)), "")
	const line = "  - {id: db, command: [db, serve]}\n"
	dir := ws.Root
	rewrite(t, dir, "topologies/swarm.yaml", `skills: ["server:db"]`, "skills: []")
	rewrite(t, dir, "workspace.yaml", line, "")
	rewrite(t, dir, "workspace.yaml", "members: [db, web]", "members: [web]")
	without := ws.WithServersOf(reload(t, ws))
	equal(t, "removed", []string{"db"}, Compare(ws, without).Removed)

	rewrite(t, dir, "workspace.yaml", "mcp_servers:\n", "mcp_servers:\n  - {id: db, command: [new], permission: open}\n")
	next := reload(t, ws)
	back := without.WithServersOf(next)
	db, _ := back.Server("db")
	equal(t, "command", []string{"new"}, db.Command)
	equal(t, "tier", gov.Cautious, db.Rules.Tier)
	equal(t, "waits", []string{"server `db`: permission", "agent `swarm/hand`: skills"}, Compare(without, next).Gate)
}
