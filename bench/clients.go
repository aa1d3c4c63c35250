package main

import (
	"context"
	"encoding/json"
	"os/exec"
	"strconv"

	"github.com/mark3labs/mcp-go/client"
	mark "github.com/mark3labs/mcp-go/mcp"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcp-supervisor/supervisor/mcp"
	"github.com/mcp-supervisor/supervisor/mcp/spec"
)

var hi = json.RawMessage(`{"text":"hi"}`)

// goSDK is a bare session of the official SDK.
type goSDK struct{ session *sdk.ClientSession }

func newGoSDK(self string, size int) (caller, error) {
	c := sdk.NewClient(&sdk.Implementation{Name: "bench", Version: "1"}, nil)
	transport := &sdk.CommandTransport{Command: exec.Command(self, "serve", strconv.Itoa(size))}
	session, err := c.Connect(context.Background(), transport, &sdk.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	return &goSDK{session}, err
}

func (b *goSDK) call(ctx context.Context) error {
	_, err := b.session.CallTool(ctx, &sdk.CallToolParams{Name: "echo", Arguments: hi})
	return err
}

func (b *goSDK) close() { _ = b.session.Close() }

// mcpGo is a bare client of mark3labs/mcp-go.
type mcpGo struct{ client *client.Client }

func newMCPGo(self string, size int) (caller, error) {
	c, err := client.NewStdioMCPClient(self, nil, "serve", strconv.Itoa(size))
	if err != nil {
		return nil, err
	}
	var r mark.InitializeRequest
	r.Params.ProtocolVersion = mark.LATEST_PROTOCOL_VERSION
	r.Params.ClientInfo = mark.Implementation{Name: "bench", Version: "1"}
	_, err = c.Initialize(context.Background(), r)
	return &mcpGo{c}, err
}

func (b *mcpGo) call(ctx context.Context) error {
	var r mark.CallToolRequest
	r.Params.Name, r.Params.Arguments = "echo", hi
	_, err := b.client.CallTool(ctx, r)
	return err
}

func (b *mcpGo) close() { _ = b.client.Close() }

// ours is a session of package mcp: no actors, no gate.
type ours struct{ session *mcp.Session }

func newOurs(self string, size int) (caller, error) {
	s, err := mcp.Open(context.Background(), spec.Server{
		ID: "echo", Transport: spec.Stdio, Command: []string{self, "serve", strconv.Itoa(size)},
	}, mcp.Options{})
	return &ours{s}, err
}

func (b *ours) call(ctx context.Context) error {
	ended := make(chan error, 1)
	cancel := b.session.Call(spec.CallRequest{Tool: "echo", Arguments: hi}, func(r spec.Reply) { ended <- r.Err })
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
		cancel("the bench is over")
		return <-ended
	}
}

func (b *ours) close() { b.session.Close() }
