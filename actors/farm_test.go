package actors

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/mcp-supervisor/supervisor/config"
	mcpspec "github.com/mcp-supervisor/supervisor/mcp/spec"
	"github.com/mcp-supervisor/supervisor/messages"
	"github.com/mcp-supervisor/supervisor/supervision"
)

// farm is several fake servers, and what happened to them in order: "+a" for a start, "-a" for an end.
type farm struct {
	servers map[string]*fakeServer
	mu      sync.Mutex
	log     []string
}

// startFarm starts a supervisor over fake servers with these ids. change sees each declaration.
func startFarm(t *testing.T, ids string, change func(*config.Server), groups ...supervision.Group) (*Supervisor, *farm) {
	t.Helper()
	ws, f := farmOf(t, ids, change), newFarm(ids)
	ws.Groups = groups
	s, err := Start(context.Background(), ws, WithDialer(f.dial))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stop(t, s) })
	return s, f
}

// farmOf is a workspace with servers of these ids. change sees each declaration.
func farmOf(t *testing.T, ids string, change func(*config.Server)) *config.Workspace {
	t.Helper()
	ws := oneServer(t, nil)
	template := ws.Servers[0]
	ws.Servers = nil
	for id := range strings.SplitSeq(ids, " ") {
		s := template
		s.ID, s.Rules.ID, s.Command = id, id, []string{id}
		if change != nil {
			change(&s)
		}
		ws.Servers = append(ws.Servers, s)
	}
	return ws
}

func newFarm(ids string) *farm {
	f := &farm{servers: map[string]*fakeServer{}}
	for id := range strings.SplitSeq(ids, " ") {
		f.servers[id] = &fakeServer{}
	}
	return f
}

func (f *farm) dial(ctx context.Context, spec mcpspec.Server, h Hooks) (Session, error) {
	f.note("+" + spec.ID)
	live, err := f.servers[spec.ID].dial(ctx, spec, h)
	if err != nil {
		return nil, err
	}
	session, _ := live.(*fakeSession)
	session.ended = func() { f.note("-" + spec.ID) }
	return live, nil
}

func (f *farm) note(what string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.log = append(f.log, what)
}

// take returns what happened since the last take.
func (f *farm) take() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	text := strings.Join(f.log, " ")
	f.log = nil
	return text
}

func callOn(s *Supervisor, agent, server, text string) messages.CallResult {
	return s.CallTool(context.Background(), CallRequest{Agent: agent, Server: server, Tool: "echo", Arguments: []byte(fmt.Sprintf(`{"text":%q}`, text))})
}

func states(t *testing.T, s *Supervisor) string {
	t.Helper()
	all, err := s.Servers(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, one := range all {
		list = append(list, one.ID+" "+string(one.State))
	}
	return strings.Join(list, ", ")
}

func statusOf(t *testing.T, s *Supervisor, id string) messages.ServerStatus {
	t.Helper()
	all, err := s.Servers(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return all[slices.IndexFunc(all, func(one messages.ServerStatus) bool { return one.ID == id })]
}
