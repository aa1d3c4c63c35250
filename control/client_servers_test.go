package control

import (
	"context"
	"errors"
	"net"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-supervisor/supervisor/actors"
	"github.com/mcp-supervisor/supervisor/config"
	"github.com/mcp-supervisor/supervisor/messages"
)

// verbs are what one server can be told, by name.
func verbs(c *Client) map[string]func(context.Context, string) (messages.ServerStatus, error) {
	return map[string]func(context.Context, string) (messages.ServerStatus, error){
		"start": c.StartServer, "stop": c.StopServer, "restart": c.RestartServer,
	}
}

func TestAServerIsToldByItsIDAndAnswersWithItsStatus(t *testing.T) {
	want := messages.ServerStatus{
		ID: "db", State: messages.StateUp, PID: 7, Incarnation: 3, Since: time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC),
		Tools: 12, Restarts: 4, Window: 1, Budget: 5, LastExit: "exited with code 3", RetryAfter: messages.Millis(time.Second),
	}
	var told string
	_, c := serve(t, owner{tell: func(_ context.Context, verb, id string) (messages.ServerStatus, error) {
		told = verb + " " + id
		return want, nil
	}})
	for verb, tell := range verbs(c) {
		got, err := tell(t.Context(), "db")
		if err != nil || told != verb+" db" {
			t.Errorf("%s: the owner was told %q, error %v", verb, told, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", verb, diff)
		}
	}
}

func TestAServerThatDidNotComeUpKeepsItsPostMortem(t *testing.T) {
	want := &actors.RunError{
		Outcome: messages.Unavailable, Message: "server `db` is down (exited with code 3)",
		Exit: &messages.Exit{Code: 3, StderrTail: []string{"no licence", "found"}},
	}
	_, c := serve(t, owner{tell: func(context.Context, string, string) (messages.ServerStatus, error) {
		return messages.ServerStatus{}, want
	}})
	for verb, tell := range verbs(c) {
		_, err := tell(t.Context(), "db")
		var got *actors.RunError
		if !errors.As(err, &got) {
			t.Fatalf("%s = %v, want a RunError", verb, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", verb, diff)
		}
	}
}

func TestGivingUpAStartTellsTheOwner(t *testing.T) {
	began := make(chan struct{})
	_, c := serve(t, owner{tell: func(ctx context.Context, _, _ string) (messages.ServerStatus, error) {
		close(began)
		<-ctx.Done()
		return messages.ServerStatus{}, &actors.RunError{Outcome: messages.Cancelled, Message: "it goes on starting"}
	}})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	errs, done := make(chan error, 1), make(chan struct{})
	goDo(t, done, func() {
		_, err := c.StartServer(ctx, "db")
		errs <- err
	})
	within(t, began, "the start's begin")
	cancel()
	var run *actors.RunError
	if err := within(t, errs, "the start's end"); !errors.As(err, &run) || run.Message != "it goes on starting" {
		t.Errorf("StartServer = %v, want the owner's own word", err)
	}
	<-done
}

func TestReloadCrossesTheSocketUnchanged(t *testing.T) {
	want := actors.ReloadResult{
		Digest: "ab12", Added: []string{"a"}, Changed: []string{"b"}, Removed: []string{"c"}, Unchanged: []string{"d"},
		Gate: true, Waiting: []string{"agent `x`"}, Warnings: []string{"w"},
	}
	_, c := serve(t, owner{reload: func() (actors.ReloadResult, error) { return want, nil }})
	got, err := c.Reload(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("result (-want +got):\n%s", diff)
	}
}

// All faults, however many: the last one may be the one that explains the others.
func TestTheFaultsOfAReloadAreInvalidOneALine(t *testing.T) {
	faults := config.Faults{}
	for line := range 40_000 {
		faults = append(faults, config.Fault{File: "workspace.yaml", Line: line + 1, Field: "mcp_servers", Message: "is not a list"})
	}
	_, c := serve(t, owner{reload: func() (actors.ReloadResult, error) { return actors.ReloadResult{}, faults }})
	_, err := c.Reload(t.Context())
	var run *actors.RunError
	if !errors.As(err, &run) || run.Outcome != messages.Invalid {
		t.Fatalf("Reload = %.200v, want a RunError that says invalid", err)
	}
	if run.Message != faults.Error() {
		t.Errorf("%d lines came of %d faults", strings.Count(run.Message, "\n")+1, len(faults))
	}
}

func TestNobodyIsThereToManage(t *testing.T) {
	c := newClient(filepath.Join(t.TempDir(), "s"))
	for verb, tell := range verbs(c) {
		if _, err := tell(t.Context(), "db"); !errors.Is(err, ErrNotSent) {
			t.Errorf("%s = %v, want ErrNotSent", verb, err)
		}
	}
	if _, err := c.Reload(t.Context()); !errors.Is(err, ErrNotSent) {
		t.Errorf("Reload = %v, want ErrNotSent", err)
	}
}

func TestAnOwnerThatDiesDuringAReload(t *testing.T) {
	if _, err := newClient(answering(t, takeBody)).Reload(t.Context()); !errors.Is(err, ErrBroken) {
		t.Errorf("Reload = %v, want ErrBroken", err)
	}
}

func TestASilentOwnerIsNotSaidToBeGone(t *testing.T) {
	gone := make(chan struct{})
	c := newClient(answering(t, func(conn net.Conn) {
		takeBody(conn)
		<-gone
	}))
	t.Cleanup(func() { close(gone) })
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	_, err := c.StopServer(ctx, "db")
	var run *actors.RunError
	if !errors.As(err, &run) || run.Outcome != messages.Cancelled {
		t.Errorf("StopServer = %v, want cancelled", err)
	}
}
