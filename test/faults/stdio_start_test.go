package faults

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-supervisor/supervisor/actors"
	mcpspec "github.com/mcp-supervisor/supervisor/mcp/spec"
	"github.com/mcp-supervisor/supervisor/messages"
)

// once makes a failed start the only one.
const once = "stop_grace: 200ms, restart: {max_restarts: 0, cooldown: 0s}"

func TestB40StartTimeoutIsTheServersOwn(t *testing.T) {
	t.Parallel()
	r := start(t,
		fakeEntry("short", "slow-init", "start_timeout: 300ms, "+once, "--ms", "1500")+
			fakeEntry("long", "slow-init", "start_timeout: 20s, timeout: 1s", "--ms", "1500"))
	expect(t, r.echo("short"), messages.Unavailable, messages.RanNo, "answer to initialize within 300ms (start_timeout)")
	expect(t, r.echo("long"), messages.OK, messages.RanYes)
}

func TestB42OneBadServerDelaysNobody(t *testing.T) {
	t.Parallel()
	r := start(t, fakeEntry("good", "ok", "")+
		fakeEntry("never", "init-never", "start_timeout: 3s, "+once)+fakeEntry("exits", "exit-on-start", once)+
		"- {id: missing, command: [no-such-command-4711], "+once+"}\n"+
		fakeEntry("slow", "slow-init", "start_timeout: 20s", "--ms", "1500")+
		fakeEntry("lists", "slow-list", "start_timeout: 20s", "--ms", "1500"))
	began := time.Now()
	all := make(chan actors.ToolsResult, 1)
	inBackground(t, func() {
		found, err := r.Tools(context.Background(), actors.ToolsQuery{})
		if err != nil {
			t.Error(err)
		}
		all <- found
	})
	expect(t, r.echo("good"), messages.OK, messages.RanYes)
	if took := time.Since(began); took > 3*time.Second {
		t.Errorf("the good server took %s", took)
	}
	found := <-all
	reasons := map[string]string{}
	for _, down := range found.Down {
		reasons[down.Server] = down.Error.Message
	}
	mentions(t, "never", reasons["never"], "answer to initialize within 3s (start_timeout)")
	mentions(t, "exits", reasons["exits"], "reason-marker-4711")
	mentions(t, "missing", reasons["missing"], "no-such-command-4711")
	up := map[string]bool{}
	for _, tool := range found.Tools {
		up[tool.Server] = true
	}
	if diff := cmp.Diff(map[string]bool{"good": true, "slow": true, "lists": true}, up); diff != "" {
		t.Error(diff)
	}
}

func TestB43ReasonOfAFailedStart(t *testing.T) {
	for mode, want := range map[string][]string{
		"exit-on-start": {"exited with code 3", "reason-marker-4711"},
		"exit-silent":   {"exited with code 3"},
		"init-error":    {"reason-marker-4714"},
		"proto-future":  {`"2099-01-01"`, `"2025-11-25"`, "not started again"},
		"proto-missing": {"named no protocol version", `"2025-11-25"`, "not started again"},
	} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			r := start(t, fakeEntry("fake", mode, once, "--code", "3"))
			expect(t, r.echo("fake"), messages.Unavailable, messages.RanNo, want...)
			s := r.awaitState("fake", messages.StateFailed)
			mentions(t, "status", s.LastExit, want[0])
		})
	}
}

func TestB45EnvAddsToTheEnvironment(t *testing.T) {
	t.Setenv("FAULTS_SECRET_OF_OURS", "x")
	for name, env := range map[string]string{"one": "env: {A: '1'}", "empty": "env: {}", "empty value": "env: {A: ''}", "none": "health: {every: 0s}"} {
		t.Run(name, func(t *testing.T) {
			r := start(t, fakeEntry("fake", "ok", env+", "+quick))
			all := "\n" + mcpspec.Text(r.call("fake", "env", "{}").Result) + "\n"
			mentions(t, "environment", all, "\nPATH="+os.Getenv("PATH")+"\n", "\nHOME=")
			if strings.Contains(all, "FAULTS_SECRET_OF_OURS") {
				t.Error("it sees a variable that nobody passed on")
			}
			switch name {
			case "one":
				mentions(t, "environment", all, "\nA=1\n")
			case "empty value":
				mentions(t, "environment", all, "\nA=\n")
			}
		})
	}
}

func TestB46VariablesAreExpandedEverywhere(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("FAULTS_X", "is x")
	t.Setenv("FAULTS_EMPTY", "")
	t.Setenv("FAULTS_DIR", dir)
	r := start(t, `- {id: fake, command: ["${SUPERVISOR}", fake, --name, "${FAULTS_X} $${FAULTS_X}"], args: [--tools, "a-${FAULTS_EMPTY:-dflt},info,env"],
  env: {V: "<${FAULTS_X}>", W: "${FAULTS_NONE:-none}"}, cwd: "${FAULTS_DIR}", `+quick+`}`)
	mentions(t, "tools", strings.Join(toolNames(r.tools("fake")), " "), "a-dflt")
	var info struct{ CWD, Name string }
	if err := json.Unmarshal([]byte(mcpspec.Text(r.call("fake", "info", "{}").Result)), &info); err != nil {
		t.Fatal(err)
	}
	if real, _ := filepath.EvalSymlinks(dir); info.CWD != dir && info.CWD != real || info.Name != "is x ${FAULTS_X}" {
		t.Errorf("%+v", info)
	}
	mentions(t, "V", mcpspec.Text(r.call("fake", "env", `{"name":"V"}`).Result), "V=<is x>")
	mentions(t, "W", mcpspec.Text(r.call("fake", "env", `{"name":"W"}`).Result), "W=none")
}

func TestB49OddCharactersInCommandAndArguments(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "My App (x)")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, "f $HOME;`id`")
	if err := os.Symlink(os.Args[0], program); err != nil {
		t.Fatal(err)
	}
	want := []string{program, "fake", "--name", `a "b" 'c' $HOME *`, "--log", "", "--ledger", "ünïcödé 日本", "--state", "-dash"}
	var words []string
	for _, word := range want {
		quoted, err := json.Marshal(word)
		if err != nil {
			t.Fatal(err)
		}
		words = append(words, string(quoted))
	}
	r := start(t, "- {id: fake, command: ["+strings.Join(words, ", ")+"], "+quick+"}")
	var info struct{ Argv []string }
	got := r.call("fake", "info", "{}")
	if err := json.Unmarshal([]byte(mcpspec.Text(got.Result)), &info); err != nil {
		t.Fatal(err, shown(got))
	}
	if diff := cmp.Diff(want, info.Argv); diff != "" {
		t.Error(diff)
	}
}
