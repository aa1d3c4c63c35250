package governance

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-supervisor/supervisor/messages"
)

// fake is a provider that decides by a function; the rest is Builtin's.
type fake struct {
	Builtin
	decide func(ctx context.Context, a Action) Decision
}

func (f *fake) EvaluateAction(ctx context.Context, a Action) Decision { return f.decide(ctx, a) }

func TestEvaluateSettles(t *testing.T) {
	known := filesCatalogue()
	for _, tt := range []struct {
		name      string
		answer    Decision
		catalogue *Catalogue
		want      Decision
	}{
		{"yes", Decision{Allowed: true, Rule: "r"}, known, Decision{Allowed: true, Rule: "r"}},
		{"yes with an outcome", Decision{Allowed: true, Outcome: messages.Denied}, known, Decision{Allowed: true}},
		{"no", Decision{Outcome: messages.Denied, Reason: "x"}, known, Decision{Outcome: messages.Denied, Reason: "x"}},
		{"no without an outcome", Decision{}, known, Decision{Outcome: messages.Denied}},
		{"no with a senseless outcome", Decision{Outcome: messages.OK}, known, Decision{Outcome: messages.Denied}},
		{"invalid", Decision{Outcome: messages.Invalid}, known, Decision{Outcome: messages.Invalid}},
		{"yes with an approval", Decision{Allowed: true, Approve: &Approval{Reason: "why"}}, known, Decision{Allowed: true, Approve: &Approval{Reason: "why"}}},
		{"nobody is asked about a no", Decision{Outcome: messages.Denied, Approve: &Approval{Reason: "why"}}, known, Decision{Outcome: messages.Denied}},
		{"ask again", Decision{NeedsCatalogue: true}, nil, Decision{NeedsCatalogue: true}},
		{"yes and ask again", Decision{Allowed: true, NeedsCatalogue: true}, nil, Decision{NeedsCatalogue: true}},
		{"ask again for nothing", Decision{NeedsCatalogue: true, Allowed: true}, known, failed("it asks for a catalogue that it was given")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := &fake{decide: func(context.Context, Action) Decision { return tt.answer }}
			for _, timeout := range []time.Duration{0, time.Minute} {
				if diff := cmp.Diff(tt.want, Evaluate(t.Context(), p, Action{Catalogue: tt.catalogue}, timeout)); diff != "" {
					t.Errorf("time-out %v: -want +got:\n%s", timeout, diff)
				}
			}
		})
	}
}

func TestEvaluateFailsClosed(t *testing.T) {
	gone, cancel := context.WithCancel(context.Background())
	cancel()
	for _, tt := range []struct {
		name       string
		ctx        context.Context
		provider   Provider
		diagnostic string
	}{
		{"panic", context.Background(), &fake{decide: func(context.Context, Action) Decision { panic("boom") }}, "panic: boom"},
		{"nil provider", context.Background(), nil, "nil pointer"},
		{"caller gone", gone, NewBuiltin(Snapshot{}), "context canceled"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, timeout := range []time.Duration{0, time.Minute} {
				d := Evaluate(tt.ctx, tt.provider, Action{}, timeout)
				if d.Allowed || d.Outcome != messages.Denied || d.Rule != RuleProvider {
					t.Errorf("time-out %v: got %+v, want denied by provider", timeout, d)
				}
				if !strings.Contains(d.Diagnostic, tt.diagnostic) || strings.Contains(d.Reason, tt.diagnostic) {
					t.Errorf("time-out %v: diagnostic %q, reason %q", timeout, d.Diagnostic, d.Reason)
				}
			}
		})
	}
}

func TestEvaluateTimesOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stuck := make(chan struct{})
		p := &fake{decide: func(context.Context, Action) Decision { <-stuck; return Decision{Allowed: true} }}
		before := time.Now()
		d := Evaluate(context.Background(), p, Action{}, 2*time.Second)
		if waited := time.Since(before); waited != 2*time.Second {
			t.Errorf("waited %v, want 2s", waited)
		}
		if d.Allowed || d.Rule != RuleProvider {
			t.Errorf("got %+v, want denied by provider", d)
		}
		close(stuck) // the late yes is dropped
	})
}
