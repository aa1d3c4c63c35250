package config

import (
	"strings"
	"testing"

	gov "github.com/mcp-supervisor/supervisor/governance/spec"
)

func TestTopologyByName(t *testing.T) {
	named := func(names ...string) *Workspace {
		w := &Workspace{File: "dir/workspace.yaml", Topologies: map[string]Topology{}}
		for _, n := range names {
			w.Topologies[n] = Topology{Name: n}
		}
		return w
	}
	for _, c := range []struct {
		ws         *Workspace
		name, want string // the topology's name, or the error
	}{
		{named("one"), "", "one"},
		{named("one", "two"), "two", "two"},
		{named(), "", "workspace.yaml: the workspace declares no topology (add a file in topologies/)"},
		{named("one", "two"), "", "workspace.yaml: the workspace has several topologies (name one of one, two)"},
		{named("review", "write"), "reveiw", "workspace.yaml: topology \"reveiw\" is not declared (did you mean `review`?)"},
		{named("review", "write"), "xyzzyplugh", "workspace.yaml: topology \"xyzzyplugh\" is not declared (there is review, write)"},
	} {
		got, err := c.ws.Topology(c.name)
		if err != nil && err.Error() != c.want || err == nil && got.Name != c.want {
			t.Errorf("Topology(%q) = %q, %v; want %s", c.name, got.Name, err, c.want)
		}
	}
}

// A run without a single server is refused before any process starts.
func TestCheckRun(t *testing.T) {
	holds := func(g ...gov.Grant) Topology {
		return Topology{Root: Agent{Agent: gov.Agent{ID: "boss"}, Children: []Agent{{Agent: gov.Agent{ID: "hand", Grants: g}}}}}
	}
	greet := gov.Grant{Via: "greet", Server: "greeter", Tool: "hello"}
	none := &Workspace{File: "x/workspace.yaml"}
	some := &Workspace{File: "x/workspace.yaml", Servers: []Server{defaults("greeter")}}
	err := none.CheckRun(holds(greet))
	for _, part := range []string{"workspace.yaml", "mcp_servers", `"hand"`, `"greet"`, `"greeter"`} {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("CheckRun without servers = %v, want it to name %s", err, part)
		}
	}
	if err := none.CheckRun(holds()); err == nil || !strings.Contains(err.Error(), "no tools") {
		t.Errorf("CheckRun of agents without grants = %v, want it to say that they have no tools", err)
	}
	if err := some.CheckRun(holds(greet)); err != nil {
		t.Errorf("CheckRun with servers = %v", err)
	}
}
