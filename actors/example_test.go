package actors_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"

	"github.com/mcp-supervisor/supervisor/actors"
	"github.com/mcp-supervisor/supervisor/config"
	"github.com/mcp-supervisor/supervisor/mcp/spec"
)

// A Go program that embeds a supervisor: it loads a workspace, makes one governed call, and stops.
func Example() {
	ws, err := config.Load("../examples/hello-swarm", config.Options{})
	if err != nil {
		log.Fatal(err) // every fault of the files, with file, line and fix
	}
	state, _ := os.MkdirTemp("", "state") // without WithStateDir it is the workspace's .supervisor
	defer os.RemoveAll(state)
	ctx := context.Background()
	s, err := actors.Start(ctx, ws, actors.WithStateDir(state))
	if err != nil {
		log.Fatal(err)
	}
	defer s.Stop(ctx)
	r := s.CallTool(ctx, actors.CallRequest{
		Server: "hello", Tool: "greet", Arguments: json.RawMessage(`{"audience": "gophers"}`),
	})
	fmt.Println(r.Outcome, spec.Text(r.Result))
	// Output: ok Hello, gophers!
}
