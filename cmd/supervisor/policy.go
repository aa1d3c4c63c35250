package main

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/mcp-supervisor/supervisor/actors"
	"github.com/mcp-supervisor/supervisor/config"
	"github.com/mcp-supervisor/supervisor/governance/policy"
	mcpspec "github.com/mcp-supervisor/supervisor/mcp/spec"
)

func (a *app) policyCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "policy",
		Short: "Check, test and explain the workspace's policies",
		Args:  cobra.NoArgs,
		RunE:  func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(a.policyCheckCommand(), a.policyTestCommand(), a.policyExplainCommand(), a.policySchemaCommand())
	return c
}

// policiesOf compiles the policies of a workspace; nil when it has none. Errors: policy.Faults.
func policiesOf(ws *config.Workspace) (*policy.Set, error) {
	if ws.Governance.Policies == nil {
		return nil, nil
	}
	var files []policy.File
	for _, f := range ws.Governance.Policies.Files {
		files = append(files, policy.File{Name: f.Name, Text: f.Text})
	}
	return policy.Load(files)
}

// checkPolicies are the faults that keep a workspace's policies from being used.
func checkPolicies(ws *config.Workspace) (faults config.Faults) {
	_, err := policiesOf(ws)
	var wrong policy.Faults
	errors.As(err, &wrong)
	for _, f := range wrong {
		at := config.Fault{File: f.File, Line: f.Line, Column: f.Column, Message: f.Message, Fix: f.Fix}
		if f.Rule != "" {
			at.Field = "policy " + f.Rule
		}
		faults = append(faults, at)
	}
	return faults
}

// worldOf is what policies of a workspace can be about. Nothing is said about the tools of servers that are not in known.
func worldOf(ws *config.Workspace, tools []actors.ToolInfo, known func(server string) bool) policy.World {
	var w policy.World
	for _, a := range ws.Agents() {
		w.Agents = append(w.Agents, policy.Agent{Topology: a.Topology, ID: a.ID, Role: a.Role, Groups: a.Groups})
	}
	for _, s := range ws.Servers {
		server := policy.ServerTools{ID: s.ID}
		if known(s.ID) && !s.Disabled {
			server.Tools = toolsOf(tools, s.ID)
		}
		w.Servers = append(w.Servers, server)
	}
	return w
}

func toolsOf(tools []actors.ToolInfo, server string) []mcpspec.Tool {
	list := []mcpspec.Tool{}
	for _, t := range tools {
		if t.Server == server {
			list = append(list, mcpspec.Tool{Name: t.Name, Description: t.Description, InputSchema: t.InputSchema, Annotations: t.Annotations})
		}
	}
	return list
}
