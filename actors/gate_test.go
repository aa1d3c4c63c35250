package actors

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcp-supervisor/supervisor/config"
	"github.com/mcp-supervisor/supervisor/governance"
	"github.com/mcp-supervisor/supervisor/governance/audit"
	gov "github.com/mcp-supervisor/supervisor/governance/spec"
	"github.com/mcp-supervisor/supervisor/messages"
)

func TestTheGateTurnsAwayWhatMayNotOrCannotRun(t *testing.T) {
	echo := json.RawMessage(`{"text": "hi"}`)
	tests := []struct {
		name   string
		change func(*config.Server)
		call   CallRequest
		want   messages.Outcome
		words  string
	}{
		{"unknown server", nil, CallRequest{Server: "nope", Tool: "echo"}, messages.Invalid, "nope"},
		{"unknown tool", nil, CallRequest{Server: "s", Tool: "eco"}, messages.Invalid, "echo"},
		{"hidden tool", func(s *config.Server) { s.Rules.Tools = []string{"echo"} }, CallRequest{Server: "s", Tool: "write"}, messages.Invalid, "write"},
		{"disabled server", func(s *config.Server) { s.Disabled = true }, CallRequest{Server: "s", Tool: "echo"}, messages.Invalid, "s"},
		{"arguments that break the schema", nil, CallRequest{Server: "s", Tool: "echo", Arguments: json.RawMessage(`{"text": 1}`)}, messages.Invalid, "text"},
		{"arguments that are no object", nil, CallRequest{Server: "s", Tool: "echo", Arguments: json.RawMessage(`[1]`)}, messages.Invalid, "object"},
		{"unknown agent", nil, CallRequest{Agent: "nobody", Server: "s", Tool: "echo"}, messages.Invalid, "nobody"},
		{"no grant", nil, CallRequest{Agent: "poor", Server: "s", Tool: "echo"}, messages.Denied, "DENIED: "},
		{"no scope", nil, CallRequest{Agent: "scopeless", Server: "s", Tool: "echo"}, messages.Denied, "x:y"},
		{"readonly refuses writes", func(s *config.Server) { s.Rules.Tier = gov.Readonly }, CallRequest{Server: "s", Tool: "write"}, messages.Denied, "DENIED: "},
		{"readonly lets reads pass", func(s *config.Server) { s.Rules.Tier = gov.Readonly }, CallRequest{Server: "s", Tool: "echo", Arguments: echo}, messages.OK, ""},
		{"strict needs an approval", func(s *config.Server) { s.Rules.Tier = gov.Strict }, CallRequest{Server: "s", Tool: "echo"}, messages.Denied, "approval"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ws := oneServer(t, tt.change)
				withTree(ws, config.Agent{Agent: gov.Agent{ID: "poor"}, Children: []config.Agent{{
					Agent: gov.Agent{ID: "scopeless", Grants: []gov.Grant{{Via: "skill", Server: "s", Tool: "echo", Scopes: []string{"x:y"}}}},
				}}})
				f := &fakeServer{}
				s := startFake(t, ws, f)
				r := s.CallTool(context.Background(), tt.call)
				if r.Outcome != tt.want || r.Error != nil && !strings.Contains(r.Error.Message, tt.words) {
					t.Errorf("outcome %s, %+v; want %s with %q", r.Outcome, r.Error, tt.want, tt.words)
				}
				if requests, _ := f.seen(); (len(requests) > 0) != (tt.want == messages.OK) {
					t.Errorf("the server saw %v", requests)
				}
				checkRecorded(t, s, r)
			})
		})
	}
}

// checkRecorded checks that a call left one intent and one outcome, of its own kind.
func checkRecorded(t *testing.T, s *Supervisor, r messages.CallResult) {
	t.Helper()
	records, err := s.Audit(context.Background(), audit.Filter{CallID: r.CallID})
	if err != nil {
		t.Fatal(err)
	}
	records = slices.DeleteFunc(records, func(r audit.Record) bool {
		return r.EventType == audit.ApprovalRequested || r.EventType == audit.ApprovalResolved
	})
	if len(records) != 2 || records[0].EventType != audit.ToolIntent || records[1].EventType != audit.OutcomeType(r.Outcome) {
		t.Errorf("records %+v", records)
	}
}

// slow is a provider that takes its time, and notes in which order it was asked.
type slow struct {
	governance.Provider
	mu    sync.Mutex
	asked []string
	by    map[string]time.Duration
}

func (p *slow) EvaluateAction(ctx context.Context, a governance.Action) governance.Decision {
	p.mu.Lock()
	p.asked = append(p.asked, string(a.Arguments))
	p.mu.Unlock()
	select {
	case <-time.After(p.by[string(a.Arguments)]):
	case <-ctx.Done():
	}
	return governance.Decision{Allowed: true, Rule: "slow"}
}

func (p *slow) RecordEvent(context.Context, governance.Event) error { return nil }

func TestASlowProviderIsAskedInOrderAndBlocksNobodyElse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &slow{by: map[string]time.Duration{`{"text":"first"}`: time.Second}}
		f := &fakeServer{}
		s := startFake(t, oneServer(t, nil), f, WithProvider(p))
		first := begin(s, "first")
		synctest.Wait()
		second := begin(s, "second")
		began := time.Now()
		if _, err := s.Servers(context.Background()); err != nil || time.Since(began) != 0 {
			t.Errorf("the supervisor is blocked: %v after %s", err, time.Since(began))
		}
		want1(t, <-first, messages.OK, messages.RanYes)
		want1(t, <-second, messages.OK, messages.RanYes)
		if requests, _ := f.seen(); strings.Join(requests, "") != `{"text":"first"}{"text":"second"}` {
			t.Errorf("order %v", requests)
		}
	})
}

func TestAProviderThatDoesNotAnswerIsANo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &slow{by: map[string]time.Duration{`{"text":"hi"}`: time.Hour}}
		s := startFake(t, oneServer(t, nil), &fakeServer{}, WithProvider(p))
		began := time.Now()
		want1(t, call(s, "hi"), messages.Denied, messages.RanNo)
		if took := time.Since(began); took != providerTimeout {
			t.Errorf("took %s", took)
		}
	})
}

func TestAProviderCannotOpenWhatIsNotThere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ws := oneServer(t, func(s *config.Server) { s.Rules.Tools = []string{"echo"} })
		s := startFake(t, ws, &fakeServer{}, WithProvider(&slow{}))
		for _, r := range []CallRequest{{Server: "nope", Tool: "echo"}, {Server: "s", Tool: "write"}} {
			want1(t, s.CallTool(context.Background(), r), messages.Invalid, messages.RanNo)
		}
	})
}
