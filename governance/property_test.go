package governance

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/mcp-supervisor/supervisor/governance/spec"
	mcpspec "github.com/mcp-supervisor/supervisor/mcp/spec"
	"github.com/mcp-supervisor/supervisor/messages"
)

func grantGen() *rapid.Generator[spec.Grant] {
	return rapid.Custom(func(t *rapid.T) spec.Grant {
		return spec.Grant{
			Via:    rapid.SampledFrom([]string{"skill-a", "skill-b", "server:files"}).Draw(t, "via"),
			Server: rapid.SampledFrom([]string{"files", "other", "*"}).Draw(t, "server"),
			Tool:   rapid.SampledFrom([]string{"read", "list", "wipe", "*"}).Draw(t, "tool"),
			Scopes: rapid.SliceOfN(rapid.SampledFrom([]string{"fs:read", "fs:write", "fs:*"}), 0, 2).Draw(t, "scopes"),
		}
	})
}

// scene is a workspace of one agent, and one action of it.
type scene struct {
	agent  spec.Agent
	action Action
}

func (s scene) decide(t testing.TB) Decision {
	return decide(t, Snapshot{Agents: []AgentIn{{Agent: s.agent}}, Servers: []spec.Server{files}}, s.action)
}

func drawScene(t *rapid.T) scene {
	return scene{
		agent: spec.Agent{
			ID:     "a",
			Scopes: rapid.SliceOfN(rapid.SampledFrom([]string{"fs:read", "fs:write", "fs:*"}), 0, 3).Draw(t, "held"),
			Grants: rapid.SliceOfN(grantGen(), 0, 4).Draw(t, "grants"),
		},
		action: Action{
			Agent: "a", Server: "files",
			Tool:      rapid.SampledFrom([]string{"list", "write", "wipe", "none"}).Draw(t, "tool"),
			Catalogue: filesCatalogue(),
		},
	}
}

func TestAddingAGrantNeverRefuses(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := drawScene(rt)
		if !s.decide(t).Allowed {
			return
		}
		at := rapid.IntRange(0, len(s.agent.Grants)).Draw(rt, "at")
		s.agent.Grants = slices.Insert(slices.Clone(s.agent.Grants), at, grantGen().Draw(rt, "one more"))
		if d := s.decide(t); !d.Allowed {
			rt.Fatalf("refused after a grant was added: %+v", d)
		}
	})
}

func TestRemovingAScopeNeverAllows(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := drawScene(rt)
		if len(s.agent.Scopes) == 0 || s.decide(t).Allowed {
			return
		}
		at := rapid.IntRange(0, len(s.agent.Scopes)-1).Draw(rt, "at")
		s.agent.Scopes = slices.Delete(slices.Clone(s.agent.Scopes), at, at+1)
		if d := s.decide(t); d.Allowed {
			rt.Fatalf("allowed after a scope was removed: %+v", d)
		}
	})
}

// For an agent, a tool that is hidden and one that does not exist are the same.
func TestHiddenIsUnknown(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := drawScene(rt)
		s.action.Tool = "wipe"
		with := s.decide(t)
		offer := filesOffer()
		offer.Tools = slices.DeleteFunc(offer.Tools, func(t mcpspec.Tool) bool { return t.Name == "wipe" })
		s.action.Catalogue = NewCatalogue(offer, files)
		without := s.decide(t)
		if with.Reason != without.Reason || with.Outcome != without.Outcome || with.Allowed {
			rt.Fatalf("hidden:  %+v\nunknown: %+v", with, without)
		}
	})
}

// Without a grant, what exists and what does not are the same but for the name that was asked.
func TestWithoutGrantNothingIsTold(t *testing.T) {
	ask := func(server, tool string) string {
		d := decide(t, workspace(), Action{Agent: "guest", Server: server, Tool: tool, Catalogue: filesCatalogue()})
		if d.Outcome != messages.Denied {
			t.Fatalf("got %+v", d)
		}
		return strings.NewReplacer(tick(server), "S", tick(tool), "T").Replace(d.Reason)
	}
	want := ask("files", "read")
	for _, pair := range [][2]string{{"files", "wipe"}, {"files", "none"}, {"none", "nothing"}, {"vault", "x"}} {
		if got := ask(pair[0], pair[1]); got != want {
			t.Errorf("%v: %q, want %q", pair, got, want)
		}
	}
}

// FuzzToolName: whatever the spelling, only the names that are exposed pass (prefixed and sanitised ones do not).
func FuzzToolName(f *testing.F) {
	for _, seed := range []string{"read", "write", "wipe", "files_wipe", "files.wipe", "files/wipe", "WIPE", " wipe", "wipe ", "wipe\x00", "wi\u200bpe", "w\u0456pe", "*", ""} {
		f.Add(seed)
	}
	tools, b := filesCatalogue(), NewBuiltin(workspace())
	exposed := []string{"write", "list"} // read is exposed, but needs arguments
	f.Fuzz(func(t *testing.T, name string) {
		d := b.EvaluateAction(t.Context(), Action{Agent: spec.Operator, Server: "files", Tool: name, Catalogue: tools})
		if d.Allowed != slices.Contains(exposed, name) {
			t.Errorf("%q: %+v", name, d)
		}
		if strings.ContainsAny(d.Reason, "\n\r\x1b\x00") || len(d.Reason) > 1000 {
			t.Errorf("%q: a reason that is not one bounded line: %q", name, d.Reason)
		}
	})
}
