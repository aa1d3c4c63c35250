package policy

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/cedar-policy/cedar-go"

	"github.com/mcp-supervisor/supervisor/governance/spec"
	mcpspec "github.com/mcp-supervisor/supervisor/mcp/spec"
)

// World is what policies can be about: the agents and servers of a workspace.
type World struct {
	// Agents are the declared ones. The operator is always there.
	Agents  []Agent
	Servers []ServerTools
}

// ServerTools is a server and what it offers.
type ServerTools struct {
	ID string
	// Tools are the server's tools; nil while they are not known. Nothing is said about the tools of such a server.
	Tools []mcpspec.Tool
}

// resource is a tool as a scope sees it, or a server whose tools are not known.
type resource struct {
	tool, server cedar.EntityUID
	known        bool
	// arguments are the names the tool's schema declares; nil when it may take any.
	arguments []string
}

func (w World) resources() []resource {
	var all []resource
	for _, s := range w.Servers {
		server := cedar.NewEntityUID(typeServer, cedar.String(s.ID))
		if s.Tools == nil {
			all = append(all, resource{server: server})
		}
		for _, t := range s.Tools {
			uid := cedar.NewEntityUID(typeTool, cedar.String(s.ID+"/"+t.Name))
			all = append(all, resource{uid, server, true, argumentNames(t.InputSchema)})
		}
	}
	return all
}

// coveredBy reports whether a scope may cover the resource.
func (r resource) coveredBy(s scope) bool {
	if r.known {
		return s.covers(r.tool, r.server)
	}
	return (s.is == "" || s.is == typeTool) && (!s.bound || slices.ContainsFunc(s.of, func(e cedar.EntityUID) bool {
		return e == r.server && !s.eq || serverOf(e) == r.server.ID
	}))
}

// serverOf is the server in the name of a tool; empty for other entities.
func serverOf(e cedar.EntityUID) cedar.String {
	server, _, found := strings.Cut(string(e.ID), "/")
	if e.Type != typeTool || !found {
		return ""
	}
	return cedar.String(server)
}

// inputSchema is the part of a tool's JSON Schema that we read.
type inputSchema struct {
	Type       json.RawMessage            `json:"type"`
	Items      json.RawMessage            `json:"items"`
	Properties map[string]json.RawMessage `json:"properties"`
	Required   []string                   `json:"required"`
	Additional json.RawMessage            `json:"additionalProperties"`
	Patterns   json.RawMessage            `json:"patternProperties"`
}

// argumentNames are the arguments a schema declares; nil when it declares none, or says that it takes others too.
func argumentNames(raw json.RawMessage) []string {
	var s inputSchema
	if json.Unmarshal(raw, &s) != nil || len(s.Properties) == 0 || s.Patterns != nil {
		return nil
	}
	if s.Additional != nil && string(s.Additional) != "false" {
		return nil
	}
	return slices.Sorted(maps.Keys(s.Properties))
}

// known are the ids that exist, by type of entity. Tools of servers that are not known are not in it.
func (w World) known() map[cedar.EntityType][]string {
	k := map[cedar.EntityType][]string{
		typeAction: {string(callTool.ID)},
		typeRole:   roles,
		typeAgent:  {spec.Operator},
		typeGroup:  nil,
		typeServer: nil,
		typeTool:   nil,
	}
	for _, a := range w.Agents {
		k[typeAgent] = append(k[typeAgent], string(a.uid().ID))
		k[typeGroup] = append(k[typeGroup], a.Groups...)
	}
	for _, s := range w.Servers {
		k[typeServer] = append(k[typeServer], s.ID)
		for _, t := range s.Tools {
			k[typeTool] = append(k[typeTool], s.ID+"/"+t.Name)
		}
	}
	return k
}
