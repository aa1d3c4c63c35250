package actors

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/mcp-supervisor/supervisor/config"
	"github.com/mcp-supervisor/supervisor/governance/audit"
	gov "github.com/mcp-supervisor/supervisor/governance/spec"
	"github.com/mcp-supervisor/supervisor/internal/safe"
	"github.com/mcp-supervisor/supervisor/mcp"
	mcpspec "github.com/mcp-supervisor/supervisor/mcp/spec"
	"github.com/mcp-supervisor/supervisor/messages"
	"github.com/mcp-supervisor/supervisor/supervision"
)

// fakeServer is a server whose every incarnation and answer a test decides.
type fakeServer struct {
	mu       sync.Mutex
	starts   int
	live     *fakeSession
	requests []string // every request that reached it, in order
	cancels  []string
	// start says how start number n goes; nil starts well at once.
	start func(ctx context.Context, n int) error
	// answer answers a call; nil echoes the arguments.
	answer   func(s *fakeSession, r mcpspec.CallRequest, done func(mcpspec.Reply))
	ping     func(ctx context.Context) error
	more     []mcpspec.Tool     // beside echo and write
	describe func(n int) string // what start number n says of echo; nil says nothing
	// cleanup is what a session still does when its calls have ended; nil for nothing.
	cleanup func()
}

func (f *fakeServer) dial(ctx context.Context, _ mcpspec.Server, _ Hooks) (Session, error) {
	f.mu.Lock()
	f.starts++
	n, start := f.starts, f.start
	f.mu.Unlock()
	if start != nil {
		if err := start(ctx, n); err != nil {
			return nil, err
		}
	}
	s := &fakeSession{server: f, n: n, dead: make(chan struct{}), done: make(chan struct{}), pending: map[int]func(mcpspec.Reply){}}
	f.mu.Lock()
	f.live = s
	f.mu.Unlock()
	return s, nil
}

func (f *fakeServer) setStart(start func(ctx context.Context, n int) error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.start = start
}

// die ends the live incarnation as SIGKILL would.
func (f *fakeServer) die() { f.session().end(mcpspec.Exit{Code: -1, Signal: "SIGKILL"}) }

func (f *fakeServer) session() *fakeSession {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.live
}

func (f *fakeServer) startCount() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.starts
}

func (f *fakeServer) seen() (requests, cancels []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]string(nil), f.requests...), append([]string(nil), f.cancels...)
}

type fakeSession struct {
	server *fakeServer
	n      int
	mu     sync.Mutex
	next   int
	// pending are the calls without an answer; ending the session ends them.
	pending map[int]func(mcpspec.Reply)
	once    sync.Once
	exit    mcpspec.Exit
	dead    chan struct{}
	done    chan struct{}
	ended   func() // called at the end; nil for nothing
}

func (s *fakeSession) Catalogue() *mcpspec.Catalogue {
	yes, about := true, ""
	if s.server.describe != nil {
		about = s.server.describe(s.n)
	}
	s.server.mu.Lock()
	defer s.server.mu.Unlock()
	return &mcpspec.Catalogue{Tools: append([]mcpspec.Tool{
		{Name: "echo", Description: about, InputSchema: json.RawMessage(`{"type":"object","properties":{"text":{"type":"string"}}}`), Annotations: mcpspec.Annotations{ReadOnly: &yes}},
		{Name: "write", InputSchema: json.RawMessage(`{"type":"object"}`)},
	}, s.server.more...)}
}

func (s *fakeSession) Refresh(context.Context) (*mcpspec.Catalogue, error) { return s.Catalogue(), nil }
func (s *fakeSession) PID() int                                            { return 0 }

func (s *fakeSession) Call(r mcpspec.CallRequest, done func(mcpspec.Reply)) func(string) {
	s.server.mu.Lock()
	s.server.requests = append(s.server.requests, string(r.Arguments))
	s.server.mu.Unlock()
	s.mu.Lock()
	s.next++
	id := s.next
	s.pending[id] = done
	s.mu.Unlock()
	if s.server.answer != nil {
		s.server.answer(s, r, func(reply mcpspec.Reply) { s.settle(id, reply) })
	} else {
		s.settle(id, echo(r))
	}
	return func(reason string) {
		s.server.mu.Lock()
		s.server.cancels = append(s.server.cancels, reason)
		s.server.mu.Unlock()
		s.settle(id, mcpspec.Reply{Err: mcp.ErrCancelled, Written: true})
	}
}

func (s *fakeSession) settle(id int, reply mcpspec.Reply) {
	s.mu.Lock()
	done, ok := s.pending[id]
	delete(s.pending, id)
	s.mu.Unlock()
	if ok {
		done(reply)
	}
}

func (s *fakeSession) end(exit mcpspec.Exit) { s.endWritten(exit, true) }

func (s *fakeSession) endWritten(exit mcpspec.Exit, written bool) {
	s.once.Do(func() {
		s.exit = exit
		s.mu.Lock()
		pending := s.pending
		s.pending = map[int]func(mcpspec.Reply){}
		s.mu.Unlock()
		for _, done := range pending {
			done(mcpspec.Reply{Err: &mcp.ExitError{Exit: exit}, Written: written})
		}
		if s.ended != nil {
			s.ended()
		}
		close(s.dead)
		safe.Go("cleanup", nil, func() { // off the lock of once: whoever waits for it does not let synctest's clock go on
			defer close(s.done)
			if s.server.cleanup != nil {
				s.server.cleanup()
			}
		})
	})
	<-s.done
}

func (s *fakeSession) Ping(ctx context.Context) error {
	if s.server.ping != nil {
		return s.server.ping(ctx)
	}
	return nil
}
func (s *fakeSession) Dead() <-chan struct{} { return s.dead }
func (s *fakeSession) Done() <-chan struct{} { return s.done }
func (s *fakeSession) Exit() mcpspec.Exit    { return s.exit }
func (s *fakeSession) Close()                { s.end(mcpspec.Exit{}) }
func (s *fakeSession) Kill()                 { s.end(mcpspec.Exit{Code: -1, Signal: "SIGKILL"}) }

func echo(r mcpspec.CallRequest) mcpspec.Reply {
	text, _ := json.Marshal(string(r.Arguments)) // strings always marshal
	return mcpspec.Reply{Result: json.RawMessage(`{"content":[{"type":"text","text":` + string(text) + `}]}`), Written: true}
}

// never leaves a call without an answer.
func never(*fakeSession, mcpspec.CallRequest, func(mcpspec.Reply)) {}

func failStart(text string) error {
	return &DialError{Exit: mcpspec.Exit{Code: 3, StderrTail: []string{text}}, Err: errors.New(text)}
}

// oneServer is a workspace with one server, and an agent in a topology.
func oneServer(t testing.TB, change func(*config.Server)) *config.Workspace {
	t.Helper()
	s := config.Server{
		Server:  mcpspec.Server{ID: "s", Transport: mcpspec.Stdio, Command: []string{"s"}, StartTimeout: 60 * time.Second, StopGrace: 5 * time.Second},
		Rules:   gov.Server{ID: "s"},
		Timeout: 30 * time.Second, Restart: supervision.DefaultRestart(),
		Health: config.Health{Every: 30 * time.Second, Timeout: 5 * time.Second, Misses: 2}, MaxInFlight: 16,
		Queue: config.Queue{Max: 256, Wait: 10 * time.Second}, OnDown: config.OnDownQueue,
		Start: config.StartEager, CatalogWhenDown: config.CatalogKeep, Retry: config.RetryNever,
	}
	s.Restart.Backoff.Jitter = 0
	if change != nil {
		change(&s)
	}
	return &config.Workspace{ID: "w", Name: "w", Root: t.TempDir(), File: "workspace.yaml", Servers: []config.Server{s}}
}

// startFake starts a supervisor over a fake server; the end of the test stops it and checks the audit: one intent and one
// outcome for each call.
func startFake(t *testing.T, ws *config.Workspace, f *fakeServer, opts ...Option) *Supervisor {
	t.Helper()
	s, err := Start(context.Background(), ws, append([]Option{WithDialer(f.dial)}, opts...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stop(t, s) })
	return s
}

func stop(t *testing.T, s *Supervisor) {
	t.Helper()
	if err := s.Stop(context.Background()); err != nil {
		t.Error(err)
	}
	time.Sleep(time.Second) // protoactor's throttle of dead letters is a goroutine that sleeps
	report, err := audit.Verify(s.StateDir() + "/audit")
	if err != nil {
		t.Fatal(err)
	}
	if !report.OK() || len(report.Unfinished) > 0 {
		t.Errorf("audit: problems %v, unfinished %v", report.Problems, report.Unfinished)
	}
}

func call(s *Supervisor, text string) messages.CallResult {
	return s.CallTool(context.Background(), request(text))
}

func request(text string) CallRequest {
	raw, _ := json.Marshal(map[string]string{"text": text}) // strings always marshal
	return CallRequest{Server: "s", Tool: "echo", Arguments: raw}
}

// begin makes a call in the background.
func begin(s *Supervisor, text string) <-chan messages.CallResult {
	ended := make(chan messages.CallResult, 1)
	go func() { ended <- call(s, text) }()
	return ended
}

func want1(t *testing.T, r messages.CallResult, o messages.Outcome, ran messages.Ran) {
	t.Helper()
	if r.Outcome != o || r.Ran != ran {
		t.Fatalf("outcome %s, ran %s; want %s, %s (%+v)", r.Outcome, r.Ran, o, ran, r.Error)
	}
}

func status(t *testing.T, s *Supervisor) messages.ServerStatus {
	t.Helper()
	all, err := s.Servers(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return all[0]
}
