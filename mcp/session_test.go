//go:build unix

package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-supervisor/supervisor/internal/safe"
	"github.com/mcp-supervisor/supervisor/mcp/spec"
)

// limit bounds what must end by itself, generously: the machine may be busy.
const limit = 20 * time.Second

// notes collects what a session tells its owner.
type notes struct {
	mu       sync.Mutex
	warnings []string
	stderr   []string
	changed  int
	progress []string
}

func (n *notes) options() Options {
	record := func(list *[]string) func(string) {
		return func(s string) {
			n.mu.Lock()
			defer n.mu.Unlock()
			*list = append(*list, s)
		}
	}
	progress := record(&n.progress)
	return Options{
		Mask:   func(s string) string { return strings.ReplaceAll(s, "hunter2", "***") },
		Warn:   record(&n.warnings),
		Stderr: record(&n.stderr),
		ToolsChanged: func() {
			n.mu.Lock()
			defer n.mu.Unlock()
			n.changed++
		},
		Progress: func(token, payload json.RawMessage) { progress(string(token) + " " + string(payload)) },
	}
}

func (n *notes) text() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return strings.Join(n.warnings, "\n")
}

// openFake opens a fake and checks at the end that nothing is left of it.
func openFake(t testing.TB, server spec.Server, n *notes) *Session {
	t.Helper()
	s, err := Open(context.Background(), server, n.options())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		s.Close()
		noneLeft(t, s.PID())
	})
	return s
}

// noneLeft fails if a process of the session with that id lives.
func noneLeft(t testing.TB, sid int) {
	t.Helper()
	eventually(t, "the process group is gone", func() bool { return len(living(sid)) == 0 })
}

// living lists the living processes of a session, zombies left out: those are for process 1 to reap.
func living(sid int) (pids []string) {
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, file := range stats {
		data, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		after := string(data[strings.LastIndexByte(string(data), ')')+1:])
		var state string
		var ppid, pgrp, session int
		if n, _ := fmt.Sscan(after, &state, &ppid, &pgrp, &session); n == 4 && state != "Z" && (session == sid || pgrp == sid) {
			pids = append(pids, file)
		}
	}
	return pids
}

func eventually(t testing.TB, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(limit); time.Now().Before(end); time.Sleep(2 * time.Millisecond) {
		if is() {
			return
		}
	}
	t.Fatalf("did not happen: %s", what)
}

// begin starts a call and returns where its end arrives.
func begin(s *Session, tool, args string) (end chan spec.Reply, cancel func(string)) {
	end = make(chan spec.Reply, 2)
	var raw json.RawMessage
	if args != "" {
		raw = json.RawMessage(args)
	}
	cancel = s.Call(spec.CallRequest{Tool: tool, Arguments: raw}, func(r spec.Reply) { end <- r })
	return end, cancel
}

func wait(t testing.TB, end chan spec.Reply) spec.Reply {
	t.Helper()
	select {
	case r := <-end:
		return r
	case <-time.After(limit):
		t.Fatal("the call did not end")
		return spec.Reply{}
	}
}

func echo(t testing.TB, s *Session, args string) spec.Reply {
	t.Helper()
	end, _ := begin(s, "echo", args)
	return wait(t, end)
}

func wantEcho(t testing.TB, s *Session, args string) {
	t.Helper()
	r := echo(t, s, args)
	if want := `{"content":[],"echo":` + args + `}`; string(r.Result) != want || r.Err != nil || !r.Written {
		t.Fatalf("got %q, %v; want %q", r.Result, r.Err, want)
	}
}

func ended(t testing.TB, s *Session) spec.Exit {
	t.Helper()
	select {
	case <-s.Done():
		return s.Exit()
	case <-time.After(limit):
		t.Fatal("the session did not end")
		return spec.Exit{}
	}
}

func dead(t *testing.T, s *Session) spec.Exit {
	t.Helper()
	select {
	case <-s.Dead():
		return s.Exit()
	case <-time.After(limit):
		t.Fatal("the session did not die")
		return spec.Exit{}
	}
}

// Servers whose oddities a session gets over: they list two tools and answer calls, again and again.
func TestOddServersWork(t *testing.T) {
	for _, mode := range []string{
		"ok", "junk-stdout", "junk-interleaved", "junk-json", "junk-stdout,junk-interleaved,junk-json,crlf", "crlf", "bom",
		"bad-json", "string-ids", "case-keys", "dup-keys", "batch", "twice", "no-version", "proto-old", "request-before-init",
		"early-notification", "stderr-flood", "same-id-request", "unknown-request", "progress", "list-changed", "child",
		"stderr-call", "no-ping",
	} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			var n notes
			s := openFake(t, fakeServer(t, mode), &n)
			if got := len(s.Catalogue().Tools); got != 2 {
				t.Fatalf("%d tools", got)
			}
			for i := range 3 {
				wantEcho(t, s, fmt.Sprintf(`{"b":1, "a":%d}`, i))
			}
			ctx, cancel := context.WithTimeout(context.Background(), limit)
			defer cancel()
			if err := s.Ping(ctx); err != nil {
				t.Error("ping:", err)
			}
			s.Close()
			if exit := s.Exit(); !exit.Clean() {
				t.Errorf("exit: %+v", exit)
			}
		})
	}
}

func TestWrappersLeaveNothing(t *testing.T) {
	for name, script := range map[string]string{
		"sh -c server":        `"$0"`,
		"sh -c 'server'; end": `"$0"; exit 5`,
		"sh -c 'server &'":    `exec 3<&0; "$0" <&3 & wait`,
		"sh in sh":            `sh -c 'sleep 3600 & "$0"; true' "$0"; true`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, mode := range []string{"ok", "ignore-eof,ignore-sigterm"} {
				server := fakeServer(t, mode)
				server.Command = []string{"sh", "-c", script, server.Command[0]}
				server.StopGrace = 200 * time.Millisecond
				s := openFake(t, server, &notes{})
				wantEcho(t, s, `{"n":1}`)
				s.Close()
				noneLeft(t, s.PID())
			}
		})
	}
}

func TestKilledLauncherTakesTheServerAlong(t *testing.T) {
	server := fakeServer(t, "hang-call,ignore-eof")
	server.Command = []string{"sh", "-c", `"$0"; true`, server.Command[0]}
	s := openFake(t, server, &notes{})
	end, _ := begin(s, "echo", "")
	eventually(t, "the call is written", func() bool { return s.Counts().InFlight == 1 })
	if err := killOne(s.PID()); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	r := wait(t, end)
	if took := time.Since(began); took > 3*time.Second {
		t.Errorf("the caller waited %v", took)
	}
	var exit *ExitError
	if !errors.As(r.Err, &exit) || exit.Exit.Signal != "SIGKILL" || exit.Exit.Reason != "" {
		t.Errorf("err = %v", r.Err)
	}
	ended(t, s)
	noneLeft(t, s.PID())
}

// How sessions end by themselves, and what the caller in flight is told.
func TestDeathDuringACall(t *testing.T) {
	for mode, want := range map[string]spec.Exit{
		"crash-on-call":               {Code: 1, StderrTail: []string{"panic: boom"}},
		"crash-on-call,escaped-child": {Code: 1, StderrTail: []string{"panic: boom"}},
		"sigkill":                     {Code: -1, Signal: "SIGKILL"},
		"partial-then-crash":          {Code: 1},
		"half-close":                  {Code: -1, Signal: "SIGKILL", Reason: "closed its stdout"},
		"flood":                       {Code: -1, Signal: "SIGKILL", Reason: errFlood.Error()},
	} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			s := openFake(t, fakeServer(t, mode), &notes{})
			r := echo(t, s, `{}`)
			var exit *ExitError
			if !errors.As(r.Err, &exit) || !r.Written {
				t.Fatalf("reply: %+v", r)
			}
			if diff := cmp.Diff(want, exit.Exit); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(want, ended(t, s)); diff != "" {
				t.Error(diff)
			}
			r = echo(t, s, `{}`)
			if !errors.As(r.Err, &exit) || r.Written {
				t.Errorf("a call after the end: %+v", r)
			}
		})
	}
}

func TestClosedStdinEndsTheSession(t *testing.T) {
	s := openFake(t, fakeServer(t, "close-stdin"), &notes{})
	first, _ := begin(s, "echo", "")
	var exit spec.Exit
	eventually(t, "a write fails", func() bool {
		begin(s, "echo", "")
		select {
		case <-s.Done():
			exit = s.Exit()
			return true
		default:
			return false
		}
	})
	if exit.Reason != "closed its stdin" {
		t.Errorf("exit: %+v", exit)
	}
	if r := wait(t, first); r.Err == nil || !r.Written {
		t.Errorf("reply: %+v", r)
	}
}

func TestLastAnswerOfADyingServerCounts(t *testing.T) {
	s := openFake(t, fakeServer(t, "answer-then-die"), &notes{})
	if r := echo(t, s, ""); string(r.Result) != `{"last":true}` {
		t.Errorf("reply: %+v", r)
	}
	if exit := ended(t, s); exit.Code != 4 {
		t.Errorf("exit: %+v", exit)
	}
}

func TestResultsArriveAsSent(t *testing.T) {
	tests := []struct {
		mode string
		want spec.Reply
	}{
		{"big-int", spec.Reply{Result: json.RawMessage(`{"n": 12345678901234567890, "x":{"type":"unknown"}, "f":1.10}`)}},
		{"null-result", spec.Reply{Result: json.RawMessage(`null`)}},
		{"invalid-utf8", spec.Reply{Result: json.RawMessage(`{"text":"a` + "\uFFFD" + `b"}`)}},
		{"error-rpc", spec.Reply{RPC: &spec.RPCError{Code: -32603, Message: "4712", Data: json.RawMessage(`{"n":1}`)}}},
		{"error-odd", spec.Reply{RPC: &spec.RPCError{Code: -7, Message: "the server gave no reason", Data: json.RawMessage(`[1]`)}}},
		{"ok", spec.Reply{Result: json.RawMessage(`{"content":[],"echo":{}}`)}},
	}
	for _, test := range tests {
		t.Run(test.mode, func(t *testing.T) {
			t.Parallel()
			s := openFake(t, fakeServer(t, test.mode), &notes{})
			test.want.Written = true
			if diff := cmp.Diff(test.want, echo(t, s, "")); diff != "" {
				t.Error(diff)
			}
		})
	}
	t.Run("no-result", func(t *testing.T) {
		s := openFake(t, fakeServer(t, "no-result"), &notes{})
		if r := echo(t, s, ""); !errors.Is(r.Err, ErrNoAnswer) || !r.Written {
			t.Errorf("reply: %+v", r)
		}
	})
}

func TestArgumentsArriveAsGiven(t *testing.T) {
	s := openFake(t, fakeServer(t, "ok"), &notes{})
	for args, want := range map[string]string{
		"":                                  `{}`,
		"null":                              `{}`,
		`{"a":9007199254740993, "b" : 1.0}`: `{"a":9007199254740993, "b" : 1.0}`,
		"{\n  \"a\": \"\\n\",\r\n\"b\":2}":  "{   \"a\": \"\\n\",  \"b\":2}",
		`{"<&>":"\u2028ü"}`:                 `{"<&>":"\u2028ü"}`,
	} {
		if r := echo(t, s, args); string(r.Result) != `{"content":[],"echo":`+want+`}` {
			t.Errorf("%q: %s %v", args, r.Result, r.Err)
		}
	}
	for _, bad := range []string{`{`, `[]`, `"x"`, `{}{}`, `{},"x":1`, `{"a":01}`} {
		if r := echo(t, s, bad); !errors.Is(r.Err, ErrArguments) || r.Written {
			t.Errorf("%q: %+v", bad, r)
		}
	}
	big := `{"x":"` + strings.Repeat("z", 3_000_000) + `"}`
	wantEcho(t, s, big)
}

func TestSizes(t *testing.T) {
	t.Run("9 MB", func(t *testing.T) {
		s := openFake(t, fakeServer(t, "huge-result"), &notes{})
		if r := echo(t, s, ""); len(r.Result) != 9_000_000+len(`{"text":""}`) {
			t.Errorf("%d bytes, %v", len(r.Result), r.Err)
		}
	})
	for _, mode := range []string{"huge-result", "huge-result-id-last"} {
		t.Run("too long, "+mode, func(t *testing.T) {
			server := fakeServer(t, mode)
			server.MaxMessage = 1 << 20
			s := openFake(t, server, &notes{})
			for range 2 {
				r := echo(t, s, "")
				if want := (&SizeError{Max: 1 << 20}); r.Err == nil || r.Err.Error() != want.Error() || !r.Written {
					t.Fatalf("reply: %+v", r)
				}
			}
		})
	}
	t.Run("endless", func(t *testing.T) {
		server := fakeServer(t, "endless-line")
		server.MaxMessage = 1 << 20
		s := openFake(t, server, &notes{})
		r := echo(t, s, "")
		if r.Err == nil || !strings.Contains(s.Exit().Reason, "without a line end") {
			t.Errorf("reply: %+v, exit %+v", r, s.Exit())
		}
	})
}

func TestTwentyCallersGetTheirOwnAnswers(t *testing.T) {
	s := openFake(t, fakeServer(t, "out-of-order", "FAKE_N=20"), &notes{})
	var ends []chan spec.Reply
	for i := range 20 {
		end, _ := begin(s, "echo", fmt.Sprintf(`{"i":%d}`, i))
		ends = append(ends, end)
	}
	for i, end := range ends {
		if r := wait(t, end); string(r.Result) != fmt.Sprintf(`{"content":[],"echo":{"i":%d}}`, i) {
			t.Errorf("caller %d got %s", i, r.Result)
		}
	}
}

func TestCancel(t *testing.T) {
	file := filepath.Join(t.TempDir(), "log")
	s := openFake(t, fakeServer(t, "late", "FAKE_LOG="+file), &notes{})
	end, cancel := begin(s, "echo", `{"held":true}`)
	eventually(t, "the call is sent", func() bool { return strings.Contains(read(file), `"held":true`) })
	cancel("the caller \"left\"")
	cancel("again")
	if r := wait(t, end); !errors.Is(r.Err, ErrCancelled) || !r.Written {
		t.Errorf("reply: %+v", r)
	}
	want := fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d,"reason":"the caller \"left\""}}`, firstID+1)
	eventually(t, "the server is told", func() bool { return strings.Contains(read(file), want) })
	wantEcho(t, s, `{"next":1}`) // upon which the fake answers the first call, too late
	eventually(t, "the late answer is counted", func() bool { return s.Counts().Late == 1 })
	end, cancel = begin(s, "echo", `{"x":2}`)
	r := wait(t, end)
	cancel("too late")
	if len(end) != 0 || r.Err != nil {
		t.Errorf("reply: %+v and %d more", r, len(end))
	}
	s.Close()
	if strings.Count(read(file), "notifications/cancelled") != 1 {
		t.Error(read(file))
	}
}

func read(file string) string {
	data, _ := os.ReadFile(file)
	return string(data)
}

func TestServerThatDoesNotReadHangsNobody(t *testing.T) {
	t.Parallel()
	s := openFake(t, fakeServer(t, "stop-reading"), &notes{})
	first, _ := begin(s, "echo", "")
	stuck, _ := begin(s, "echo", `{"x":"`+strings.Repeat("z", 5_000_000)+`"}`)
	queued, cancel := begin(s, "echo", `{"queued":1}`)
	began := time.Now()
	cancel("enough")
	if r := wait(t, queued); !errors.Is(r.Err, ErrCancelled) || time.Since(began) > 2*time.Second {
		t.Errorf("reply after %v: %+v", time.Since(began), r)
	}
	behind, _ := begin(s, "echo", `{"behind":1}`)
	exit := ended(t, s)
	if exit.Reason != "did not read its stdin for 10s" {
		t.Errorf("exit: %+v", exit)
	}
	if r := wait(t, first); r.Err == nil || !r.Written {
		t.Errorf("first: %+v", r)
	}
	if r := wait(t, stuck); r.Err == nil || !r.Written {
		t.Errorf("stuck: %+v", r)
	}
	if r := wait(t, behind); r.Err == nil || r.Written {
		t.Errorf("behind: %+v: not a byte of it can have been written", r)
	}
}

func TestCloseFromAskingToForcing(t *testing.T) {
	tests := []struct {
		modes    string
		log      string
		exit     spec.Exit
		min, max time.Duration
	}{
		{"ok", "EOF\n", spec.Exit{}, 0, 2 * time.Second},
		{"slow-exit", "EOF\nflushed\n", spec.Exit{}, 250 * time.Millisecond, 2 * time.Second},
		{"ignore-eof", "EOF\nSIGTERM\n", spec.Exit{Code: 143, Reason: "was stopped with SIGTERM"}, 400 * time.Millisecond, 3 * time.Second},
		{"ignore-eof,ignore-sigterm", "EOF\n", spec.Exit{Code: -1, Signal: "SIGKILL", Reason: "was stopped with SIGTERM"}, 800 * time.Millisecond, 4 * time.Second},
		{"ignore-eof,ignore-sigterm,child,escaped-child", "EOF\n", spec.Exit{Code: -1, Signal: "SIGKILL", Reason: "was stopped with SIGTERM"}, 800 * time.Millisecond, 4 * time.Second},
	}
	for _, test := range tests {
		t.Run(test.modes, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "log")
			server := fakeServer(t, test.modes, "FAKE_LOG="+file)
			server.StopGrace = 600 * time.Millisecond
			s := openFake(t, server, &notes{})
			asked := len(read(file))
			began := time.Now()
			var all sync.WaitGroup
			for range 3 {
				all.Add(1)
				safe.Go("close", nil, func() { defer all.Done(); s.Close() })
			}
			all.Wait()
			if took := time.Since(began); took < test.min || took > test.max {
				t.Errorf("took %v", took)
			}
			if diff := cmp.Diff(test.exit, s.Exit()); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(test.log, read(file)[asked:]); diff != "" {
				t.Error(diff)
			}
			if r := echo(t, s, ""); r.Err == nil || r.Written {
				t.Errorf("a call after Close: %+v", r)
			}
		})
	}
}

func TestCloseAndKillEndCallsInFlight(t *testing.T) {
	for name, stop := range map[string]func(*Session){"close": (*Session).Close, "kill": (*Session).Kill} {
		t.Run(name, func(t *testing.T) {
			s := openFake(t, fakeServer(t, "freeze"), &notes{})
			s.server.StopGrace = 100 * time.Millisecond
			end, _ := begin(s, "echo", "")
			eventually(t, "the server stands still", func() bool { return state(s.PID()) == "T" })
			stop(s)
			var exit *ExitError
			if r := wait(t, end); !errors.As(r.Err, &exit) || !r.Written {
				t.Errorf("reply: %+v", r)
			}
			if s.Exit().Signal != "SIGKILL" {
				t.Errorf("exit: %+v", s.Exit())
			}
		})
	}
}

func TestAnswersDuringCloseStillCount(t *testing.T) {
	server := fakeServer(t, "huge-result")
	server.StopGrace = 30 * time.Second // a busy machine takes its time for 9 MB
	s := openFake(t, server, &notes{})
	end, _ := begin(s, "echo", "")
	s.Close()
	if r := wait(t, end); r.Err != nil {
		t.Errorf("reply: %v", r.Err)
	}
}

func TestServerRequestsAreAnswered(t *testing.T) {
	file := filepath.Join(t.TempDir(), "log")
	n := &notes{}
	o := n.options()
	o.Roots = []string{"/tmp/a b"}
	s, err := Open(context.Background(), fakeServer(t, "request-before-init,unknown-request", "FAKE_LOG="+file), o)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	wantEcho(t, s, `{}`)
	log := read(file)
	for _, want := range []string{
		`"id":"p-1","result":{}`,
		`"id":9007199254740993,"result":{"roots":[{"name":"a b","uri":"file:///tmp/a%20b"}]}`,
		`"id":"u1","error":{"code":-32601`,
		`"capabilities":{"roots":{}}`,
		`"protocolVersion":"2025-11-25"`,
	} {
		if !strings.Contains(log, want) {
			t.Errorf("no %s in\n%s", want, log)
		}
	}
	if !strings.Contains(log, `"id":"u2","error":`) {
		t.Error("sampling was not declined:", log)
	}
}

func TestProgressAndListChangedReachTheOwner(t *testing.T) {
	var n notes
	s := openFake(t, fakeServer(t, "progress"), &n)
	wantEcho(t, s, `{}`) // asks for no progress: what comes is nobody's
	end := make(chan spec.Reply, 1)
	s.Call(spec.CallRequest{Tool: "echo", Meta: json.RawMessage(`{"progressToken":"t\u002d1"}`)}, func(r spec.Reply) { end <- r })
	wait(t, end)
	n.mu.Lock()
	if diff := cmp.Diff([]string{`"t-1" {"progressToken":"t-1","progress":12345678901234567890}`}, n.progress); diff != "" {
		t.Error(diff)
	}
	n.mu.Unlock()

	var changes notes
	s = openFake(t, fakeServer(t, "list-changed"), &changes)
	wantEcho(t, s, `{}`)
	changed := func() int { changes.mu.Lock(); defer changes.mu.Unlock(); return changes.changed }
	eventually(t, "the change is told", func() bool { return changed() > 0 })
	s.Close()
	if n := changed(); n != 1 {
		t.Errorf("told %d times", n)
	}
}

func TestJunkIsToldOnceAndCounted(t *testing.T) {
	var n notes
	s := openFake(t, fakeServer(t, "junk-stdout,junk-interleaved"), &n)
	for range 3 {
		wantEcho(t, s, `{}`)
	}
	if count := s.Counts().Junk; count < 5 {
		t.Errorf("%d counted", count)
	}
	if text := n.text(); strings.Count(text, "skipped") != 1 || !strings.Contains(text, "Welcome!") {
		t.Errorf("told: %q", text)
	}
}

func TestSlowStderrSinkStopsNoServer(t *testing.T) {
	t.Parallel()
	block := make(chan struct{})
	s, err := Open(context.Background(), fakeServer(t, "stderr-flood"), Options{Stderr: func(string) { <-block }})
	if err != nil {
		t.Fatal(err)
	}
	wantEcho(t, s, `{}`)
	s.Close()
	close(block)
	if tail := s.Exit().StderrTail; len(tail) != stderrTail || !strings.HasSuffix(tail[stderrTail-1], "1999900") {
		t.Errorf("tail: %q", tail)
	}
}

func TestEveryStderrLineArrivesMasked(t *testing.T) {
	var n notes
	s := openFake(t, fakeServer(t, "stderr-flood,stderr-call"), &n)
	wantEcho(t, s, `{}`)
	eventually(t, "all lines arrive", func() bool { n.mu.Lock(); defer n.mu.Unlock(); return len(n.stderr) == 20_001 })
	if last := n.stderr[20_000]; last != `called\x07 with ***` {
		t.Errorf("%q", last)
	}
}

func TestRefreshListsAnew(t *testing.T) {
	s := openFake(t, fakeServer(t, "pages"), &notes{})
	before := s.Catalogue()
	got, err := s.Refresh(context.Background())
	if err != nil || got == before || s.Catalogue() != got || len(got.Tools) != 10 {
		t.Errorf("%v, %d tools", err, len(got.Tools))
	}
	s.Close()
	if _, err := s.Refresh(context.Background()); err == nil {
		t.Error("a closed session listed its tools")
	}
}

func TestPingTimesOut(t *testing.T) {
	s := openFake(t, fakeServer(t, "ping-silent"), &notes{})
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	if err := s.Ping(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("err = %v", err)
	}
	wantEcho(t, s, `{}`)
}

func TestManySessionsLeakNothing(t *testing.T) {
	open := func() int {
		fds, _ := os.ReadDir("/proc/self/fd")
		return len(fds)
	}
	cycle := func(mode string) {
		s := openFake(t, fakeServer(t, mode), &notes{})
		wantEcho(t, s, `{}`)
		s.Close()
	}
	cycle("ok")
	before := open()
	for i := range 100 {
		cycle([]string{"ok", "child"}[i%2])
	}
	if after := open(); after > before+3 {
		t.Errorf("%d file descriptors before, %d after 100 sessions", before, after)
	}
}
