package control

import (
	"context"
	"net/http"

	"github.com/mcp-supervisor/supervisor/governance"
)

// gate adds what people do at the gate.
func (s *Server) gate(mux *http.ServeMux) {
	mux.Handle("GET "+pathApprovals, answer(s, noInput(s.api.Approvals)))
	mux.Handle("POST "+pathAnswer, answer(s, s.api.Answer))
	mux.Handle("GET "+pathFrozen, answer(s, noInput(s.api.Frozen)))
	mux.Handle("POST "+pathFreeze, answer(s, turning(s.api.Freeze)))
	mux.Handle("POST "+pathThaw, answer(s, turning(s.api.Thaw)))
	mux.Handle("GET "+pathChanges, answer(s, noInput(s.api.ToolChanges)))
	mux.Handle("POST "+pathApprove, answer(s, s.api.ApproveTools))
	mux.Handle("POST "+pathExplain, answer(s, s.api.Explain))
}

// noInput makes what needs no input take an empty one.
func noInput[Out any](fn func(context.Context) (Out, error)) func(context.Context, struct{}) (Out, error) {
	return func(ctx context.Context, _ struct{}) (Out, error) { return fn(ctx) }
}

// turning makes a turn of the kill switch an answer that holds what is frozen now, also when something went wrong: a
// freeze that could not be kept is in force all the same.
func turning(fn func(context.Context, governance.Frozen) (governance.Frozen, error)) func(context.Context, governance.Frozen) (frozenNow, error) {
	return func(ctx context.Context, f governance.Frozen) (frozenNow, error) {
		now, err := fn(ctx, f)
		if err != nil {
			return frozenNow{Frozen: now, Error: failureOf(err)}, nil
		}
		return frozenNow{Frozen: now}, nil
	}
}
