package actors

import (
	"context"

	"github.com/mcp-supervisor/supervisor/governance"
	"github.com/mcp-supervisor/supervisor/governance/approval"
	"github.com/mcp-supervisor/supervisor/messages"
)

// Gatekeeper is what people do at the gate of a running supervisor. [Supervisor] implements it; the control socket's
// client does too.
type Gatekeeper interface {
	// Approvals lists the calls that wait for a person's yes, the oldest first. Their arguments are masked, and redacted
	// where a policy asks for it.
	Approvals(ctx context.Context) ([]approval.Pending, error)
	// Answer answers one of them; the first answer counts. Errors: a [RunError] that says invalid for an approval that is
	// unknown, was answered, or whose time is over.
	Answer(ctx context.Context, a ApprovalAnswer) (approval.Outcome, error)
	// Freeze throws the kill switch: calls of these agents and to these servers are denied from now on, those that wait
	// are refused, and those that run are cancelled (they may have taken effect). It holds until Thaw, also after a
	// restart of the supervisor. It returns all that is frozen now.
	// Errors: a [RunError] that says invalid for an agent or server that is not declared; a folder that cannot be
	// written, and then the freeze is in force all the same, until the supervisor ends.
	Freeze(ctx context.Context, f governance.Frozen) (governance.Frozen, error)
	// Thaw takes back what was frozen. Thawing everything thaws agents and servers that were frozen by name, too. Names
	// which are not declared any more are fine.
	Thaw(ctx context.Context, f governance.Frozen) (governance.Frozen, error)
	// Frozen is what is frozen now.
	Frozen(ctx context.Context) (governance.Frozen, error)
	// ToolChanges lists the tools of servers that were up since the start which are not as they were approved in
	// tools.lock; none where governance.pinning is off.
	ToolChanges(ctx context.Context) ([]ToolChange, error)
	// ApproveTools approves tools as they are now, writes tools.lock, and returns what changed by it.
	// Errors: a [RunError] that says invalid for an unknown server, unavailable when its tools are not known.
	ApproveTools(ctx context.Context, a ToolApproval) ([]ToolChange, error)
	// Explain decides about a call without making it, and says why. Budgets and rates are not asked. A server whose tools
	// are not known is started. Errors: a [RunError] that says invalid for an unknown server or agent, unavailable when
	// the tools could not be learnt.
	Explain(ctx context.Context, r CallRequest) (Explanation, error)
}

var _ Gatekeeper = (*Supervisor)(nil)

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

// Approvals implements [Gatekeeper].
func (s *Supervisor) Approvals(ctx context.Context) ([]approval.Pending, error) {
	reply, err := s.env.askSurely(ctx, s.env.approvals, listAsked{})
	if err != nil {
		return nil, interruptedBy(ctx, err)
	}
	list, _ := reply.([]approval.Pending)
	return list, nil
}

// Answer implements [Gatekeeper].
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

// ToolChanges implements [Gatekeeper].
func (s *Supervisor) ToolChanges(ctx context.Context) ([]ToolChange, error) {
	for _, declared := range s.env.ws().Servers {
		s.tellPins(ctx, declared.ID)
	}
	reply, err := s.env.askSurely(ctx, s.env.pins, listChanges{})
	if err != nil {
		return nil, interruptedBy(ctx, err)
	}
	list, _ := reply.([]ToolChange)
	return list, nil
}

// ApproveTools implements [Gatekeeper].
func (s *Supervisor) ApproveTools(ctx context.Context, a ToolApproval) ([]ToolChange, error) {
	if err := s.checkServer(a.Server); err != nil {
		return nil, err
	}
	s.tellPins(ctx, a.Server)
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

// tellPins waits until a server's actor has handed on what its instance told it before: whoever was told that a server is
// up may ask about its tools at once.
func (s *Supervisor) tellPins(ctx context.Context, server string) {
	if declared, ok := s.env.ws().Server(server); ok && !declared.Disabled {
		_, _ = s.env.ask(ctx, s.env.serverPID(server), ready{}) // one that is being replaced tells pins when it is back
	}
}
