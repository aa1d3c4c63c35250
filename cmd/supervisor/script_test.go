package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/mcp-supervisor/supervisor/examples"
	"github.com/mcp-supervisor/supervisor/test/faulty/fake"
)

// TestMain makes the test binary the real command as well, and the server that misbehaves on request: scripts, and the
// servers that it starts, execute it anew.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"supervisor": func() { os.Exit(run(os.Args...)) },
		"faulty":     func() { os.Exit(fake.Main(os.Args[1:])) },
	})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("..", "..", "test", "script"),
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       os.Getenv("UPDATE_SCRIPTS") != "",
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"example": example, "exits": exits, "waitfor": waitFor, "lines": lines, "gone": gone, "signal": signalAll, "ended": endedWith,
		},
		Condition: func(name string) (bool, error) {
			switch name {
			case "hup": // SIGHUP is not ignored: scripts that send it make sense
				return !signal.Ignored(syscall.SIGHUP), nil
			case "root":
				return os.Geteuid() == 0, nil
			}
			return false, fmt.Errorf("unknown condition %q", name)
		},
		Setup: func(e *testscript.Env) error {
			e.Values[started{}] = &[]*exec.Cmd{}
			e.Setenv("XDG_RUNTIME_DIR", "")         // sockets go to the script's own folder
			e.Setenv("GORACE", "atexit_sleep_ms=0") // under -race a command would take a second to end
			return nil
		},
	})
}

// barrier bounds every wait of a script.
const barrier = 20 * time.Second

// example NAME DIR unpacks an example.
func example(ts *testscript.TestScript, _ bool, args []string) {
	ts.Check(examples.Extract(args[0], ts.MkAbs(args[1])))
}

// exits CODE PROGRAM [ARGS...] runs a program that must end with that exit code.
func exits(ts *testscript.TestScript, _ bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	code := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var failed *exec.ExitError
		if !errors.As(err, &failed) {
			ts.Fatalf("%v", err)
		}
		code = failed.ExitCode()
	}
	if code != want {
		ts.Fatalf("exit code %d, want %d", code, want)
	}
}

// waitfor GLOB REGEXP waits until a file has a match.
func waitFor(ts *testscript.TestScript, _ bool, args []string) {
	pattern := regexp.MustCompile(args[1])
	for deadline := time.Now().Add(barrier); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		files, err := filepath.Glob(ts.MkAbs(args[0]))
		ts.Check(err)
		for _, file := range files {
			if text, err := os.ReadFile(file); err == nil && pattern.Match(text) {
				return
			}
		}
	}
	ts.Fatalf("%s: no match for %s within %s", args[0], args[1], barrier)
}

// lines COUNT FILE checks how many lines a file has.
func lines(ts *testscript.TestScript, _ bool, args []string) {
	text := ts.ReadFile(args[1])
	if got := strconv.Itoa(strings.Count(text, "\n")); got != args[0] {
		ts.Fatalf("%s has %s lines, want %s:\n%s", args[1], got, args[0], text)
	}
}

// gone FILE checks that nothing is left of the processes, and the process groups, whose ids the file lists.
func gone(ts *testscript.TestScript, _ bool, args []string) {
	ids := strings.Fields(ts.ReadFile(args[0]))
	if len(ids) == 0 {
		ts.Fatalf("%s lists no process", args[0])
	}
	for _, id := range ids {
		pid, err := strconv.Atoi(id)
		ts.Check(err)
		for _, target := range []int{pid, -pid} {
			waitGone(ts, target)
		}
	}
}

func waitGone(ts *testscript.TestScript, target int) {
	for deadline := time.Now().Add(2 * time.Second); !errors.Is(syscall.Kill(target, 0), syscall.ESRCH); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			ts.Fatalf("process %d is still there", target)
		}
	}
}

// started is the key of the commands that got a signal.
type started struct{}

// signal NAME sends INT, TERM or HUP to all commands in the background.
func signalAll(ts *testscript.TestScript, _ bool, args []string) {
	signals := map[string]os.Signal{"INT": os.Interrupt, "TERM": syscall.SIGTERM, "HUP": syscall.SIGHUP}
	told := ts.Value(started{}).(*[]*exec.Cmd)
	*told = ts.BackgroundCmds()
	for _, cmd := range *told {
		ts.Check(cmd.Process.Signal(signals[args[0]]))
	}
}

// ended CODE checks the exit code of the commands that got a signal and were waited for.
func endedWith(ts *testscript.TestScript, _ bool, args []string) {
	for _, cmd := range *ts.Value(started{}).(*[]*exec.Cmd) {
		if got := strconv.Itoa(cmd.ProcessState.ExitCode()); got != args[0] {
			ts.Fatalf("exit code %s, want %s", got, args[0])
		}
	}
}
