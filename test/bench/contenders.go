package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcp-supervisor/supervisor/actors"
	"github.com/mcp-supervisor/supervisor/config"
	"github.com/mcp-supervisor/supervisor/internal/safe"
	"github.com/mcp-supervisor/supervisor/messages"
)

var hi = json.RawMessage(`{"text":"hi"}`)

// bare is a go-sdk session, as every client has it.
type bare struct{ session *sdk.ClientSession }

func newBare(binary string) (*bare, error) {
	client := sdk.NewClient(&sdk.Implementation{Name: "bench", Version: "1"}, nil)
	transport := &sdk.CommandTransport{Command: exec.Command(binary, "demo-server", "echo")}
	session, err := client.Connect(context.Background(), transport, &sdk.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	return &bare{session}, err
}

func (b *bare) call(ctx context.Context) error {
	_, err := b.session.CallTool(ctx, &sdk.CallToolParams{Name: "echo", Arguments: hi})
	return err
}

func (b *bare) close() { _ = b.session.Close() }

// governed is a call through everything: gate, journal, instance, session.
type governed struct{ s *actors.Supervisor }

const governedYAML = `apiVersion: supervisor/v1
kind: Workspace
metadata: {id: bench, name: bench}
mcp_servers:
  - {id: echo, command: ["${SUPERVISOR}", demo-server, echo], max_in_flight: 256, queue: {max: 1024}}
  - {id: flaky, command: ["${SUPERVISOR}", demo-server, flaky], restart: {max_restarts: 1000, backoff: {min: 1ms, max: 1ms}}}
`

func newGoverned(dir, binary string) (*governed, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(dir, "workspace.yaml"), []byte(governedYAML), 0o644); err != nil {
		return nil, err
	}
	ws, err := config.Load(dir, config.Options{Supervisor: binary})
	if err != nil {
		return nil, err
	}
	s, err := actors.Start(context.Background(), ws)
	return &governed{s}, err
}

func (g *governed) call(ctx context.Context) error {
	r := g.s.CallTool(ctx, actors.CallRequest{Server: "echo", Tool: "echo", Arguments: hi})
	if r.Outcome != messages.OK {
		return fmt.Errorf("%s: %s", r.Outcome, r.Error.Message)
	}
	return nil
}

func (g *governed) close() { _ = g.s.Stop(context.Background()) }

// kills is how often a server is killed under a call.
const kills = 25

// killed measures how long a caller in flight waits for the word that its server was killed.
func killed(dir, binary string) error {
	g, err := newGoverned(dir, binary)
	if err != nil {
		return err
	}
	defer g.close()
	var all []sample
	for range kills {
		heard, err := g.killOnce()
		if err != nil {
			return err
		}
		all = append(all, sample{p99: heard})
	}
	fmt.Printf("\nfrom SIGKILL to `lost` at the caller: median of %d: %s\n", kills, p99(all))
	return nil
}

func (g *governed) killOnce() (time.Duration, error) {
	ctx := context.Background()
	if _, err := g.s.Tools(ctx, actors.ToolsQuery{Server: "flaky"}); err != nil {
		return 0, err
	}
	ended := make(chan time.Time, 1)
	outcome := make(chan messages.Outcome, 1)
	safe.Go("caller", nil, func() {
		r := g.s.CallTool(ctx, actors.CallRequest{Server: "flaky", Tool: "hang"})
		ended <- time.Now()
		outcome <- r.Outcome
	})
	pid, err := g.inFlight(ctx)
	if err != nil {
		return 0, err
	}
	began := time.Now()
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		return 0, err
	}
	heard := (<-ended).Sub(began)
	if o := <-outcome; o != messages.Lost {
		return 0, fmt.Errorf("the call ended as %s, not as lost", o)
	}
	return heard, nil
}

// inFlight polls until the call runs, and returns its server's process.
func (g *governed) inFlight(ctx context.Context) (int, error) {
	for range 2000 {
		servers, err := g.s.Servers(ctx)
		if err != nil {
			return 0, err
		}
		for _, s := range servers {
			if s.ID == "flaky" && s.InFlight > 0 {
				time.Sleep(5 * time.Millisecond) // let the request reach the server
				return s.PID, nil
			}
		}
		time.Sleep(time.Millisecond)
	}
	return 0, fmt.Errorf("the call did not start")
}
