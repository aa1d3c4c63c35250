package config

import (
	"reflect"
	"slices"
	"testing"

	gov "github.com/mcp-supervisor/supervisor/governance/spec"
)

// What a change of a server's field leads to. Retry and credentials are in the gate besides.
const (
	replaced = "replaced" // the process is another one
	tuned    = "tuned"    // the running server is supervised otherwise
	gated    = "gated"    // the gate decides otherwise
	listed   = "listed"   // it is another server, or is enabled or disabled
)

var meaning = map[string]string{
	"Server.ID": listed, "Disabled": listed,

	"Server.Transport": replaced, "Server.Command": replaced, "Server.Cwd": replaced, "Server.Env": replaced,
	"Server.Endpoint": replaced, "Server.Headers": replaced, "Server.TLS": replaced, "Server.StartTimeout": replaced,
	"Server.StopGrace": replaced, "Server.MaxMessage": replaced, "Server.Protocol": replaced, "CredentialsRef": replaced,

	"Rules.Tools": gated, "Rules.Tier": gated, "Rules.Overrides": gated, "Rules.Effects": gated, "Rules.Tags": gated,
	"Prefix": gated,

	"Timeout": tuned, "Restart": tuned, "Health": tuned, "Start": tuned, "IdleStop": tuned, "MaxInFlight": tuned,
	"Queue": tuned, "OnDown": tuned, "CatalogWhenDown": tuned, "Retry": tuned, "DependsOn": tuned, "Significant": tuned,
}

// Whoever adds a field to Server decides here what a change of it means.
func TestEveryFieldOfAServerIsCompared(t *testing.T) {
	seen := map[string]bool{}
	eachField(reflect.TypeFor[Server](), "", []string{"Server", "Rules"}, func(name string, index []int) {
		if name == "Rules.ID" { // always the server's own
			return
		}
		seen[name] = true
		was, is := defaults("a"), defaults("a")
		change(t, reflect.ValueOf(&is).Elem().FieldByIndex(index))
		equal(t, name, meaning[name], meaningOf(Compare(withServer(was), withServer(is))))
	})
	for name := range meaning {
		if !seen[name] {
			t.Errorf("Server has no field %s", name)
		}
	}
}

func withServer(s Server) *Workspace { return &Workspace{Servers: []Server{s}} }

func meaningOf(c Changes) string {
	switch {
	case len(c.Added)+len(c.Removed) > 0:
		return listed
	case len(c.Changed) > 0:
		return replaced
	case len(c.Tuned) > 0:
		return tuned
	case len(c.Gate) > 0:
		return gated
	}
	return "not seen"
}

// Everything that is declared of governance, skills, agents and credentials is the gate's.
func TestEveryFieldOfTheGateIsCompared(t *testing.T) {
	all := Workspace{
		Credentials: map[string]Credential{"c": {Name: "c"}},
		Skills:      map[string]Skill{"s": {ID: "s"}},
		Topologies:  map[string]Topology{"t": {Name: "t", Root: Agent{Agent: gov.Agent{ID: "a"}}}},
	}
	changed(t, "skill", func(s Skill) *Workspace {
		ws := all
		ws.Skills = map[string]Skill{"s": s}
		return &ws
	}, all.Skills["s"], "ID")
	changed(t, "agent", func(a Agent) *Workspace {
		ws := all
		ws.Topologies = map[string]Topology{"t": {Name: "t", Root: a}}
		return &ws
	}, all.Topologies["t"].Root)
	changed(t, "credential", func(c Credential) *Workspace {
		ws := all
		ws.Credentials = map[string]Credential{"c": c}
		return &ws
	}, all.Credentials["c"])
	changed(t, "governance", func(g Governance) *Workspace {
		ws := all
		ws.Governance = g
		return &ws
	}, all.Governance)
}

// changed changes each field of a value, in turn, and wants Gate to name it. Some fields repeat the value's key.
func changed[T any](t *testing.T, what string, in func(T) *Workspace, was T, keys ...string) {
	t.Helper()
	eachField(reflect.TypeFor[T](), "", []string{"Agent", "Limits"}, func(name string, index []int) {
		is := was
		change(t, reflect.ValueOf(&is).Elem().FieldByIndex(index))
		if gate := Compare(in(was), in(is)).Gate; len(gate) == 0 && !slices.Contains(keys, name) {
			t.Errorf("a change of a %s's %s is not seen", what, name)
		}
	})
}

// The rest of a workspace says where it is and how it reads.
func TestEveryFieldOfAWorkspaceIsKnown(t *testing.T) {
	known := []string{
		"Servers", "Groups", "Credentials", "Skills", "Topologies", "Governance",
		"ID", "Name", "Root", "File", "Files", "Digest", "Warnings", "MaxStarts",
	}
	eachField(reflect.TypeFor[Workspace](), "", nil, func(name string, _ []int) {
		if !slices.Contains(known, name) {
			t.Errorf("Compare does not know the field %s of Workspace", name)
		}
	})
}

// eachField calls visit for the exported fields of a struct; those of the structs named in open one by one.
func eachField(of reflect.Type, prefix string, open []string, visit func(name string, index []int)) {
	for f := range of.Fields() {
		switch {
		case slices.Contains(open, f.Name):
			eachField(f.Type, f.Name+".", nil, func(name string, index []int) {
				visit(name, append(slices.Clone(f.Index), index...))
			})
		case f.IsExported():
			visit(prefix+f.Name, f.Index)
		}
	}
}

// change makes a value another one.
func change(t *testing.T, v reflect.Value) {
	t.Helper()
	switch v.Kind() {
	case reflect.String:
		v.SetString(v.String() + "x")
	case reflect.Bool:
		v.SetBool(!v.Bool())
	case reflect.Int, reflect.Int64:
		v.SetInt(v.Int() + 1)
	case reflect.Slice:
		item := reflect.New(v.Type().Elem()).Elem()
		v.Set(reflect.Append(v, item))
	case reflect.Map:
		m := reflect.MakeMap(v.Type())
		m.SetMapIndex(reflect.Zero(v.Type().Key()), reflect.Zero(v.Type().Elem()))
		v.Set(m)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
	case reflect.Struct:
		change(t, v.Field(0))
	default:
		t.Fatalf("the test cannot change a %s", v.Type())
	}
}
