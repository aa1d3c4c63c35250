package actors

import (
	"context"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/mcp-supervisor/supervisor/config"
	gov "github.com/mcp-supervisor/supervisor/governance/spec"
	mcpspec "github.com/mcp-supervisor/supervisor/mcp/spec"
	"github.com/mcp-supervisor/supervisor/messages"
)

// spellings are ways to write a name so that somebody else might still take it for the name.
var spellings = []func(string) string{
	func(s string) string { return s },
	strings.ToUpper,
	func(s string) string { return strings.ToUpper(s[:1]) + s[1:] },
	func(s string) string { return " " + s },
	func(s string) string { return s + " " },
	func(s string) string { return s + "\n" },
	func(s string) string { return s + "\x00" },
	func(s string) string { return s + "\x00echo" },
	func(s string) string { return "echo\x00" + s },
	func(s string) string { return s + "." },
	func(s string) string { return s + "/" },
	func(s string) string { return "/" + s },
	func(s string) string { return "./" + s },
	func(s string) string { return "echo/../" + s },
	func(s string) string { return "../s/" + s },
	func(s string) string { return "s/" + s },
	func(s string) string { return "s." + s },
	func(s string) string { return "s_" + s },
	func(s string) string { return "s__" + s },
	func(s string) string { return "p_" + s },
	func(s string) string { return "mcp:call:s:" + s },
	func(s string) string { return "%" + "77" + s[1:] },
	func(s string) string { return strings.ReplaceAll(s, "i", "%69") },
	func(s string) string { return strings.ReplaceAll(s, "i", "\u0456") }, // Cyrillic
	func(s string) string { return strings.ReplaceAll(s, "e", "\uff45") }, // full width
	func(s string) string { return strings.ReplaceAll(s, "i", "i\u0307") },
	func(s string) string { return s[:1] + "\u200b" + s[1:] },
	func(s string) string { return "\ufeff" + s },
	func(s string) string { return "\u202e" + s },
	func(s string) string { return s + "\xff" },
	func(s string) string { return s + "*" },
	func(string) string { return "*" },
	func(string) string { return "" },
	func(s string) string { return "echo," + s },
	func(s string) string { return `["` + s + `"]` },
}

func spelling() *rapid.Generator[func(string) string] {
	return rapid.Custom(func(t *rapid.T) func(string) string {
		chosen := rapid.SliceOfN(rapid.SampledFrom(spellings), 1, 3).Draw(t, "spellings")
		return func(s string) string {
			for _, spell := range chosen {
				if s != "" {
					s = spell(s)
				}
			}
			return s
		}
	})
}

// No spelling of a tool that is hidden, or not granted, reaches a server through any door: a call, an agent's turn, or a
// question about a call.
func TestNoSpellingReachesWhatIsHiddenOrNotGranted(t *testing.T) {
	var wire []string
	f := &fakeServer{more: []mcpspec.Tool{{Name: "write/echo"}, {Name: "ECHO"}}}
	f.answer = func(_ *fakeSession, r mcpspec.CallRequest, done func(mcpspec.Reply)) {
		wire = append(wire, r.Tool) // all calls of this test are made one after the other
		done(echo(r))
	}
	ws := oneServer(t, func(s *config.Server) { s.Rules.Tools, s.Prefix = []string{"echo", "other"}, "p" })
	withTree(ws, config.Agent{
		Agent:    gov.Agent{ID: "wide", Grants: []gov.Grant{{Via: "server:s", Server: "s", Tool: "*"}}},
		Children: []config.Agent{{Agent: gov.Agent{ID: "narrow", Grants: []gov.Grant{{Via: "tool:s/echo", Server: "s", Tool: "echo"}}}}, {Agent: gov.Agent{ID: "poor"}}},
	})
	s := startFake(t, ws, f)
	want1(t, call(s, "the server is up"), messages.OK, messages.RanYes)
	known, err := s.learn(context.Background(), "s")
	if err != nil {
		t.Fatal(err)
	}
	agents := map[string]config.Agent{}
	for _, a := range ws.Agents() {
		agents["t/"+a.ID] = a.Agent
	}
	rapid.Check(t, func(rt *rapid.T) {
		wire = nil
		server, tool := "s", spelling().Draw(rt, "tool")(rapid.SampledFrom([]string{"write", "other", "ECHO", "write/echo"}).Draw(rt, "name"))
		if rapid.IntRange(0, 3).Draw(rt, "server too") == 0 {
			server = spelling().Draw(rt, "server")("s")
		}
		agent := rapid.SampledFrom([]string{"", "t/wide", "t/narrow", "t/poor", "wide", "/operator", "t/operator", "t/wide/x"}).Draw(rt, "agent")
		request := CallRequest{Agent: agent, Server: server, Tool: tool}
		if a, ok := agents[agent]; ok && rapid.Bool().Draw(rt, "as a model writes it") {
			box := newToolbox(ws, a)
			box.learn(catalogueKnown{Server: "s", offer: known})
			to := box.resolve(server + rapid.SampledFrom([]string{"/", "_", ".", ""}).Draw(rt, "between") + tool)
			request.Server, request.Tool = to.server, to.tool
		}
		r := s.CallTool(context.Background(), request)
		e, _ := s.Explain(context.Background(), request)
		exposed := request.Server == "s" && request.Tool == "echo" && !slices.Contains([]string{"t/poor", "t/operator", "t/wide/x"}, agent)
		if exposed {
			return
		}
		if len(wire) > 0 || r.Outcome != messages.Denied && r.Outcome != messages.Invalid || r.Ran != messages.RanNo {
			rt.Fatalf("%+v: %s, ran %s, the server saw %q", request, r.Outcome, r.Ran, wire)
		}
		if e.Allowed {
			rt.Fatalf("%+v would be allowed: %+v", request, e)
		}
	})
}
