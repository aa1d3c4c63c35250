package remote

import (
	"context"
	"io"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/mcp-supervisor/supervisor/governance"
	"github.com/mcp-supervisor/supervisor/internal/safe"
)

// bound is longer than anything here takes on a busy machine.
const bound = time.Minute

func TestACommandAnswers(t *testing.T) {
	p := fake(t, "say", map[string]string{"SAY": allow})
	if d := p.EvaluateAction(t.Context(), act()); !d.Allowed || d.Rule != "fake" || d.Diagnostic != "" {
		t.Errorf("got %+v", d)
	}
}

func TestACommandNeedNotReadItsRequest(t *testing.T) {
	a := act()
	a.Arguments = []byte(`{"text":"` + strings.Repeat("x", 1<<20) + `"}`) // more than a pipe holds
	if d := fake(t, "deaf", nil).EvaluateAction(t.Context(), a); !d.Allowed {
		t.Errorf("got %+v", d)
	}
}

// A command sees what is configured for it and PATH: no secret of ours, no shell.
func TestWhatACommandSees(t *testing.T) {
	t.Setenv("OUR_SECRET", "x")
	d := fake(t, "show", map[string]string{"GIVEN": "y"}).EvaluateAction(t.Context(), act())
	env, rest, _ := strings.Cut(d.Reason, " ")
	if env != "env=FAKE,GIVEN,GORACE,PATH" {
		t.Errorf("it sees %s", env)
	}
	if !strings.Contains(rest, "args=[a b $HOME]") || !strings.Contains(rest, `{"version":1,"method":"evaluate_action"`) {
		t.Errorf("it sees %s", rest)
	}
}

func TestACommandThatFailsIsANo(t *testing.T) {
	for _, tt := range []struct{ name, kind, say, diagnostic string }{
		{"a code that is not 0, whatever it says", "fail", "", "exit status 3; it says: no [8mmodel!"},
		{"no answer", "say", "", "not valid JSON"},
		{"two answers", "say", allow + allow, "not valid JSON"},
		{"too long an answer", "flood", "", "the answer is longer than 65536 bytes"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := fake(t, tt.kind, map[string]string{"SAY": tt.say}).EvaluateAction(t.Context(), act())
			closed(t, d, tt.diagnostic)
			if len(d.Diagnostic) > 2000 || strings.ContainsAny(d.Diagnostic, "\n\x1b") {
				t.Errorf("the diagnostic is not one bounded line: %q", d.Diagnostic)
			}
		})
	}
}

func TestACommandThatIsGoneIsANo(t *testing.T) {
	p, err := NewExec(Exec{Command: []string{"./gone"}, Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	closed(t, p.EvaluateAction(t.Context(), act()), "no such file")
}

func TestNewExecFaults(t *testing.T) {
	for want, command := range map[string][]string{
		"the command is empty": nil, "governance provider: the command": {""}, "executable file not found": {"no-such-provider"},
	} {
		if _, err := NewExec(Exec{Command: command}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", command, err, want)
		}
	}
}

func TestACommandHasItsTime(t *testing.T) {
	host := listen(t)
	p, err := NewExec(Exec{Command: []string{os.Args[0]}, Env: map[string]string{"FAKE": "hang", "HOST": host.Addr().String()}, Timeout: 50 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	closed(t, p.EvaluateAction(t.Context(), act()), "no answer within 50ms")
}

// What a command started goes with it.
func TestACommandIsKilledAsAGroup(t *testing.T) {
	host := listen(t)
	p := fake(t, "brood", map[string]string{"HOST": host.Addr().String()})
	ctx, cancel := context.WithCancel(t.Context())
	answer := make(chan governance.Decision, 1)
	safe.Go("test", nil, func() { answer <- p.EvaluateAction(ctx, act()) })
	alive := []net.Conn{accept(t, host), accept(t, host)}
	cancel()
	closed(t, <-answer, "context canceled")
	for _, conn := range alive {
		gone(t, conn)
	}
}

func TestACommandLeavesNobodyBehind(t *testing.T) {
	host := listen(t)
	p := fake(t, "leave", map[string]string{"HOST": host.Addr().String()})
	answer := make(chan governance.Decision, 1)
	safe.Go("test", nil, func() { answer <- p.EvaluateAction(t.Context(), act()) })
	left := accept(t, host)
	closed(t, <-answer, "left a process behind")
	gone(t, left)
}

// The seventeenth waits for its turn, and its time runs meanwhile.
func TestSoManyCommandsAtOnce(t *testing.T) {
	host := listen(t)
	p := fake(t, "hang", map[string]string{"HOST": host.Addr().String()})
	ctx, cancel := context.WithCancel(t.Context())
	answers := make(chan governance.Decision, maxAtOnce)
	for range maxAtOnce {
		safe.Go("test", nil, func() { answers <- p.EvaluateAction(ctx, act()) })
	}
	for range maxAtOnce {
		accept(t, host)
	}
	short, stop := context.WithTimeout(t.Context(), time.Millisecond)
	defer stop()
	closed(t, p.EvaluateAction(short, act()), "context deadline exceeded")
	cancel()
	for range maxAtOnce {
		closed(t, <-answers, "context canceled")
	}
}

// closed checks that a decision is a no which tells the caller nothing and the log what happened.
func closed(t *testing.T, d governance.Decision, diagnostic string) {
	t.Helper()
	if d.Allowed || d.NeedsCatalogue || d.Approve != nil || d.Rule != governance.RuleProvider || d.Outcome != "denied" {
		t.Errorf("got %+v, want a no of the provider", d)
	}
	if !strings.Contains(d.Diagnostic, diagnostic) || d.Reason != failed(io.EOF).Reason {
		t.Errorf("diagnostic %q, want %q; reason %q", d.Diagnostic, diagnostic, d.Reason)
	}
}

func listen(t *testing.T) *net.TCPListener {
	t.Helper()
	host, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { host.Close() })
	return host
}

func accept(t *testing.T, host *net.TCPListener) net.Conn {
	t.Helper()
	host.SetDeadline(time.Now().Add(bound))
	conn, err := host.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}

// gone waits until the process at the other end is dead.
func gone(t *testing.T, conn net.Conn) {
	t.Helper()
	conn.SetReadDeadline(time.Now().Add(bound))
	if _, err := conn.Read(make([]byte, 1)); err == nil || os.IsTimeout(err) {
		t.Errorf("it lives: %v", err)
	}
}
