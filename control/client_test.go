package control

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-supervisor/supervisor/actors"
	"github.com/mcp-supervisor/supervisor/internal/safe"
	"github.com/mcp-supervisor/supervisor/messages"
)

// goDo runs fn in a goroutine that closes done at its end; a panic fails the test.
func goDo(t *testing.T, done chan struct{}, fn func()) {
	t.Helper()
	safe.Go("test", func(c *safe.Crash) { t.Errorf("%v\n%s", c, c.Stack) }, func() {
		defer close(done)
		fn()
	})
}

func TestACallCrossesTheSocketUnchanged(t *testing.T) {
	var got actors.CallRequest
	_, c := serve(t, owner{call: func(_ context.Context, r actors.CallRequest) messages.CallResult {
		got = r
		return ok(r)
	}})
	sent := actors.CallRequest{
		Agent: "a", Server: "files", Tool: "read_file", Arguments: json.RawMessage(`{"path":"<x>","n":9007199254740993}`),
		Timeout: 3 * time.Second, Meta: json.RawMessage(`{"k":1}`), TraceParent: "00-1-2-01",
	}
	result := c.CallTool(t.Context(), sent)
	if diff := cmp.Diff(sent, got); diff != "" {
		t.Errorf("request (-sent +got):\n%s", diff)
	}
	if diff := cmp.Diff(ok(sent), result); diff != "" {
		t.Errorf("result (-want +got):\n%s", diff)
	}
}

func TestGivingUpACallBringsItsOwnResultHome(t *testing.T) {
	began := make(chan struct{})
	_, c := serve(t, owner{call: func(ctx context.Context, r actors.CallRequest) messages.CallResult {
		close(began)
		<-ctx.Done()
		return messages.CallResult{CallID: "c9", Outcome: messages.Cancelled, Ran: messages.RanMaybe}
	}})
	ctx, cancel := context.WithCancel(t.Context())
	results := make(chan messages.CallResult, 1)
	done := make(chan struct{})
	goDo(t, done, func() { results <- c.CallTool(ctx, actors.CallRequest{Server: "s", Tool: "t"}) })
	within(t, began, "the call's begin")
	cancel()
	if got := within(t, results, "the result"); got.CallID != "c9" || got.Outcome != messages.Cancelled {
		t.Errorf("result = %+v, want the owner's own", got)
	}
	<-done
}

func TestADeadlineIsCarried(t *testing.T) {
	deadline := time.Now().Add(time.Minute)
	var got time.Time
	_, c := serve(t, owner{call: func(ctx context.Context, r actors.CallRequest) messages.CallResult {
		got, _ = ctx.Deadline()
		return ok(r)
	}})
	ctx, cancel := context.WithDeadline(t.Context(), deadline)
	defer cancel()
	c.CallTool(ctx, actors.CallRequest{})
	if !got.Equal(deadline) {
		t.Errorf("deadline = %v, want %v", got, deadline)
	}
}

func TestNobodyListens(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "s")
	if _, err := Dial(socket); !errors.Is(err, ErrNotSent) {
		t.Errorf("Dial = %v, want ErrNotSent", err)
	}
	c := newClient(socket)
	if _, err := c.Call(t.Context(), actors.CallRequest{}); !errors.Is(err, ErrNotSent) {
		t.Errorf("Call = %v, want ErrNotSent", err)
	}
	if r := c.CallTool(t.Context(), actors.CallRequest{}); r.Outcome != messages.Unavailable || r.Ran != messages.RanNo {
		t.Errorf("CallTool = %+v, want unavailable, not run", r)
	}
	if _, err := c.Tools(t.Context(), actors.ToolsQuery{}); !errors.Is(err, ErrNotSent) {
		t.Errorf("Tools = %v, want ErrNotSent", err)
	}
}

// An owner that accepts and goes away before it asked for the body cannot have run anything.
func TestAnOwnerThatLeavesBeforeItTookTheRequest(t *testing.T) {
	c := newClient(answering(t, func(conn net.Conn) {
		_, _ = http.ReadRequest(bufio.NewReader(conn))
	}))
	if _, err := c.Call(t.Context(), actors.CallRequest{}); !errors.Is(err, ErrNotSent) {
		t.Errorf("Call = %v, want ErrNotSent", err)
	}
}

func TestAnOwnerThatDiesDuringACall(t *testing.T) {
	c := newClient(answering(t, takeBody))
	c.pid = 77
	r, err := c.Call(t.Context(), actors.CallRequest{Agent: "report/boss", Server: "s", Tool: "t"})
	if err != nil {
		t.Fatal(err)
	}
	r.Duration = 0
	want := messages.CallResult{
		Agent: "boss", Server: "s", Tool: "t", Outcome: messages.Lost, Ran: messages.RanMaybe,
		Error: &messages.CallError{
			Kind:    "lost",
			Message: "the process that owns this workspace (pid 77) went away during the call; it may have taken effect; `supervisor audit verify` names it",
		},
	}
	if diff := cmp.Diff(want, r); diff != "" {
		t.Errorf("result (-want +got):\n%s", diff)
	}
	if r, _ := c.Call(t.Context(), actors.CallRequest{}); r.Agent != "operator" {
		t.Errorf("the caller without a name is %q", r.Agent)
	}
}

func TestTheOwnerSaysItsPID(t *testing.T) {
	_, c := serve(t, owner{})
	if c.pid != os.Getpid() {
		t.Errorf("pid = %d, want ours, %d", c.pid, os.Getpid())
	}
}

// What net/http says of a broken connection names methods and addresses that nobody asked for.
func TestNoAddressesInErrors(t *testing.T) {
	c := newClient(answering(t, takeBody))
	_, err := c.Tools(t.Context(), actors.ToolsQuery{})
	if want := "the process that owns this workspace went away"; !errors.Is(err, ErrBroken) || err.Error() != want {
		t.Errorf("Tools = %v, want ErrBroken: %s", err, want)
	}
	c = newClient(filepath.Join(t.TempDir(), "s"))
	if _, err := c.Tools(t.Context(), actors.ToolsQuery{}); err == nil || strings.Contains(err.Error(), "http://") {
		t.Errorf("Tools = %v", err)
	}
}

func TestAnOwnerThatDiesDuringARun(t *testing.T) {
	c := newClient(answering(t, func(conn net.Conn) {
		takeBody(conn)
		_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nSupervisor-Protocol: 1\r\n\r\n{\"event\":{\"kind\":\"run.started\"}}\n")
	}))
	var seen []messages.EventKind
	_, err := c.Run(t.Context(), actors.RunRequest{}, func(e messages.Event) { seen = append(seen, e.Kind) })
	var run *actors.RunError
	if !errors.As(err, &run) || run.Outcome != messages.Lost || run.Message != "the process that owns this workspace went away during the run" {
		t.Errorf("Run = %v, want a lost RunError", err)
	}
	if diff := cmp.Diff([]messages.EventKind{messages.RunStarted}, seen); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

// takeBody takes a request as a server does, up to the answer.
func takeBody(conn net.Conn) {
	r, err := http.ReadRequest(bufio.NewReader(conn))
	if err != nil {
		return
	}
	_, _ = io.WriteString(conn, "HTTP/1.1 100 Continue\r\n\r\n")
	_, _ = io.Copy(io.Discard, r.Body)
}

// Without the patience's end a suspended owner would hold its callers for ever.
func TestASilentOwnerIsGivenUp(t *testing.T) {
	gone := make(chan struct{})
	c := newClient(answering(t, func(conn net.Conn) {
		takeBody(conn)
		<-gone
	}))
	t.Cleanup(func() { close(gone) }) // before the listener's own cleanup, which waits for the handler
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	r := c.CallTool(ctx, actors.CallRequest{})
	if r.Outcome != messages.Timeout || r.Ran != messages.RanMaybe {
		t.Errorf("result = %+v, want timeout, maybe run", r)
	}
}

func TestAnotherProtocolIsToldClearly(t *testing.T) {
	socket := answering(t, func(conn net.Conn) {
		_, _ = http.ReadRequest(bufio.NewReader(conn))
		_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nSupervisor-Protocol: 9\r\nSupervisor-Version: v9.0.0\r\nContent-Length: 2\r\n\r\n{}")
	})
	_, err := Dial(socket)
	if err == nil || errors.Is(err, ErrNotSent) {
		t.Fatalf("Dial = %v, want a final error", err)
	}
	for _, part := range []string{`"v9.0.0"`, `"9"`, "use the same version"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("error %q lacks %q", err, part)
		}
	}
}

func TestErrorsOfTheOwnerAreItsOwnWords(t *testing.T) {
	_, c := serve(t, owner{
		tools: func(actors.ToolsQuery) (actors.ToolsResult, error) {
			return actors.ToolsResult{}, &actors.RunError{Outcome: messages.Invalid, Message: "no server nope"}
		},
	})
	_, err := c.Tools(t.Context(), actors.ToolsQuery{Server: "nope"})
	var run *actors.RunError
	if !errors.As(err, &run) || run.Outcome != messages.Invalid || run.Message != "no server nope" {
		t.Errorf("Tools = %v, want the owner's RunError", err)
	}
}

func TestARunStreamsItsEventsInOrder(t *testing.T) {
	want := actors.RunResult{
		Run: "r1", Answer: "done", Outcome: messages.OK, Calls: map[messages.Outcome]int{messages.OK: 2}, Duration: messages.Millis(time.Second),
	}
	_, c := serve(t, owner{run: func(_ context.Context, r actors.RunRequest, progress func(messages.Event)) (actors.RunResult, error) {
		for i := range 100 {
			progress(messages.Event{Kind: messages.CallEnded, Incarnation: i})
		}
		return want, nil
	}})
	next := 0
	got, err := c.Run(t.Context(), actors.RunRequest{Input: "x"}, func(e messages.Event) {
		if e.Incarnation != next {
			t.Errorf("event %d came as number %d", e.Incarnation, next)
		}
		next++
	})
	if err != nil || next != 100 {
		t.Errorf("%d events, error %v", next, err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("result (-want +got):\n%s", diff)
	}
}

func TestARunThatFailedKeepsItsOutcomeAndResult(t *testing.T) {
	_, c := serve(t, owner{run: func(context.Context, actors.RunRequest, func(messages.Event)) (actors.RunResult, error) {
		return actors.RunResult{Run: "r2"}, &actors.RunError{Outcome: messages.Stopped, Message: "shutting down"}
	}})
	got, err := c.Run(t.Context(), actors.RunRequest{}, nil)
	var run *actors.RunError
	if !errors.As(err, &run) || run.Outcome != messages.Stopped || got.Run != "r2" {
		t.Errorf("Run = %+v, %v", got, err)
	}
}
