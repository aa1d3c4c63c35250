package config

import (
	"path/filepath"
	"strings"

	gov "github.com/mcp-supervisor/supervisor/governance/spec"
)

var toolsMCPShape = shape{known: "enabled servers"}

// toolsFile reads a file of the form `tools: {mcp: {enabled, servers}}`: one agent that may use all servers.
func (l *loader) toolsFile(top value) {
	for _, f := range top.fields {
		switch f.key {
		case "tools", "model", "prompt", "system", "credentials", "supervision", "governance":
		default:
			l.idle(f.value)
		}
	}
	l.ws.Name = l.fileName()
	l.ws.ID = sanitise(l.ws.Name)
	l.credentials(top.get("credentials"))
	l.governance(top.get("governance"))
	if l.tools(top.get("tools")) {
		l.supervision(top.get("supervision"))
	}
	l.unresolved(top.get("supervision"), "supervision")
	l.unresolvedGovernance(top.get("governance"))
	l.checkCredentials()
	l.ws.Topologies["default"] = Topology{Name: "default", File: l.main, Root: l.onlyAgent(top)}
	l.rates(top.get("governance").get("rates"))
	l.warnOfIdleKinds(append([]string{"archetypes", "skills", "topologies"}, idleKinds...))
}

// fileName is the file's base name; workspace.yaml goes by the name of its folder.
func (l *loader) fileName() string {
	name := strings.TrimSuffix(l.main, filepath.Ext(l.main))
	if name == "workspace" {
		return filepath.Base(l.root)
	}
	return name
}

// tools reads the servers, and reports whether they are to be used at all.
func (l *loader) tools(tools value) bool {
	for _, f := range tools.fields {
		if f.key != "mcp" {
			l.idle(f.value)
		}
	}
	mcp := tools.get("mcp")
	l.check(mcp, toolsMCPShape)
	if !l.bool(mcp.get("enabled"), true) {
		return false
	}
	l.servers(mcp.get("servers"))
	l.unresolvedServers(mcp.get("servers"))
	return true
}

func (l *loader) onlyAgent(top value) Agent {
	for _, key := range []string{"model", "prompt", "system"} {
		l.unresolved(top.get(key), "")
	}
	a := Agent{Agent: gov.Agent{
		ID:     "agent",
		Role:   "root",
		Grants: []gov.Grant{{Via: "server:*", Server: "*", Tool: "*"}},
	}}
	a.Model = l.model(top.get("model"))
	prompt := top.get("prompt")
	if prompt.kind == text {
		a.System = prompt.text
	} else {
		a.System = l.prompt(prompt)
	}
	a.System = paragraphs(l.str(top.get("system")), a.System)
	return a
}
