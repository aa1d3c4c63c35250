package mcp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// orphanTime is what we promise when the program is killed with SIGKILL.
const orphanTime = 2 * time.Second

// stubborn are servers that no closed pipe and no SIGTERM ends, with helpers.
func stubborn(script, mark string) string {
	return marking(`(trap "" TERM HUP; exec sleep MARK) & `, mark) + marking(script, mark)
}

func TestTheGuardianOutlivesAKilledProgram(t *testing.T) {
	for _, mode := range []string{"", "bare"} {
		for name, script := range leftovers {
			t.Run(name+" "+mode, func(t *testing.T) {
				t.Parallel()
				mark := mark(t)
				h := startHost(t, mode, stubborn(script, mark))
				eventually(t, "the helpers run", func() bool { return len(marked(mark)) > 1 })
				h.kill()
				within(t, orphanTime, "all are gone", func() bool { return len(marked(mark)) == 0 && len(living(h.server)) == 0 })
				within(t, orphanTime, "the guardian is gone", func() bool { return !alive(h.guardian) })
			})
		}
	}
}

func TestTheGuardianKillsWhoLeftEverythingBehindInACgroup(t *testing.T) {
	mark := mark(t)
	h := startHost(t, "", marking(escape, mark))
	if h.guarantee != ByCgroup {
		t.Skip("no cgroup v2 below ours can be made here")
	}
	eventually(t, "the helper runs", func() bool { return len(marked(mark)) > 0 })
	dir, ok := cgroupFolder(read("/proc/self/mountinfo"), read(fmt.Sprintf("/proc/%d/cgroup", h.server)))
	if !ok || !populated(dir) {
		t.Fatalf("the server's cgroup: %s", dir)
	}
	h.kill()
	within(t, orphanTime, "all are gone", func() bool { return len(marked(mark)) == 0 })
	within(t, orphanTime, "the guardian is gone", func() bool { return !alive(h.guardian) })
	if _, err := os.Stat(filepath.Dir(dir)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the cgroup %s is left: %v", filepath.Dir(dir), err)
	}
}

// A program that ends without closing anything, and one that dies while its guardian is being replaced.
func TestTheGuardianIsReplaced(t *testing.T) {
	mark := mark(t)
	h := startHost(t, "bare", stubborn(`setsid sleep MARK & exec "$0"`, mark))
	eventually(t, "the helpers run", func() bool { return len(marked(mark)) > 1 })
	guardian := h.guardian
	for range 3 {
		if err := killOne(guardian); err != nil {
			t.Fatal(err)
		}
		eventually(t, "there is a new one", func() bool { return guardianOf(h.cmd.Process.Pid, &guardian) })
	}
	if len(marked(mark)) != 2 {
		t.Error("the death of the guardian killed somebody")
	}
	h.kill()
	within(t, orphanTime, "all are gone", func() bool { return len(marked(mark)) == 0 && len(living(h.server)) == 0 })
	within(t, orphanTime, "the guardian is gone", func() bool { return !alive(guardian) })
}

// guardianOf finds the guardian of a program, if it is another one than before.
func guardianOf(parent int, guardian *int) bool {
	found := processes(func(pid int) bool {
		stat, _ := readStat(pid)
		return stat.parent == parent && pid != *guardian && strings.Contains(read(fmt.Sprintf("/proc/%d/cmdline", pid)), "mcp-supervisor-guardian")
	})
	if len(found) == 1 {
		*guardian = found[0]
	}
	return len(found) == 1
}

func TestAProgramThatJustExitsIsCleanedUpAfter(t *testing.T) {
	mark := mark(t)
	h := startHost(t, "bare", stubborn(`setsid sleep MARK & exec "$0"`, mark))
	eventually(t, "the helpers run", func() bool { return len(marked(mark)) > 1 })
	h.in.Close()
	_ = h.cmd.Wait()
	within(t, orphanTime, "all are gone", func() bool { return len(marked(mark)) == 0 && len(living(h.server)) == 0 })
}

// ignores reports whether a process ignores a signal.
func ignores(pid int, sig syscall.Signal) bool {
	_, rest, _ := strings.Cut(read(fmt.Sprintf("/proc/%d/status", pid)), "SigIgn:\t")
	var mask uint64
	_, err := fmt.Sscanf(rest, "%x", &mask)
	return err == nil && mask&(1<<(sig-1)) != 0
}

// Servers must not be told to end by what ends programs politely, and neither must the guardian.
func TestTheGuardianKeepsToItself(t *testing.T) {
	g := guard(t, GuardianOptions{})
	var pid int
	proc := func(file string) string { return fmt.Sprintf("/proc/%d/%s", pid, file) }
	eventually(t, "the script runs", func() bool { // it ignores SIGTERM then
		pid = g.PID()
		return ignores(pid, syscall.SIGTERM)
	})
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGPIPE} {
		if err := syscall.Kill(pid, sig); err != nil {
			t.Fatal(err)
		}
	}
	stat, _ := readStat(pid)
	if stat.leader != pid || stat.group != pid || !stat.alive() {
		t.Errorf("not in a session of its own, or dead: %+v", stat)
	}
	fds, _ := os.ReadDir(proc("fd"))
	var names []string
	for _, fd := range fds {
		target, _ := os.Readlink(proc("fd/" + fd.Name()))
		names = append(names, fd.Name()+" "+target)
	}
	if len(names) != 3 || !strings.HasPrefix(names[0], "0 pipe:") || names[1] != "1 /dev/null" || names[2] != "2 /dev/null" {
		t.Errorf("open files: %v", names)
	}
	if dir, _ := os.Readlink(proc("cwd")); dir != "/" || cookieOf(pid) != "" {
		t.Errorf("cwd %q, cookie %q", dir, cookieOf(pid))
	}
	if g.PID() != pid || !alive(pid) {
		t.Error("a signal ended it")
	}
}

// The bystander looks like a leftover of a dead supervisor, so another one that starts just then, in a test of another
// package, may rightly kill it: not the guardian. That it happens three times in a row would be the guardian.
func TestAfterAnOrderlyEndTheGuardianKillsNobody(t *testing.T) {
	for range 3 {
		if bystanderLives(t) {
			return
		}
	}
	t.Error("the bystander was killed each time")
}

func bystanderLives(t *testing.T) bool {
	t.Helper()
	mark := mark(t)
	h := startHost(t, "bare", stubborn(`exec "$0"`, mark))
	cookie, _, _ := strings.Cut(cookieOf(h.server), "/")
	bystander := startWith(t, []string{cookieName + "=" + cookie + "/999", "PATH=" + os.Getenv("PATH")}, "sleep", mark+"9")
	_, _ = h.in.Write([]byte("close\n"))
	_ = h.cmd.Wait()
	within(t, time.Second, "the guardian is gone", func() bool { return !alive(h.guardian) })
	if left := marked(mark); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	return alive(bystander)
}

func TestASlowGuardianHoldsNobodyUp(t *testing.T) {
	var mu sync.Mutex
	var warnings []string
	g := guard(t, GuardianOptions{Warn: func(text string) {
		mu.Lock()
		defer mu.Unlock()
		warnings = append(warnings, text)
	}})
	first := g.PID()
	if err := syscall.Kill(first, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	for pgid := 1 << 29; pgid < 1<<29+20_000; pgid++ { // ids that no process has
		g.add(pgid)
		g.remove(pgid)
	}
	if took := time.Since(began); took > limit {
		t.Errorf("it took %v", took)
	}
	eventually(t, "a new one is there", func() bool { pid := g.PID(); return pid != 0 && pid != first })
	mu.Lock()
	defer mu.Unlock()
	if !slices.ContainsFunc(warnings, func(w string) bool { return strings.Contains(w, "the guardian ended (signal: killed)") }) {
		t.Errorf("warnings: %q", warnings)
	}
}

func TestAStartSweepsAfterADeadInstanceOnly(t *testing.T) {
	deadMark, liveMark := mark(t), mark(t)
	dead := startHost(t, "unguarded", stubborn(`setsid -f sleep MARK; exec "$0"`, deadMark))
	live := startHost(t, "unguarded", stubborn(`setsid sleep MARK & exec "$0"`, liveMark))
	eventually(t, "the helpers run", func() bool { return len(marked(deadMark)) > 0 && len(marked(liveMark)) == 2 })
	if n := sweepDead(); n != 0 && len(marked(liveMark)) != 2 {
		t.Fatalf("swept %d while all lived", n)
	}
	dead.kill()
	guard(t, GuardianOptions{})
	if left := marked(deadMark); len(left) > 0 {
		t.Errorf("left of the dead one: %v", left)
	}
	if got := len(marked(liveMark)); got != 2 || !alive(live.server) {
		t.Errorf("%d helpers of the living one, its server lives: %v", got, alive(live.server))
	}
}

func TestSessionsWithoutAGuardianShareOneInstance(t *testing.T) {
	g := unguarded()
	a, b := g.cookie(), g.cookie()
	if a == b || !strings.HasPrefix(a, g.Cookie()+"/") || g.PID() != 0 {
		t.Errorf("%s, %s", a, b)
	}
	g.Close()
}

func TestClosedTwice(t *testing.T) {
	g := guard(t, GuardianOptions{})
	pid := g.PID()
	g.Close()
	g.Close()
	if alive(pid) || g.PID() != 0 {
		t.Error("it lives")
	}
	g.add(1 << 29)
	g.remove(1 << 29)
	(*Guardian)(nil).Close()
}

func TestMissingToolsAreSaid(t *testing.T) {
	if err := guardianTools(guardianPath()); err != nil {
		t.Error(err)
	}
	dir := t.TempDir()
	for _, tool := range []string{"sh", "grep", "xargs"} {
		if err := guardianTools(dir); err == nil || !strings.Contains(err.Error(), `"`+tool+`" was not found`) {
			t.Errorf("err = %v", err)
		}
		if err := os.WriteFile(filepath.Join(dir, tool), nil, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := guardianTools(dir); err == nil || !strings.Contains(err.Error(), `"sleep"`) {
		t.Errorf("err = %v", err)
	}
}

// B10: no zombie, descriptor or goroutine stays behind a restart. RESTARTS=1000 makes it a longer run.
func TestRestartsLeaveNothing(t *testing.T) {
	restarts := envInt("RESTARTS", 200)
	g := guard(t, GuardianOptions{})
	one := func() {
		server := scripted(t, "", `setsid sleep 3600 & while read -r line; do case $line in
*initialize\"*) echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"sh","version":"1"}}}' ;;
*tools/list*) id=${line#*\"id\":}; echo "{\"jsonrpc\":\"2.0\",\"id\":${id%%,*},\"result\":{\"tools\":[]}}" ;;
esac; done`)
		s, err := Open(context.Background(), server, Options{Guardian: g})
		if err != nil {
			t.Fatal(err)
		}
		s.Kill()
	}
	for range 5 {
		one()
	}
	fds, goroutines := openFiles(), runtime.NumGoroutine()
	for range restarts {
		one()
	}
	if zombies := zombiesOf(os.Getpid()); len(zombies) > 0 {
		t.Errorf("zombies: %v", zombies)
	}
	eventually(t, "no more files are open", func() bool { return openFiles() <= fds+2 })
	eventually(t, "no more goroutines run", func() bool { return runtime.NumGoroutine() <= goroutines+2 })
	if len(g.groups) > 0 {
		t.Errorf("groups: %v", g.groups)
	}
}

func openFiles() int {
	list, _ := os.ReadDir("/proc/self/fd")
	return len(list)
}

func zombiesOf(parent int) (list []int) {
	for _, pid := range pids() {
		if stat, ok := readStat(pid); ok && stat.parent == parent && !stat.alive() {
			list = append(list, pid)
		}
	}
	return list
}

// B08: stubborn servers are stopped at the same time: together they take one sequence of graces.
func TestNineStubbornServersTakeOneGrace(t *testing.T) {
	g := guard(t, GuardianOptions{})
	var sessions []*Session
	for range 9 {
		server := fakeServer(t, "ignore-eof,ignore-sigterm")
		server.StopGrace = 500 * time.Millisecond
		s, err := Open(context.Background(), server, Options{Guardian: g})
		if err != nil {
			t.Fatal(err)
		}
		sessions = append(sessions, s)
	}
	began := time.Now()
	var all sync.WaitGroup
	for _, s := range sessions {
		all.Go(s.Close)
	}
	all.Wait()
	if took := time.Since(began); took < time.Second || took > 3*time.Second {
		t.Errorf("it took %v; one sequence is 1s", took)
	}
}

func TestOrphansAreReapedByPID(t *testing.T) {
	stop := AdoptOrphans()
	defer stop()
	mark := mark(t)
	server := scripted(t, "", marking(`for i in 1 2 3 4 5; do (setsid sleep MARK &) ; done; exec "$0"`, mark))
	server.Env["FAKE_MODE"], server.Env["FAKE_CODE"] = "ok", "7"
	s, err := Open(context.Background(), server, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	orphans := []int{}
	eventually(t, "the orphans come to us", func() bool {
		orphans = marked(mark)
		strangers := slices.ContainsFunc(orphans, func(pid int) bool { stat, _ := readStat(pid); return stat.parent != os.Getpid() })
		return len(orphans) == 5 && !strangers
	})
	for _, pid := range orphans {
		_ = killOne(pid)
	}
	eventually(t, "they are reaped", func() bool {
		return !slices.ContainsFunc(orphans, func(pid int) bool { _, there := readStat(pid); return there })
	})
	s.Close()
	if exit := s.Exit(); exit.Code != 7 {
		t.Errorf("the server's own exit status was taken: %+v", exit)
	}
	stop()
	stop()
}

func TestTheReaperOfOrphansLeavesOursAlone(t *testing.T) {
	cmd := exec.Command("sh", "-c", "exit 7")
	if err := startOwn(cmd); err != nil {
		t.Fatal(err)
	}
	eventually(t, "it has ended", func() bool { return state(cmd.Process.Pid) == "Z" })
	eventually(t, "the reaper had its turn", reapOrphans)
	await(cmd)
	if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != 7 {
		t.Errorf("its exit status was taken: %v", cmd.ProcessState)
	}
}

// startWith starts a process with exactly that environment and returns its id.
func startWith(t *testing.T, env []string, name string, args ...string) int {
	t.Helper()
	path, err := find(name, "/", os.Getenv("PATH"))
	if err != nil {
		t.Fatal(err)
	}
	p, err := os.StartProcess(path, append([]string{name}, args...), &os.ProcAttr{Env: env, Sys: &syscall.SysProcAttr{Setsid: true}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Kill(); _, _ = p.Wait() })
	eventually(t, "it runs", func() bool {
		return bytes.HasPrefix([]byte(read("/proc/"+strconv.Itoa(p.Pid)+"/cmdline")), []byte(name))
	})
	return p.Pid
}
