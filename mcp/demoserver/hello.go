package demoserver

import (
	"context"
	"fmt"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

type greeting struct {
	Audience string `json:"audience" jsonschema:"who is greeted"`
}

func openHello(h *host, _ []string) error {
	addTool(h, sdk.Tool{Name: "greet", Description: "Greets somebody.", Annotations: reads()},
		func(_ context.Context, in greeting) (string, error) {
			return fmt.Sprintf("Hello, %s!", in.Audience), nil
		})
	return nil
}
