package actors

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/mcp-supervisor/supervisor/config"
	gov "github.com/mcp-supervisor/supervisor/governance/spec"
	"github.com/mcp-supervisor/supervisor/messages"
)

// Servers implements [API].
func (s *Supervisor) Servers(ctx context.Context) ([]messages.ServerStatus, error) {
	var list []messages.ServerStatus
	for _, declared := range s.env.ws().Servers {
		if declared.Disabled {
			list = append(list, disabledStatus(declared))
			continue
		}
		status, err := s.status(ctx, declared.ID)
		if err != nil {
			return nil, err
		}
		list = append(list, status)
	}
	return list, nil
}

// status asks the instance, or its parent while it is being replaced.
func (s *Supervisor) status(ctx context.Context, id string) (messages.ServerStatus, error) {
	reply, err := s.env.ask(ctx, s.env.instance(id), statusQuery{})
	if errors.Is(err, errGone) && !s.env.gone() {
		reply, err = s.env.ask(ctx, s.env.serverPID(id), statusQuery{})
	}
	if errors.Is(err, errGone) && !s.env.gone() {
		return brokenStatus(id), nil
	}
	if err != nil {
		return messages.ServerStatus{}, err
	}
	status, _ := reply.(messages.ServerStatus)
	return status, nil
}

// Tools implements [API].
func (s *Supervisor) Tools(ctx context.Context, q ToolsQuery) (ToolsResult, error) {
	agent, err := s.agentFor(q.Agent)
	if err != nil {
		return ToolsResult{}, err
	}
	if q.Server != "" {
		if err := s.checkServer(q.Server); err != nil {
			return ToolsResult{}, err
		}
	}
	box := newToolbox(s.env.ws(), agent)
	var result ToolsResult
	stale := map[string]bool{}
	answers := s.env.wantAll(ctx, box.servers(), q.Server, want{Names: true})
	for _, id := range box.servers() {
		switch m := answers[id].(type) {
		case catalogueKnown:
			box.learn(m)
			result.Warnings = append(result.Warnings, m.Catalogue.Warnings...)
		case startFailed:
			result.Down = append(result.Down, DownServer{Server: id, Error: &m.Error})
			stale[id] = true
		}
		if last, ok := s.env.recall(id); ok && box.known[id] == nil {
			box.learn(last) // so that the tools have their names, also beside those of other servers
		}
	}
	result.Tools = s.infos(box, q.Server, stale)
	return result, ctx.Err()
}

// agentFor finds an agent by the name a user gives; no name is the operator.
func (s *Supervisor) agentFor(name string) (config.Agent, error) {
	topology, id := caller(name)
	var found []config.AgentIn
	for _, a := range s.env.ws().Agents() {
		if a.ID == id && (topology == "" || topology == a.Topology) {
			found = append(found, a)
		}
	}
	switch {
	case len(found) == 1:
		return found[0].Agent, nil
	case len(found) > 1:
		return config.Agent{}, invalid("agent `%s` is declared in several topologies: write TOPOLOGY/%s", id, id)
	case topology == "" && id == gov.Operator:
		all := gov.Grant{Via: gov.Operator, Server: "*", Tool: "*"}
		return config.Agent{Agent: gov.Agent{ID: id, Grants: []gov.Grant{all}}}, nil
	}
	return config.Agent{}, invalid("there is no agent `%s` in this workspace", name)
}

func invalid(format string, args ...any) error {
	return &RunError{Outcome: messages.Invalid, Message: fmt.Sprintf(format, args...)}
}

func (s *Supervisor) checkServer(id string) error {
	declared, ok := s.env.ws().Server(id)
	switch {
	case !ok:
		return invalid("there is no MCP server `%s` in this workspace", id)
	case declared.Disabled:
		return invalid("MCP server `%s` is disabled in this workspace", id)
	}
	return nil
}

// wantAll asks servers for their tools, all at the same time, and waits for each inside its start time-out.
func (e *env) wantAll(ctx context.Context, ids []string, only string, ask want) map[string]any {
	boxes := map[string]*replyBox{}
	for _, id := range ids {
		if only == "" || only == id {
			box, self := e.openBox()
			defer e.closeBox(self)
			boxes[id] = box
			e.root.RequestWithCustomSender(e.instance(id), ask, self)
		}
	}
	answers := map[string]any{}
	for id, box := range boxes {
		declared, _ := e.ws().Server(id)
		limit, cancel := context.WithTimeout(ctx, e.startWait(declared)+2*declared.StopGrace+time.Second)
		answer, err := e.await(limit, box)
		cancel()
		if err != nil {
			answer = startFailed{Server: id, Error: messages.CallError{Kind: string(messages.Unavailable), Message: err.Error()}}
		}
		answers[id] = answer
	}
	return answers
}

// infos lists the tools in a box, in the order of the workspace.
func (s *Supervisor) infos(box *toolbox, only string, stale map[string]bool) []ToolInfo {
	var list []ToolInfo
	for _, e := range box.entries() {
		catalogue := box.known[e.Server]
		if catalogue == nil || only != "" && only != e.Server {
			continue
		}
		tool, _ := catalogue.Find(e.Tool)
		declared, _ := s.env.ws().Server(e.Server)
		list = append(list, ToolInfo{
			Server: e.Server, Name: e.Tool, Exported: box.exported.Exported(e.Server, e.Tool), Description: tool.Description,
			Effect: string(tool.Effect), Tier: string(declared.Rules.TierOf(e.Tool)), InputSchema: tool.InputSchema,
			Annotations: tool.Annotations, Hash: tool.Hash, Stale: stale[e.Server],
		})
	}
	return list
}

// warm starts servers that are not up, unless they are lazy, and waits for none.
func (e *env) warm(ids []string) {
	for _, id := range ids {
		if declared, _ := e.ws().Server(id); declared.Start != config.StartLazy {
			e.send(e.instance(id), wakeUp{})
		}
	}
}
