package remote

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-supervisor/supervisor/governance"
	"github.com/mcp-supervisor/supervisor/governance/spec"
	mcpspec "github.com/mcp-supervisor/supervisor/mcp/spec"
	"github.com/mcp-supervisor/supervisor/messages"
)

var catalogue = governance.NewCatalogue(&mcpspec.Catalogue{Tools: []mcpspec.Tool{{Name: "read"}}}, spec.Server{ID: "files", Effects: map[string]spec.Effect{"read": spec.Read}})

// act is an action that everything is known of.
func act() governance.Action {
	return governance.Action{
		Topology: "swarm", Agent: "worker", Run: "run-1", Server: "files", Tool: "read", ScopesRequired: []string{"s:1"},
		Arguments: []byte(`{"n":9007199254740993}`), Catalogue: catalogue, Context: map[string]any{"k": "v"},
		Now: time.Date(2026, 11, 30, 10, 0, 0, 0, time.UTC),
	}
}

// told is a provider that answers always the same; asked holds what it was asked.
func told(answer string, err error) (p *Provider, asked *[]string) {
	asked = new([]string)
	p = newProvider(0, nil)
	p.send = func(_ context.Context, request []byte) ([]byte, error) {
		*asked = append(*asked, string(request))
		return []byte(answer), err
	}
	return p, asked
}

func TestRequests(t *testing.T) {
	p, asked := told("{}", nil)
	hash := mustFind(t).Hash
	p.EvaluateAction(t.Context(), act())
	p.EvaluateAction(t.Context(), governance.Action{Agent: "operator", Server: "files", Tool: "read"})
	p.VerifyIdentity(t.Context(), governance.Credential{Topology: "swarm", Agent: "worker", Type: "bearer", Value: "v"})
	_ = p.RecordEvent(t.Context(), governance.Event{Type: "tool.called", Agent: "worker", CallID: "c", Outcome: messages.OK})
	p.TrustScore(t.Context(), "swarm/worker")
	want := []string{
		`{"version":1,"method":"evaluate_action","action":{"name":"mcp:call:files:read","topology":"swarm","agent":"worker","run":"run-1",
			"server":"files","tool":"read","scopes_required":["s:1"],"arguments":{"n":9007199254740993},"effect":"read","tool_hash":"` + hash + `",
			"context":{"k":"v"},"time":"2026-11-30T10:00:00Z"}}`,
		`{"version":1,"method":"evaluate_action","action":{"name":"mcp:call:files:read","topology":"","agent":"operator","run":"",
			"server":"files","tool":"read","scopes_required":[],"arguments":{},"context":{},"time":"0001-01-01T00:00:00Z"}}`,
		`{"version":1,"method":"verify_identity","credential":{"topology":"swarm","agent":"worker","type":"bearer","value":"v"}}`,
		`{"version":1,"method":"record_event","event":{"type":"tool.called","time":"0001-01-01T00:00:00Z","topology":"","agent":"worker",
			"run":"","server":"","tool":"","call_id":"c","outcome":"ok","rule":"","reason":""}}`,
		`{"version":1,"method":"trust_score","agent":"swarm/worker"}`,
	}
	for i := range want {
		want[i] = compact(t, want[i])
	}
	if diff := cmp.Diff(want, *asked); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestDecisions(t *testing.T) {
	tool := mustFind(t)
	yes := func(d governance.Decision) governance.Decision {
		d.ToolHash, d.Effect = tool.Hash, spec.Read
		return d
	}
	for _, tt := range []struct {
		name, answer string
		want         governance.Decision
	}{
		{"yes", `{"version":1,"allowed":true,"rule":"r","reason":"fine"}`, yes(governance.Decision{Allowed: true, Rule: "r", Reason: "fine"})},
		{"a bare yes", `{"version":1,"allowed":true}`, yes(governance.Decision{Allowed: true, Rule: "provider:unnamed"})},
		{
			"yes, with obligations", `{"version":1,"allowed":true,"rule":"r","redact":["$.password","a.b"],"approve":{"reason":"it deletes"}}`,
			yes(governance.Decision{Allowed: true, Rule: "r", Approve: &governance.Approval{Rule: "r", Reason: "it deletes"}, Redact: []string{"$.password", "a.b"}}),
		},
		{"no", `{"version":1,"allowed":false,"rule":"r","reason":"ask for less"}`, governance.Decision{Outcome: messages.Denied, Rule: "r", Reason: "ask for less"}},
		{"a bare no", `{"version":1,"allowed":false}`, governance.Decision{Outcome: messages.Denied, Rule: "provider:unnamed", Reason: "the governance provider does not allow it"}},
		{"no, whoever approves", `{"version":1,"allowed":false,"approve":{"reason":"x"}}`, governance.Decision{Outcome: messages.Denied, Rule: "provider:unnamed", Reason: "the governance provider does not allow it"}},
		{
			"one bounded line", `{"version":1,"allowed":false,"reason":"a\n\u001b[8m\u200b` + strings.Repeat("é", 1000) + `"}`,
			governance.Decision{Outcome: messages.Denied, Rule: "provider:unnamed", Reason: "a [8m " + strings.Repeat("é", 493) + "…"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, _ := told(tt.answer, nil)
			if diff := cmp.Diff(tt.want, p.EvaluateAction(t.Context(), act())); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// A yes is a yes only to a tool that the server exposes.
func TestAYesNeedsTheTool(t *testing.T) {
	p, _ := told(allow, nil)
	a := act()
	a.Catalogue = nil
	if d := p.EvaluateAction(t.Context(), a); !d.NeedsCatalogue || d.Allowed {
		t.Errorf("unknown tools: %+v", d)
	}
	a = act()
	a.Tool = "hidden"
	if d := p.EvaluateAction(t.Context(), a); d.Allowed || d.NeedsCatalogue || d.Outcome != messages.Invalid {
		t.Errorf("a hidden tool: %+v", d)
	}
}

// unclean are answers that look like a yes, and are none.
var unclean = []struct{ name, answer, diagnostic string }{
	{"nothing", ``, "not valid JSON"},
	{"no object", `true`, "not a JSON object"},
	{"an empty object", `{}`, `the answer's version is "", not 1`},
	{"another version", `{"version":2,"allowed":true}`, `the answer's version is "2", not 1`},
	{"a version of another kind", `{"version":"1","allowed":true}`, "the answer's version is"},
	{"an error", `{"version":1,"allowed":true,"error":"no\nmodel"}`, "the provider says: no model"},
	{"an error of another kind", `{"version":1,"allowed":true,"error":null}`, "error must be a string"},
	{"no word", `{"version":1}`, "allowed must be true or false"},
	{"null", `{"version":1,"allowed":null}`, "allowed must be true or false"},
	{"a yes as text", `{"version":1,"allowed":"true"}`, "allowed must be true or false"},
	{"another spelling", `{"version":1,"Allowed":true}`, `field "Allowed"`},
	{"two words", `{"version":1,"allowed":false,"allowed":true}`, `key "allowed" is there twice`},
	{"an obligation nobody knows", `{"version":1,"allowed":true,"until":"noon"}`, `field "until", which version 1 does not know`},
	{"a reason of another kind", `{"version":1,"allowed":true,"reason":1}`, "reason must be a string"},
	{"a rule of another kind", `{"version":1,"allowed":true,"rule":null}`, "rule must be a string"},
	{"an approval of another kind", `{"version":1,"allowed":true,"approve":true}`, "approve: not a JSON object"},
	{"an approval that is null", `{"version":1,"allowed":true,"approve":null}`, "approve: not a JSON object"},
	{"an approval without a reason", `{"version":1,"allowed":true,"approve":{}}`, "approve: it needs a reason"},
	{"an approval with a reason of another kind", `{"version":1,"allowed":true,"approve":{"reason":[]}}`, "reason must be a string"},
	{"an approval by somebody", `{"version":1,"allowed":true,"approve":{"reason":"x","by":"ada"}}`, `approve has a field "by"`},
	{"paths of another kind", `{"version":1,"allowed":true,"redact":"$.a"}`, "redact must be a list"},
	{"paths that are null", `{"version":1,"allowed":true,"redact":null}`, "redact must be a list"},
	{"an empty path", `{"version":1,"allowed":true,"redact":[null]}`, "redact must be a list"},
	{"too many paths", `{"version":1,"allowed":true,"redact":["a"` + strings.Repeat(`,"a"`, 100) + `]}`, "at most 100 paths"},
}

func TestWhatIsUncleanIsANo(t *testing.T) {
	for _, tt := range unclean {
		t.Run(tt.name, func(t *testing.T) {
			p, _ := told(tt.answer, nil)
			closed(t, p.EvaluateAction(t.Context(), act()), tt.diagnostic)
		})
	}
	p, _ := told(allow, errors.New("boom"))
	closed(t, p.EvaluateAction(t.Context(), act()), "boom")
	a := act()
	a.Context = map[string]any{"f": func() {}}
	p, asked := told(allow, nil)
	closed(t, p.EvaluateAction(t.Context(), a), "write the request")
	if len(*asked) > 0 {
		t.Error("it was asked all the same")
	}
}

func TestIdentityTrustAndEvents(t *testing.T) {
	who := governance.Credential{Topology: "swarm", Agent: "worker"}
	unverified := governance.Identity{Topology: "swarm", Agent: "worker", Reason: "the identity could not be checked; the supervisor's log says why"}
	untrusted := governance.Trust{Tier: governance.Untrusted}
	verify := func(p *Provider) any { return p.VerifyIdentity(t.Context(), who) }
	trust := func(p *Provider) any { return p.TrustScore(t.Context(), "worker") }
	for _, tt := range []struct {
		name, answer string
		ask          func(*Provider) any
		want         any
		log          string // "" for a clean answer
	}{
		{"verified", `{"version":1,"verified":true,"topology":"swarm","agent":"worker","role":"leader"}`, verify, governance.Identity{Verified: true, Topology: "swarm", Agent: "worker", Role: "leader"}, ""},
		{"not verified", `{"version":1,"verified":false,"reason":"expired"}`, verify, governance.Identity{Reason: "expired"}, ""},
		{"nobody is verified", `{"version":1,"verified":true}`, verify, unverified, "agent is missing"},
		{"no word", `{"version":1}`, verify, unverified, "verified must be true or false"},
		{"no answer", ``, verify, unverified, "not valid JSON"},
		{"trusted", `{"version":1,"score":0.75,"tier":"degraded"}`, trust, governance.Trust{Score: 0.75, Tier: governance.Degraded}, ""},
		{"no score", `{"version":1,"tier":"trusted"}`, trust, untrusted, "score must be a number from 0 to 1"},
		{"null", `{"version":1,"score":null,"tier":"trusted"}`, trust, untrusted, "score must be"},
		{"more than full", `{"version":1,"score":1.01,"tier":"trusted"}`, trust, untrusted, "score must be"},
		{"less than none", `{"version":1,"score":-0.1,"tier":"trusted"}`, trust, untrusted, "score must be"},
		{"another tier", `{"version":1,"score":1,"tier":"gold"}`, trust, untrusted, "tier must be"},
		{"no tier", `{"version":1,"score":1}`, trust, untrusted, "tier must be"},
		{"an error", `{"version":1,"error":"x"}`, trust, untrusted, "the provider says: x"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var log bytes.Buffer
			p, _ := told(tt.answer, nil)
			p.log = slog.New(slog.NewTextHandler(&log, nil))
			if diff := cmp.Diff(tt.want, tt.ask(p)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if (log.Len() == 0) != (tt.log == "") || !strings.Contains(log.String(), tt.log) {
				t.Errorf("the log says %q, want %q", log.String(), tt.log)
			}
		})
	}
	p, _ := told(`{"version":1}`, nil)
	if err := p.RecordEvent(t.Context(), governance.Event{}); err != nil {
		t.Error(err)
	}
	p, _ = told(`{"version":1,"error":"disk full"}`, nil)
	if err := p.RecordEvent(t.Context(), governance.Event{}); err == nil || err.Error() != "governance provider: record_event: the provider says: disk full" {
		t.Error(err)
	}
}

// FuzzAnswers: a yes comes only from an answer whose one field `allowed` is true, and what is taken over is bounded.
func FuzzAnswers(f *testing.F) {
	f.Add([]byte(allow))
	for _, tt := range unclean {
		f.Add([]byte(tt.answer))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		p, _ := told(string(raw), nil)
		d := p.EvaluateAction(t.Context(), act())
		var fields map[string]json.RawMessage
		err := json.Unmarshal(raw, &fields)
		if (d.Allowed || d.Approve != nil) && (err != nil || string(fields["allowed"]) != "true" || string(fields["version"]) != "1") {
			t.Errorf("%q: %+v", raw, d)
		}
		if d.Allowed && (fields["approve"] != nil || fields["error"] != nil) {
			t.Errorf("%q: an approval or error was overlooked", raw)
		}
		if !d.Allowed && d.Outcome != messages.Denied || len([]rune(d.Reason+d.Rule)) > 3*maxText || strings.ContainsAny(d.Reason+d.Rule, "\n\x1b") {
			t.Errorf("%q: %+v", raw, d)
		}
		p.VerifyIdentity(t.Context(), governance.Credential{})
		if s := p.TrustScore(t.Context(), "x"); s.Score < 0 || s.Score > 1 {
			t.Errorf("%q: score %v", raw, s)
		}
	})
}

func mustFind(t *testing.T) governance.Tool {
	t.Helper()
	tool, ok := catalogue.Find("read")
	if !ok {
		t.Fatal("no such tool")
	}
	return tool
}
