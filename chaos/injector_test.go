package chaos

import (
	"bufio"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-supervisor/supervisor/actors"
	"github.com/mcp-supervisor/supervisor/mcp"
	"github.com/mcp-supervisor/supervisor/messages"
)

// fakeSession is a session with a process of the test's, or with none. It notes what is done to its stream.
type fakeSession struct {
	actors.Session
	pid  int
	done chan struct{}
	hurt []string
}

func (f *fakeSession) PID() int              { return f.pid }
func (f *fakeSession) Done() <-chan struct{} { return f.done }

func (f *fakeSession) Break(fault mcp.Fault) error {
	switch fault {
	case mcp.CloseStdin:
		f.hurt = append(f.hurt, "stdin")
	case mcp.CloseStdout:
		f.hurt = append(f.hurt, "stdout")
	}
	return nil
}

func (f *fakeSession) Slow(by, period time.Duration) error {
	f.hurt = append(f.hurt, "slow "+by.String()+" for "+period.String())
	return nil
}

// stand is an injector with servers that are up, each in its first incarnation.
func stand(t *testing.T, victims []victim, live map[string]*fakeSession) *injector {
	t.Helper()
	s, b := newSessions(), newBooks()
	for id, session := range live {
		s.live[id] = opened{session, t0}
		b.see(messages.Event{Kind: messages.ServerUp, Server: id, Incarnation: 1, Time: after(1)})
	}
	return newInjector(victims, s, b)
}

// child is a process that lives until it is killed, with a line of output when it runs.
func child(t *testing.T) (*exec.Cmd, *fakeSession) {
	t.Helper()
	cmd := exec.Command("sh", "-c", "echo up; exec sleep 600")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	return cmd, &fakeSession{pid: cmd.Process.Pid, done: make(chan struct{})}
}

func TestKillsHitTheProcess(t *testing.T) {
	for _, kind := range []Kind{Kill, Wrapper} {
		cmd, session := child(t)
		i := stand(t, []victim{{id: "a"}}, map[string]*fakeSession{"a": session})
		i.strike(strike{kind: kind})
		_ = cmd.Wait()
		if ws := cmd.ProcessState.Sys().(syscall.WaitStatus); ws.Signal() != syscall.SIGKILL {
			t.Errorf("%s: ended with %s", kind, cmd.ProcessState)
		}
		if diff := cmp.Diff(map[Kind]int{kind: 1}, i.books.hits["a"]); diff != "" {
			t.Errorf("hits (-want +got):\n%s", diff)
		}
	}
}

func TestAHangEndsWhenItIsNoticed(t *testing.T) {
	_, session := child(t)
	i := stand(t, []victim{{id: "a"}}, map[string]*fakeSession{"a": session})
	i.strike(strike{kind: Hang})
	i.strike(strike{kind: Kill}) // what hangs is left alone
	close(session.done)
	i.thawing.Wait()
	missed, notNoticed := i.counts()
	if missed != 1 || len(notNoticed) > 0 || i.busy["a"] {
		t.Errorf("missed %d, not noticed %v, busy %v", missed, notNoticed, i.busy)
	}
	if diff := cmp.Diff(1, len(i.books.unrecovered("a"))); diff != "" {
		t.Errorf("a hang is something to recover from (-want +got):\n%s", diff)
	}
}

func TestAStopEndsByItself(t *testing.T) {
	_, session := child(t)
	i := stand(t, []victim{{id: "a"}}, map[string]*fakeSession{"a": session})
	i.strike(strike{kind: Stop, length: time.Millisecond})
	i.thawing.Wait()
	if open := i.books.unrecovered("a"); len(open) > 0 || i.busy["a"] {
		t.Errorf("after a stop: %v to recover from, busy %v", open, i.busy)
	}
}

// A hang that nobody ended is no loss of an incarnation.
func TestAHangThatIsNotNoticed(t *testing.T) {
	_, session := child(t)
	i := stand(t, []victim{{id: "a"}}, map[string]*fakeSession{"a": session})
	o, _ := i.sessions.of("a")
	p, err := hold(o, itself)
	if err != nil {
		t.Fatal(err)
	}
	defer p.release()
	hit := blow{kind: Hang, server: "a", incarnation: 1, at: t0}
	i.books.strike(hit)
	i.thaw(reached{o, "a", 1}, p, time.Millisecond, hit)
	_, notNoticed := i.counts()
	if diff := cmp.Diff(map[string]int{"a": 1}, notNoticed); diff != "" || len(i.books.unrecovered("a")) > 0 {
		t.Errorf("not noticed (-want +got):\n%s; to recover from: %v", diff, i.books.unrecovered("a"))
	}
}

func TestOnlyTheStreamOfARemoteServerIsHurt(t *testing.T) {
	session := &fakeSession{done: make(chan struct{})}
	i := stand(t, []victim{{id: "far", remote: true}}, map[string]*fakeSession{"far": session})
	for _, s := range []strike{
		{kind: Kill},
		{kind: Wrapper},
		{kind: Stop},
		{kind: Hang},
		{kind: Pipe},
		{kind: Pipe, stdout: true},
		{kind: Slow, length: shortest},
	} {
		i.strike(s)
	}
	if diff := cmp.Diff([]string{"stdin", "stdout", "slow 50ms for 1s"}, session.hurt); diff != "" {
		t.Errorf("hurt (-want +got):\n%s", diff)
	}
	if missed, _ := i.counts(); missed != 4 {
		t.Errorf("%d strikes missed, want the 4 that need a process", missed)
	}
}

func TestNobodyIsStruckThatIsNotUp(t *testing.T) {
	dead := &fakeSession{done: make(chan struct{})}
	close(dead.done)
	fresh := &fakeSession{done: make(chan struct{})}
	i := stand(t, []victim{{id: "never"}, {id: "dead"}, {id: "fresh"}}, map[string]*fakeSession{"dead": dead})
	i.sessions.live["fresh"] = opened{fresh, after(1)} // opened, and no event of it yet
	i.strike(strike{kind: Slow})
	if missed, _ := i.counts(); missed != 1 || i.books.struck("dead") || i.books.struck("fresh") {
		t.Errorf("missed %d, hits %v", missed, i.books.hits)
	}
}

func TestVictimsGoByPosition(t *testing.T) {
	live := map[string]*fakeSession{}
	var victims []victim
	for _, id := range []string{"a", "b", "c", "d"} {
		live[id] = &fakeSession{done: make(chan struct{})}
		victims = append(victims, victim{id: id})
	}
	i := stand(t, victims, live)
	close(live["b"].done)
	for _, position := range []float64{0, 0.34, 0.99} { // of the three that are up
		i.strike(strike{kind: Slow, victim: position, length: shortest})
	}
	for id, want := range map[string]int{"a": 1, "b": 0, "c": 1, "d": 1} {
		if got := i.books.hits[id][Slow]; got != want {
			t.Errorf("%s was struck %d times, want %d", id, got, want)
		}
	}
}

func TestHoldTakesOnlyWhatIsOurs(t *testing.T) {
	_, session := child(t)
	stranger := func(int) int { return syscall.Getppid() }
	if p, err := hold(opened{session, t0}, stranger); err == nil {
		p.release()
		t.Error("held a process that is not below the session's")
	}
	close(session.done)
	if p, err := hold(opened{session, t0}, itself); err == nil {
		p.release()
		t.Error("held a process of a dead session, whose id may be anybody's")
	}
}

func TestTheProcessThatServes(t *testing.T) {
	for _, tt := range []struct {
		name  string
		below []int
		stdin map[int]string
		want  int
	}{
		{"a bare server", nil, map[int]string{1: "pipe:[7]"}, 1},
		{"npx, sh, node", []int{2, 3}, map[int]string{1: "pipe:[7]", 2: "pipe:[7]", 3: "pipe:[7]"}, 3},
		{"a server with a browser", []int{2, 3}, map[int]string{1: "pipe:[7]", 2: "pipe:[7]", 3: "/dev/null"}, 2},
		{"a helper that was started first", []int{2, 3}, map[int]string{1: "pipe:[7]", 2: "socket:[9]", 3: "pipe:[7]"}, 3},
		{"no /proc", []int{2}, nil, 1},
	} {
		if got := servingOf(1, tt.below, func(pid int) string { return tt.stdin[pid] }); got != tt.want {
			t.Errorf("%s: process %d serves, want %d", tt.name, got, tt.want)
		}
	}
}
