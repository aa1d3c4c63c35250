//go:build unix

package mcp

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mcp-supervisor/supervisor/mcp/spec"
)

func TestOpenSaysWhyItFailed(t *testing.T) {
	dir := t.TempDir()
	plain := filepath.Join(dir, "plain")
	noLine := filepath.Join(dir, "no-line")
	noInterpreter := filepath.Join(dir, "no-interpreter")
	for path, content := range map[string]string{plain: "x", noLine: "\x00\x01", noInterpreter: "#!/no/such/interpreter\n"} {
		if err := os.WriteFile(path, []byte(content), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(plain, 0o600); err != nil {
		t.Fatal(err)
	}
	command := func(argv ...string) func(*spec.Server) {
		return func(s *spec.Server) { s.Command = argv }
	}
	soon := func(s *spec.Server) { s.StartTimeout = 300 * time.Millisecond }
	tests := []struct {
		name     string
		modes    string
		change   func(*spec.Server)
		want     []string
		code     int
		signal   string
		hopeless bool
	}{
		{"not found", "", command("no-such-command-4711"), []string{`"no-such-command-4711" was not found`, "PATH=/"}, -1, "", true},
		{"path not found", "", command("./nope"), []string{"/nope was not found"}, -1, "", true},
		{"no command", "", command(), []string{"no command"}, -1, "", true},
		{"not executable", "", command(plain), []string{plain, "is not executable"}, -1, "", true},
		{"a directory", "", command(dir), []string{dir, "is a directory"}, -1, "", true},
		{"no program", "", command(noLine), []string{"is not a program", "#!"}, -1, "", true},
		{"no interpreter", "", command(noInterpreter), []string{"interpreter"}, -1, "", true},
		{"bad cwd", "", func(s *spec.Server) { s.Cwd = "/no/such/dir" }, []string{"working directory /no/such/dir does not exist"}, -1, "", true},
		{"cwd is a file", "", func(s *spec.Server) { s.Cwd = plain }, []string{"is not a directory"}, -1, "", true},
		{"unknown transport", "", func(s *spec.Server) { s.Transport = "pigeon" }, []string{"pigeon", "stdio, http or sse"}, -1, "", true},
		{"exit on start", "exit-on-start", nil, []string{"exited with code 3 before it answered initialize", `reason-marker-4711: no \x1b[31mdatabase`, "token ***"}, 3, "", false},
		{"silent exit", "exit-silent", nil, []string{"exited with code 7"}, 7, "", false},
		{"exit on initialize", "exit-on-init", nil, []string{"exited with code 9", "cannot initialize"}, 9, "", false},
		{"killed", "kill-on-start", nil, []string{"killed by SIGKILL before"}, -1, "SIGKILL", false},
		{"server's own error", "init-error", nil, []string{"reason-marker-4714: licence *** expired"}, 0, "", false},
		{"never answers", "init-never", soon, []string{"no answer to initialize within 300ms (start_timeout)"}, -1, "SIGTERM", false},
		{"slow to answer", "slow-init", soon, []string{"no answer to initialize within 300ms (start_timeout)"}, 143, "", false},
		{"never lists", "slow-list", func(s *spec.Server) { s.StartTimeout = 2 * time.Second }, []string{"no answer to tools/list within 2s (start_timeout)"}, 143, "", false},
		{"does not list", "list-error", nil, []string{"refused tools/list", "reason-marker-4715"}, 0, "", false},
		{"unknown version", "proto-future", nil, []string{"2099-01-01", "2025-11-25"}, 0, "", true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			server := fakeServer(t, test.modes)
			server.StopGrace = 400 * time.Millisecond
			if test.change != nil {
				test.change(&server)
			}
			s, err := Open(context.Background(), server, (&notes{}).options())
			var open *OpenError
			if s != nil || !errors.As(err, &open) || open.Server != "fake" {
				t.Fatalf("session %v, err = %v", s, err)
			}
			for _, want := range test.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("no %q in %q", want, err)
				}
			}
			if strings.Contains(err.Error(), "hunter2") || strings.Contains(open.Err.Error(), "hunter2") {
				t.Errorf("a secret in %q", err)
			}
			if e := open.Exit; e.Code != test.code || e.Signal != test.signal || e.Hopeless != test.hopeless {
				t.Errorf("exit: %#v", e)
			}
		})
	}
}

func TestOpenErrorsMatch(t *testing.T) {
	server := fakeServer(t, "")
	server.Command = []string{"./nope"}
	if _, err := Open(context.Background(), server, Options{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("err = %v", err)
	}
	server = fakeServer(t, "slow-init")
	server.StartTimeout = 100 * time.Millisecond
	_, err := Open(context.Background(), server, Options{})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("err = %v", err)
	}
	if want := `server "fake": gave no answer to initialize within 100ms (start_timeout)`; err.Error() != want {
		t.Errorf("says %q, want %q", err, want)
	}
}

func TestGivenUpOpenLeavesNothing(t *testing.T) {
	file := filepath.Join(t.TempDir(), "log")
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	server := fakeServer(t, "slow-init,ignore-sigterm,child", "FAKE_LOG="+file)
	pid := filepath.Join(t.TempDir(), "pid")
	server.Command = []string{"sh", "-c", `echo $$ > "$1"; "$0"; true`, server.Command[0], pid}
	server.StopGrace = 100 * time.Millisecond
	timer := time.AfterFunc(500*time.Millisecond, cancel)
	defer timer.Stop()
	_, err := Open(ctx, server, Options{})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("err = %v", err)
	}
	if list := living(atoi(strings.TrimSpace(read(pid)))); len(list) > 0 {
		t.Errorf("left: %v", list)
	}
}

func atoi(s string) (n int) {
	for _, c := range s {
		n = 10*n + int(c-'0')
	}
	return n
}

func TestArgumentVectorAndEnvironment(t *testing.T) {
	t.Setenv("A_SECRET_OF_OURS", "x")
	t.Setenv("LC_TEST", "y")
	server := fakeServer(t, "ok", "EMPTY=", "HOME=/elsewhere")
	dir := filepath.Join(t.TempDir(), "My App (x)")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	odd := filepath.Join(dir, "f $HOME;`id`")
	if err := os.Symlink(server.Command[0], odd); err != nil {
		t.Fatal(err)
	}
	server.Command = []string{odd, "a b", `"`, "", "$HOME", "ü", "-x", "*"}
	s := openFake(t, server, &notes{})
	end, _ := begin(s, "argv", "")
	argv := string(wait(t, end).Result)
	if want := `/f $HOME;` + "`id`" + `","a b","\"","","$HOME","ü","-x","*"]}`; !strings.HasSuffix(argv, want) {
		t.Errorf("argv %s", argv)
	}
	end, _ = begin(s, "env", "")
	env := string(wait(t, end).Result)
	for want, present := range map[string]bool{`"PATH=`: true, `"LC_TEST=y"`: true, `"EMPTY="`: true, `"HOME=/elsewhere"`: true, "A_SECRET": false} {
		if strings.Contains(env, want) != present {
			t.Errorf("%s in env: %v; %s", want, !present, env)
		}
	}
}
