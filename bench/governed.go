package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"github.com/mcp-supervisor/supervisor/actors"
	"github.com/mcp-supervisor/supervisor/config"
	"github.com/mcp-supervisor/supervisor/messages"
)

// governed is a call through everything: gate, journal, instance, session.
type governed struct {
	s   *actors.Supervisor
	dir string
}

const governedYAML = `apiVersion: supervisor/v1
kind: Workspace
metadata: {id: bench, name: bench}
mcp_servers:
  - id: echo
    command: ["${SUPERVISOR}", serve, "%s"]
    max_in_flight: 256
    queue: {max: 1024}
    restart: {max_restarts: 1000, backoff: {min: 1ms, max: 1ms}}
`

const governedTopology = `apiVersion: supervisor/v1
kind: Topology
metadata: {name: bench, version: 1.0.0}
agents:
  root:
    id: caller
    role: root
    groups: [callers]
    skills: ["server:echo"]
    model: {provider: script, options: {turns: [{text: done}]}}
`

func newGoverned(self string, size int) (caller, error) { return governedBy(self, size, none) }

// governedBy is a governed call of an agent in a workspace with n policies.
func governedBy(self string, size, n int) (caller, error) {
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		return nil, err
	}
	files := map[string]string{
		"workspace.yaml":        fmt.Sprintf(governedYAML, strconv.Itoa(size)),
		"topologies/bench.yaml": governedTopology,
	}
	for _, f := range policyFiles(n) {
		files[f.Name] = string(f.Text)
	}
	s, err := startIn(dir, files, self)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return &governed{s, dir}, nil
}

func startIn(dir string, files map[string]string, self string) (*actors.Supervisor, error) {
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return nil, err
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			return nil, err
		}
	}
	ws, err := config.Load(dir, config.Options{Supervisor: self})
	if err != nil {
		return nil, err
	}
	return actors.Start(context.Background(), ws)
}

func (g *governed) call(ctx context.Context) error {
	r := g.s.CallTool(ctx, actors.CallRequest{Agent: "caller", Server: "echo", Tool: "echo", Arguments: hi})
	if r.Outcome != messages.OK {
		return fmt.Errorf("%s: %s", r.Outcome, r.Error.Message)
	}
	return nil
}

func (g *governed) close() {
	_ = g.s.Stop(context.Background())
	_ = os.RemoveAll(g.dir)
}

// kills is how often a server is killed under a call.
const kills = 25

// killed measures how long a caller in flight waits for the word that its server was killed.
func killed(self string) error {
	c, err := newGoverned(self, 2)
	if err != nil {
		return err
	}
	defer c.close()
	var all []sample
	for range kills {
		heard, err := c.(*governed).killOnce()
		if err != nil {
			return err
		}
		all = append(all, sample{p99: heard})
	}
	fmt.Printf("\nfrom SIGKILL to `lost` at the caller: median of %d: %s\n", kills, p99(all))
	return nil
}

func (g *governed) killOnce() (time.Duration, error) {
	type end struct {
		at      time.Time
		outcome messages.Outcome
	}
	ended := make(chan end, 1)
	go func() {
		r := g.s.CallTool(context.Background(), actors.CallRequest{Server: "echo", Tool: "hang"})
		ended <- end{time.Now(), r.Outcome}
	}()
	pid, err := g.inFlight()
	if err != nil {
		return 0, err
	}
	began := time.Now()
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		return 0, err
	}
	heard := <-ended
	if heard.outcome != messages.Lost {
		return 0, fmt.Errorf("the call ended as %s, not as lost", heard.outcome)
	}
	return heard.at.Sub(began), nil
}

// inFlight polls until the call runs, and returns its server's process.
func (g *governed) inFlight() (int, error) {
	for range 5000 {
		servers, err := g.s.Servers(context.Background())
		if err != nil {
			return 0, err
		}
		if servers[0].InFlight > 0 {
			time.Sleep(5 * time.Millisecond) // let the request reach the server
			return servers[0].PID, nil
		}
		time.Sleep(time.Millisecond)
	}
	return 0, fmt.Errorf("the call did not start")
}
