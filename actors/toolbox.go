package actors

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/mcp-supervisor/supervisor/config"
	gov "github.com/mcp-supervisor/supervisor/governance/spec"

	"github.com/mcp-supervisor/supervisor/governance"
	"github.com/mcp-supervisor/supervisor/mcp/names"
	mcpspec "github.com/mcp-supervisor/supervisor/mcp/spec"
	"github.com/mcp-supervisor/supervisor/messages"
	"github.com/mcp-supervisor/supervisor/models"
)

// toolbox is what one agent may call and under which names. It grants nothing: the gate decides on each call.
type toolbox struct {
	ws       *config.Workspace
	agent    config.Agent
	known    map[string]*governance.Catalogue
	awaited  map[string]bool // wholly granted servers whose tools are not known yet
	exported *names.Names
}

// target is what a name stands for. A name that stands for nothing is its own tool on no server: the gate refuses it,
// and the audit has it.
type target struct {
	server, tool string
	defaults     map[string]any
}

func newToolbox(ws *config.Workspace, agent config.Agent) *toolbox {
	b := &toolbox{ws: ws, agent: agent, known: map[string]*governance.Catalogue{}, awaited: map[string]bool{}}
	for _, g := range agent.Grants {
		if g.Tool == "*" {
			for _, s := range b.granted(g) {
				b.awaited[s.ID] = true
			}
		}
	}
	b.name()
	return b
}

// granted are the enabled servers of a grant.
func (b *toolbox) granted(g gov.Grant) []config.Server {
	var list []config.Server
	for _, s := range b.ws.Servers {
		if !s.Disabled && (g.Server == s.ID || g.Server == "*") {
			list = append(list, s)
		}
	}
	return list
}

// servers are all servers the agent may reach.
func (b *toolbox) servers() []string {
	var ids []string
	for _, g := range b.agent.Grants {
		for _, s := range b.granted(g) {
			if !slices.Contains(ids, s.ID) {
				ids = append(ids, s.ID)
			}
		}
	}
	return ids
}

func (b *toolbox) ready() bool { return len(b.awaited) == 0 }

func (b *toolbox) learn(m catalogueKnown) {
	b.known[m.Server] = m.Catalogue
	delete(b.awaited, m.Server)
	b.name()
}

func (b *toolbox) giveUp(server string) { delete(b.awaited, server) }

// entry is one tool the agent may reach.
type entry struct {
	names.Entry
	description string
	schema      json.RawMessage
}

func (b *toolbox) entries() []entry {
	var list []entry
	seen := map[[2]string]bool{}
	for _, g := range b.agent.Grants {
		for _, s := range b.granted(g) {
			for _, tool := range b.toolsOf(g, s.ID) {
				if key := [2]string{s.ID, tool.Name}; !seen[key] {
					seen[key] = true
					list = append(list, entry{names.Entry{Server: s.ID, Prefix: s.Prefix, Tool: tool.Name}, tool.Description, tool.InputSchema})
				}
			}
		}
	}
	return list
}

// toolsOf are the tools of one grant on one server, as far as they are known.
func (b *toolbox) toolsOf(g gov.Grant, server string) []mcpspec.Tool {
	var list []mcpspec.Tool
	if catalogue := b.known[server]; catalogue != nil {
		for _, t := range catalogue.Tools() {
			if g.Tool == "*" || g.Tool == t.Name {
				list = append(list, t.Tool)
			}
		}
	} else if g.Tool != "*" {
		list = append(list, mcpspec.Tool{Name: g.Tool})
	}
	return list
}

func (b *toolbox) name() {
	var list []names.Entry
	for _, e := range b.entries() {
		list = append(list, e.Entry)
	}
	b.exported = names.Table(list)
}

// tools is what the model gets to see: tools by their exported names, and children.
func (b *toolbox) tools() []models.Tool {
	var list []models.Tool
	for _, e := range b.entries() {
		if name := b.exported.Exported(e.Server, e.Tool); name != "" {
			list = append(list, models.Tool{Name: name, Description: e.description, InputSchema: e.schema})
		}
	}
	for _, child := range b.agent.Children {
		list = append(list, models.Tool{
			Name: child.ID, Description: "delegate a task to the agent " + child.ID + " and get its answer",
			InputSchema: json.RawMessage(`{"type":"object","properties":{"task":{"type":"string"}},"required":["task"]}`),
		})
	}
	return list
}

func (b *toolbox) child(name string) (config.Agent, bool) {
	for _, child := range b.agent.Children {
		if child.ID == name {
			return child, true
		}
	}
	return config.Agent{}, false
}

// resolve finds what a model means: an exported name, the id of a skill the agent holds, or server/tool.
func (b *toolbox) resolve(name string) target {
	if server, tool, ok := b.exported.Lookup(name); ok {
		return target{server: server, tool: tool, defaults: b.defaults(server, tool)}
	}
	if skill, ok := b.ws.Skills[name]; ok && slices.Contains(b.agent.Skills, name) && skill.Server != "" {
		return target{server: skill.Server, tool: skill.Tool, defaults: skill.Arguments}
	}
	for _, s := range b.ws.Servers {
		if rest, ok := cutServer(name, s.ID); ok {
			return target{server: s.ID, tool: rest, defaults: b.defaults(s.ID, rest)}
		}
	}
	return target{tool: name}
}

func cutServer(name, server string) (string, bool) {
	if len(name) > len(server)+1 && name[:len(server)] == server && name[len(server)] == '/' {
		return name[len(server)+1:], true
	}
	return "", false
}

// defaults are the arguments that a skill of the agent sets for a tool.
func (b *toolbox) defaults(server, tool string) map[string]any {
	for _, id := range b.agent.Skills {
		if s := b.ws.Skills[id]; s.Server == server && s.Tool == tool {
			return s.Arguments
		}
	}
	return nil
}

// withDefaults puts a skill's arguments under the model's.
func withDefaults(given json.RawMessage, defaults map[string]any) json.RawMessage {
	if len(defaults) == 0 {
		return given
	}
	merged := map[string]json.RawMessage{}
	for key, value := range defaults {
		if raw, err := json.Marshal(value); err == nil {
			merged[key] = raw
		}
	}
	var own map[string]json.RawMessage
	if len(given) > 0 && json.Unmarshal(given, &own) != nil {
		return given // not an object: the gate says so
	}
	maps.Copy(merged, own)
	raw, err := json.Marshal(merged)
	if err != nil {
		return given
	}
	return raw
}

// delegated is the task in a delegation: its `task` (or `input`) argument, else the parent's own input.
func delegated(arguments json.RawMessage, inherited string) string {
	var given struct {
		Task  *string `json:"task"`
		Input *string `json:"input"`
	}
	if json.Unmarshal(arguments, &given) == nil {
		switch {
		case given.Task != nil:
			return *given.Task
		case given.Input != nil:
			return *given.Input
		}
	}
	return inherited
}

// readable is what a model reads of a result: the tool's words, or a sentence that says why there are none.
func readable(r messages.CallResult) string {
	switch {
	case r.Error != nil && r.Error.Message != "":
		return r.Error.Message
	case r.Error != nil:
		return string(r.Outcome)
	}
	return mcpspec.Text(r.Result)
}
