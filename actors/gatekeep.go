package actors

import (
	"context"

	"github.com/mcp-supervisor/supervisor/governance/approval"
	"github.com/mcp-supervisor/supervisor/messages"
)

// ApprovalAnswer is a person's answer to a call that waits for one.
type ApprovalAnswer struct {
	// ID is the approval's id; see [approval.Book.Answer].
	ID      string           `json:"id"`
	Verdict approval.Verdict `json:"verdict"`
	// By is who answers and Comment what they say to it; both go into the audit.
	By      string `json:"by,omitempty"`
	Comment string `json:"comment,omitempty"`
}

// ToolApproval names tools that are to be taken as they are now.
type ToolApproval struct {
	Server string   `json:"server"`
	Tools  []string `json:"tools,omitempty"` // none: all that the server offers
}

// ToolChange is a tool that is not as it was approved in tools.lock.
type ToolChange struct {
	Server string `json:"server"`
	Tool   string `json:"tool"`
	// Kind is new, changed or gone.
	Kind string `json:"kind"`
	// Text is one line for a person; What names the parts that differ, where that is known.
	Text string   `json:"text"`
	What []string `json:"what,omitempty"`
}

// Approvals implements [API].
func (s *Supervisor) Approvals(ctx context.Context) ([]approval.Pending, error) {
	reply, err := s.env.askSurely(ctx, s.env.approvals, listAsked{})
	if err != nil {
		return nil, interruptedBy(ctx, err)
	}
	list, _ := reply.([]approval.Pending)
	return list, nil
}

// Answer implements [API].
func (s *Supervisor) Answer(ctx context.Context, a ApprovalAnswer) (approval.Outcome, error) {
	reply, err := s.env.askSurely(ctx, s.env.approvals, answerAsked(a))
	if err != nil {
		return approval.Outcome{}, interruptedBy(ctx, err)
	}
	m, _ := reply.(answerTaken)
	if m.Error != "" {
		return approval.Outcome{}, &RunError{Outcome: messages.Invalid, Message: m.Error}
	}
	return m.Outcome, nil
}

// ToolChanges implements [API].
func (s *Supervisor) ToolChanges(ctx context.Context) ([]ToolChange, error) {
	reply, err := s.env.askSurely(ctx, s.env.pins, listChanges{})
	if err != nil {
		return nil, interruptedBy(ctx, err)
	}
	list, _ := reply.([]ToolChange)
	return list, nil
}

// ApproveTools implements [API].
func (s *Supervisor) ApproveTools(ctx context.Context, a ToolApproval) ([]ToolChange, error) {
	if err := s.checkServer(a.Server); err != nil {
		return nil, err
	}
	reply, err := s.env.askSurely(ctx, s.env.pins, approveTools(a))
	if err != nil {
		return nil, interruptedBy(ctx, err)
	}
	m, _ := reply.(toolsApproved)
	if m.Error != "" {
		return nil, &RunError{Outcome: messages.Unavailable, Message: m.Error}
	}
	return m.Changes, nil
}
