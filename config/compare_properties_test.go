package config

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	gov "github.com/mcp-supervisor/supervisor/governance/spec"
	"github.com/mcp-supervisor/supervisor/supervision"
)

// workspaces draws small workspaces that have much in common, as two states of the same files have.
func workspaces(name string) *rapid.Generator[*Workspace] {
	ids := []string{"a", "b", "c", "d"}
	return rapid.Custom(func(t *rapid.T) *Workspace {
		ws := &Workspace{Digest: name, Credentials: map[string]Credential{}, Skills: map[string]Skill{}, Topologies: map[string]Topology{}}
		ws.Governance.Pinning = rapid.SampledFrom([]gov.Pinning{gov.PinningReport, gov.PinningEnforce}).Draw(t, "pinning")
		for _, id := range ids {
			if rapid.Bool().Draw(t, "credential") {
				ws.Credentials[id] = Credential{Name: id, Source: rapid.SampledFrom([]string{"env", "file"}).Draw(t, "source")}
			}
			if rapid.Bool().Draw(t, "declared") {
				ws.Servers = append(ws.Servers, drawServer(t, id, ids))
			}
		}
		if g := drawGroup(t, ws.Servers); len(g.Members) > 0 {
			ws.Groups = []supervision.Group{g}
		}
		for _, name := range rapid.SliceOfDistinct(rapid.SampledFrom(ids), rapid.ID).Draw(t, "topologies") {
			grant := gov.Grant{Server: rapid.SampledFrom(append(ids, "*", "none")).Draw(t, "grant"), Tool: "*"}
			ws.Topologies[name] = Topology{Name: name, Root: Agent{Agent: gov.Agent{ID: "root", Grants: []gov.Grant{grant}}}}
		}
		return ws
	})
}

func drawServer(t *rapid.T, id string, ids []string) Server {
	s := defaults(id)
	s.Command = []string{rapid.SampledFrom([]string{"x", "y"}).Draw(t, "command")}
	s.Disabled = rapid.Bool().Draw(t, "disabled")
	s.Rules.Tier = rapid.SampledFrom([]gov.Tier{gov.Open, gov.Cautious}).Draw(t, "tier")
	s.Retry = rapid.SampledFrom([]Retry{RetryNever, RetryReadOnly}).Draw(t, "retry")
	s.CredentialsRef = rapid.SampledFrom([]string{"", "a", "b"}).Draw(t, "credentials_ref")
	if rapid.Bool().Draw(t, "env") {
		s.Env = map[string]string{"T": "{credential." + rapid.SampledFrom(ids).Draw(t, "in env") + "}"}
	}
	s.DependsOn = rapid.SliceOfDistinct(rapid.SampledFrom(ids), rapid.ID).Draw(t, "depends_on")
	return s
}

func drawGroup(t *rapid.T, servers []Server) supervision.Group {
	g := supervision.Group{Name: "g", Strategy: supervision.OneForAll}
	for _, s := range servers {
		if rapid.Bool().Draw(t, "member") {
			g.Members = append(g.Members, s.ID)
		}
	}
	return g
}

func TestAWorkspaceIsNoChangeOfItself(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ws := workspaces("x").Draw(t, "workspace")
		c := Compare(ws, ws)
		c.Unchanged = nil
		if diff := cmp.Diff(Changes{}, c); diff != "" {
			t.Fatal(diff)
		}
	})
}

func TestEveryEnabledServerIsInOneList(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		old, next := workspaces("old").Draw(t, "old"), workspaces("next").Draw(t, "next")
		c := Compare(old, next)
		lists := slices.Concat(c.Added, c.Removed, c.Changed, c.Tuned, c.Unchanged)
		var enabled []string
		for _, ws := range []*Workspace{old, next} {
			for _, s := range ws.Servers {
				if !s.Disabled && !slices.Contains(enabled, s.ID) {
					enabled = append(enabled, s.ID)
				}
			}
		}
		slices.Sort(lists)
		slices.Sort(enabled)
		if diff := cmp.Diff(enabled, lists); diff != "" {
			t.Fatal(diff)
		}
	})
}

// Edit after edit, the gate that was loaded by hand holds; and where nothing waits, nothing is left behind.
func TestWithServersOfKeepsTheGate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ws := workspaces("0").Draw(t, "loaded by hand")
		seen := map[string]gov.Tier{}
		for range rapid.IntRange(1, 4).Draw(t, "edits") {
			for _, s := range ws.Servers {
				if tier, known := seen[s.ID]; known && tier != s.Rules.Tier {
					t.Fatalf("server %s was %s and is %s", s.ID, tier, s.Rules.Tier)
				}
				seen[s.ID] = s.Rules.Tier
			}
			next := workspaces("1").Draw(t, "edited")
			mixed := ws.WithServersOf(next)
			if gate := Compare(ws, mixed).Gate; len(gate) > 0 {
				t.Fatalf("the gate changed: %q", gate)
			}
			if c := Compare(mixed, next); len(Compare(ws, next).Gate) == 0 && len(c.Added)+len(c.Removed)+len(c.Changed) > 0 {
				t.Fatalf("nothing waits, and yet there is %+v", c)
			}
			ws = mixed
		}
	})
}
