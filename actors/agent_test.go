package actors

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/mcp-supervisor/supervisor/config"
	gov "github.com/mcp-supervisor/supervisor/governance/spec"
	mcpspec "github.com/mcp-supervisor/supervisor/mcp/spec"
	"github.com/mcp-supervisor/supervisor/messages"
	"github.com/mcp-supervisor/supervisor/models"
)

// script is a scripted agent with the grants given, for example "tool:s/echo".
func script(id string, grants []string, turns ...string) config.Agent {
	var list []any
	for _, turn := range turns {
		var parsed any
		if err := yaml.Unmarshal([]byte(turn), &parsed); err != nil {
			panic(fmt.Sprintf("turn %q: %v", turn, err))
		}
		list = append(list, parsed)
	}
	a := config.Agent{
		Agent: gov.Agent{ID: id, Role: "worker"},
		Model: models.Config{Provider: "script", Options: map[string]any{"turns": list}},
	}
	for _, g := range grants {
		server, tool, _ := strings.Cut(strings.TrimPrefix(g, "tool:"), "/")
		a.Grants = append(a.Grants, gov.Grant{Via: g, Server: server, Tool: tool})
	}
	return a
}

// withScript gives a workspace a topology of one agent that may call s/echo.
func withScript(ws *config.Workspace, turns ...string) {
	withTree(ws, script("root", []string{"tool:s/echo"}, turns...))
}

func withTree(ws *config.Workspace, root config.Agent) {
	ws.Topologies = map[string]config.Topology{"t": {Name: "t", File: "topologies/t.yaml", Root: root}}
}

func TestARunEndsWithTheRootsAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ws := oneServer(t, nil)
		withScript(ws, `{calls: [{tool: echo, arguments: {text: "{{.Input}}"}}, {tool: s/echo, arguments: {text: two}}]}`, `{text: "got {{index .Results 0}} and {{index .Results 1}}"}`)
		s := startFake(t, ws, &fakeServer{})
		var events []messages.Event
		got, err := s.Run(context.Background(), RunRequest{Input: "one"}, func(e messages.Event) { events = append(events, e) })
		if err != nil {
			t.Fatal(err)
		}
		if want := `got {"text":"one"} and {"text":"two"}`; got.Answer != want || got.Outcome != messages.OK || got.Calls[messages.OK] != 2 {
			t.Errorf("%+v", got)
		}
		kinds := map[messages.EventKind]int{}
		for _, e := range events {
			kinds[e.Kind]++
		}
		for kind, n := range map[messages.EventKind]int{
			messages.RunStarted: 1, messages.AgentStarted: 1, messages.CallStarted: 2, messages.CallEnded: 2,
			messages.AgentCompleted: 1, messages.RunEnded: 1, messages.ServerUp: 1,
		} {
			if kinds[kind] != n {
				t.Errorf("%d events %s, want %d", kinds[kind], kind, n)
			}
		}
	})
}

func TestParentsDelegateToChildrenThatWorkSideBySide(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ws := oneServer(t, nil)
		root := script("root", nil, `{calls: [{tool: a, arguments: {task: left}}, {tool: b, arguments: {task: right}}]}`, `{text: "{{.Results}}"}`)
		root.Children = []config.Agent{
			script("a", []string{"tool:s/echo"}, `{calls: [{tool: echo, arguments: {text: "{{.Input}}"}}]}`, `{text: "a: {{index .Results 0}}"}`),
			script("b", nil, `{text: "b: {{.Input}}"}`),
		}
		withTree(ws, root)
		f := &fakeServer{answer: func(_ *fakeSession, r mcpspec.CallRequest, done func(mcpspec.Reply)) {
			time.AfterFunc(time.Second, func() { done(echo(r)) })
		}}
		got, err := startFake(t, ws, f).Run(context.Background(), RunRequest{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if want := "a: {\"text\":\"left\"}\nb: right"; got.Answer != want {
			t.Errorf("answer %q, want %q", got.Answer, want)
		}
	})
}

func TestADeniedCallDoesNotReachTheServerAndTheAgentGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ws := oneServer(t, nil)
		withScript(ws, `{calls: [{tool: s/write}, {tool: nonsense}]}`, `{text: "{{index .Results 0}} | {{(index .Results 1).Outcome}}"}`)
		f := &fakeServer{}
		got, err := startFake(t, ws, f).Run(context.Background(), RunRequest{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(got.Answer, "DENIED: ") {
			t.Errorf("answer %q", got.Answer)
		}
		if requests, _ := f.seen(); len(requests) != 0 {
			t.Errorf("the server saw %v", requests)
		}
	})
}

func TestAnInterruptedRunCancelsItsCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ws := oneServer(t, nil)
		withScript(ws, `{calls: [{tool: echo}]}`)
		f := &fakeServer{answer: never}
		s := startFake(t, ws, f)
		ctx, cancel := context.WithCancel(context.Background())
		time.AfterFunc(time.Second, cancel)
		_, err := s.Run(ctx, RunRequest{}, nil)
		var failed *RunError
		if !errors.As(err, &failed) || failed.Outcome != messages.Cancelled {
			t.Errorf("%v", err)
		}
		synctest.Wait()
		if _, cancels := f.seen(); len(cancels) != 1 {
			t.Errorf("cancels %v", cancels)
		}
	})
}

func TestRunFaultsAreToldBeforeAnythingStarts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ws := oneServer(t, nil)
		withTree(ws, config.Agent{Agent: gov.Agent{ID: "root"}, Model: models.Config{Provider: "anthropic"}})
		f := &fakeServer{}
		s := startFake(t, ws, f)
		for _, r := range []RunRequest{{}, {Topology: "nope"}} {
			_, err := s.Run(context.Background(), r, nil)
			var failed *RunError
			if !errors.As(err, &failed) || failed.Outcome != messages.Invalid {
				t.Errorf("%+v: %v", r, err)
			}
		}
		if f.startCount() != 0 {
			t.Error("a server was started")
		}
	})
}
