package main

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/mcp-supervisor/supervisor/governance"
	"github.com/mcp-supervisor/supervisor/governance/policy"
	gov "github.com/mcp-supervisor/supervisor/governance/spec"
	"github.com/mcp-supervisor/supervisor/mcp/spec"
)

// decision is the gate's decision about a call of echo, without the call.
type decision struct {
	provider *governance.Builtin
	action   governance.Action
}

func newDecision(n int) (caller, error) {
	snapshot := governance.Snapshot{
		Agents: []governance.AgentIn{{Topology: "bench", Agent: gov.Agent{
			ID: "caller", Role: "root", Groups: []string{"callers"},
			Grants: []gov.Grant{{Via: "server:echo", Server: "echo", Tool: "*"}},
		}}},
		Servers: []gov.Server{{ID: "echo"}},
	}
	if n != none {
		set, err := policy.Load(policyFiles(n))
		if err != nil {
			return nil, err
		}
		snapshot.Policies = set
	}
	yes := true
	offer := &spec.Catalogue{Tools: []spec.Tool{{
		Name: "echo", InputSchema: json.RawMessage(echoSchema), Annotations: spec.Annotations{ReadOnly: &yes},
	}}}
	return &decision{governance.NewBuiltin(snapshot), governance.Action{
		Agent: "caller", Server: "echo", Tool: "echo", Arguments: hi,
		Catalogue: governance.NewCatalogue(offer, snapshot.Servers[0]), Now: time.Now(),
	}}, nil
}

func (d *decision) call(ctx context.Context) error {
	if said := d.provider.EvaluateAction(ctx, d.action); !said.Allowed {
		return fmt.Errorf("refused by %s: %s", said.Rule, said.Reason)
	}
	return nil
}

func (d *decision) close() {}
