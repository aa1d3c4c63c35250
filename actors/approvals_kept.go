package actors

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/mcp-supervisor/supervisor/governance/approval"
	"github.com/mcp-supervisor/supervisor/governance/audit"
	"github.com/mcp-supervisor/supervisor/messages"
)

// asked is the list of open questions in the state folder. Only the approvals actor uses it.
type asked struct{ path string }

func newAsked(stateDir string) asked { return asked{path: filepath.Join(stateDir, "approvals.json")} }

// keep replaces the list. The arguments are not in it: nobody is shown them again, and they may be large.
func (a asked) keep(list []approval.Pending) error {
	if len(list) == 0 {
		if err := os.Remove(a.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	list = slices.Clone(list)
	for n := range list {
		list[n].Arguments = nil
	}
	raw, err := json.Marshal(list)
	if err != nil {
		return err
	}
	if err := os.WriteFile(a.path+".next", raw, 0o600); err != nil {
		return err
	}
	return os.Rename(a.path+".next", a.path)
}

// take empties the list and returns what was on it. Half of a file is none: the questions in it stay without their last
// record, and their calls were never sent.
func (a asked) take() []approval.Pending {
	raw, err := os.ReadFile(a.path)
	if err != nil {
		return nil
	}
	var list []approval.Pending
	_ = json.Unmarshal(raw, &list)
	_ = os.Remove(a.path)
	return list
}

// resolution is how a question ended, for the audit.
type resolution struct {
	Verdict string `json:"verdict"`
	By      string `json:"by,omitempty"`
	Comment string `json:"comment,omitempty"`
}

func (a *approvals) resolved(p approval.Pending, r resolution) {
	a.record(audit.ApprovalResolved, p, r)
	a.env.hub.publish(messages.Event{
		Kind: messages.ApprovalResolved, Server: p.Server, Tool: p.Tool, Agent: p.Agent, Run: p.Run, CallID: p.CallID,
		Detail: p.ID + ": " + r.Verdict,
	})
}

// record writes a question, or its end, into the audit. The binding is in it, so that it can be seen later what exactly
// was approved.
func (a *approvals) record(kind audit.EventType, p approval.Pending, end any) {
	payload := map[string]any{
		"approval": p.ID, "digest": p.Digest, "tool_hash": p.ToolHash, "policy_version": p.PolicyVersion,
		"reason": p.Reason, "expires": p.Expires,
	}
	if end != nil {
		payload["resolution"] = end
	}
	r := audit.Fact(kind, payload)
	r.CallID, r.AgentID, r.TopologyID, r.RunID, r.Server, r.Tool = p.CallID, p.Agent, p.Topology, p.Run, p.Server, p.Tool
	r.PolicyRule = p.Rule
	a.env.record(a.env.masked(r))
}
