package demoserver

import (
	"context"
	"encoding/json"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// openEcho adds raw tools: the SDK neither validates nor decodes their arguments, which saves most of what a call costs.
func openEcho(h *host, _ []string) error {
	h.AddTool(&sdk.Tool{
		Name: "echo", Description: "Says what it was given.", Annotations: reads(),
		InputSchema: json.RawMessage(`{"type":"object","properties":{"text":{"type":"string"}},"required":["text"],"additionalProperties":false}`),
	}, echo)
	pong := text("pong")
	h.AddTool(&sdk.Tool{
		Name: "ping", Description: "Says pong.", Annotations: reads(),
		InputSchema: json.RawMessage(`{"type":"object","properties":{},"additionalProperties":false}`),
	}, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) { return pong, nil })
	return nil
}

func echo(_ context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	var in struct{ Text *string }
	if err := json.Unmarshal(r.Params.Arguments, &in); err != nil || in.Text == nil {
		res := text(`echo wants {"text": "..."}`)
		res.IsError = true
		return res, nil
	}
	return text(*in.Text), nil
}
