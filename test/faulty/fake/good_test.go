package fake

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestBaseTools(t *testing.T) {
	dir := t.TempDir()
	ledger, state := filepath.Join(dir, "ledger"), filepath.Join(dir, "state")
	p := start(t, "--ledger", ledger, "--state", state)
	p.initialize()
	if diff := cmp.Diff([]string{"echo", "add", "sleep", "write", "env", "info", "noargs", "bigint"}, p.toolNames()); diff != "" {
		t.Errorf("tools (-want +got):\n%s", diff)
	}
	for _, tc := range []struct{ tool, args, want string }{
		{"echo", `{"text":"grüße <>&"}`, `"text":"grüße \u003c\u003e\u0026"`},
		{"echo", `{"text":5}`, `"code":-32602`},
		{"add", `{"a":1,"b":2.5}`, `"text":"3.5"`},
		{"add", `{"a":"1"}`, `"code":-32602`},
		{"sleep", `{"ms":1}`, `"text":"slept 1 ms"`},
		{"write", `{"what":"two\nlines"}`, `"text":"wrote two\nlines"`},
		{"env", `{"name":"FAULTY_TEST_TOKEN"}`, `"text":"FAULTY_TEST_TOKEN=sk-marker-99"`},
		{"env", `{"name":"FAULTY_TEST_EMPTY"}`, `"text":"FAULTY_TEST_EMPTY="`},
		{"env", `{"name":"FAULTY_TEST_NONE"}`, `"text":"FAULTY_TEST_NONE is not set"`},
		{"env", `{}`, `\nFAULTY_TEST_EMPTY=\n`},
		{"info", `{}`, fmt.Sprintf(`\"pid\":%d`, p.cmd.Process.Pid)},
		{"info", `{}`, `\"starts\":1`},
		{"noargs", `{}`, `"text":"no arguments"`},
		{"bigint", `{}`, `{"a":9007199254740993,"b":9223372036854775807}`},
		{"unlisted", `{}`, `"text":"unlisted of faulty"`},
	} {
		if got := p.call(tc.tool, tc.args); !strings.Contains(got, tc.want) {
			t.Errorf("%s(%s) = %s, want %s in it", tc.tool, tc.args, got, tc.want)
		}
	}
	if got := content(ledger); got != "two\\nlines\n" {
		t.Errorf("ledger holds %q", got)
	}
}

func TestOtherRequests(t *testing.T) {
	p := start(t)
	for _, tc := range []struct{ send, want string }{
		{`{"jsonrpc":"2.0","id":"a","method":"ping"}`, `{"jsonrpc":"2.0","id":"a","result":{}}`},
		{`{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"x":[]}}`, `"code":-32601`},
		{`{"jsonrpc":"2.0","id":2,"method":"initialize","params":{"protocolVersion":"1999-01-01"}}`, `"protocolVersion":"2025-11-25"`},
		{`{"jsonrpc":"2.0","id":3,"method":"initialize","params":{"protocolVersion":"2024-11-05"}}`, `"protocolVersion":"2024-11-05"`},
		{`{"jsonrpc":"2.0","id":4,"method":"tools/list","params":{"cursor":7}}`, `"tools":[`},
		{`nonsense`, `"id":null,"error":{"code":-32700`},
		{`{"jsonrpc":"2.0","id":99,"result":{}}` + "\n" + `{"jsonrpc":"2.0","id":5,"method":"ping"}`, `"id":5,"result":{}`},
	} {
		p.send(tc.send)
		p.wantLine(tc.want)
	}
}

// The options of every fake.
func TestOptions(t *testing.T) {
	dir := t.TempDir()
	log, pids, state := filepath.Join(dir, "log"), filepath.Join(dir, "pids"), filepath.Join(dir, "state")
	args := []string{"--log", log, "--pidfile", pids, "--state", state, "--name", "one", "--tools", "search,echo"}
	start(t, args...)
	eventually(t, "first start", func() bool { return strings.Count(content(state), "\n") == 1 })
	p := start(t, args...)
	if got := p.initialize(); !strings.Contains(got, `"name":"one"`) {
		t.Errorf("initialize = %s", got)
	}
	if diff := cmp.Diff([]string{"search", "echo"}, p.toolNames()); diff != "" {
		t.Errorf("tools (-want +got):\n%s", diff)
	}
	for tool, want := range map[string]string{"search": "search of one", "info": `\"starts\":2`, "echo": `"text":""`} {
		if got := p.call(tool, `{}`); !strings.Contains(got, want) {
			t.Errorf("%s = %s, want %s", tool, got, want)
		}
	}
	p.signal(syscall.SIGTERM)
	p.exits("signal: terminated")
	for _, want := range []string{`"method":"notifications/initialized"}` + "\n", "SIGTERM\n"} {
		if !strings.Contains(content(log), want) {
			t.Errorf("the log lacks %q:\n%s", want, content(log))
		}
	}
	if want := fmt.Sprintf("server %d ", p.cmd.Process.Pid); !strings.Contains(content(pids), want) {
		t.Errorf("the pidfile lacks %q:\n%s", want, content(pids))
	}
}

func TestCancelledSleepIsNotAnswered(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log")
	p := start(t, "--log", log)
	id := p.request("tools/call", `{"name":"sleep","arguments":{"ms":600000}}`)
	p.send(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`, id))
	eventually(t, "sleep-stopped", func() bool { return strings.Contains(content(log), "sleep-stopped\n") })
	p.stillAnswersPing()
}

// A launcher, its shell and the inner server are three lines, each the child of the one before.
func TestPidfileOfALauncher(t *testing.T) {
	pids := filepath.Join(t.TempDir(), "pids")
	p := start(t, "--mode", "wrapper", "--pidfile", pids)
	chain := launched(p)
	want := fmt.Sprintf("sh %d %d\nserver %d %d\n", chain[0], p.cmd.Process.Pid, chain[1], chain[0])
	if got := content(pids); !strings.HasPrefix(got, fmt.Sprintf("wrapper %d ", p.cmd.Process.Pid)) || !strings.HasSuffix(got, want) {
		t.Errorf("the pidfile holds %q, want a wrapper and then %q", got, want)
	}
}

func TestWrongCommandLines(t *testing.T) {
	for _, tc := range []struct {
		args []string
		want string
	}{
		{[]string{"--mode", "ok,crash-on-cal"}, `unknown mode "crash-on-cal"`},
		{[]string{"stray"}, `unexpected argument "stray"`},
		{[]string{"--n", "many"}, "invalid value"},
	} {
		p := start(t, tc.args...)
		p.exits(fmt.Sprintf("exit status %d", exitUsage))
		eventually(t, tc.want, func() bool { return strings.Contains(p.stderr.String(), tc.want) })
	}
	start(t, "-h").exits("exit status 0")
	list := start(t, "--list")
	for _, m := range catalogue() {
		list.wantLine(m.name, m.about)
	}
	list.exits("exit status 0")
}

// A number that is not given is the mode's own, the first mode's if several have one; a zero that is given is a zero.
func TestNumbers(t *testing.T) {
	for _, tc := range []struct {
		args string
		want numbers
	}{
		{"", numbers{}},
		{"--mode crash-after-n", numbers{n: 2}},
		{"--mode crash-after-n --n 7", numbers{n: 7}},
		{"--mode crash-after-n --n 0", numbers{}},
		{"--mode paginated-tools,crash-after-n", numbers{n: 3}},
		{"--mode exit-on-start,slow-exit", numbers{code: 1, ms: 800}},
	} {
		opt, err := parse(strings.Fields(tc.args))
		if err != nil || opt.numbers != tc.want {
			t.Errorf("%q: %+v, %v; want %+v", tc.args, opt.numbers, err, tc.want)
		}
		again, err := parse(opt.argv([]string{"ok"}))
		if err != nil || again.numbers != tc.want {
			t.Errorf("%q: an inner server gets %+v, %v; want %+v", tc.args, again.numbers, err, tc.want)
		}
	}
}

func TestFloodIsExact(t *testing.T) {
	for _, size := range []string{"1", "75", "76", "5000"} {
		p := start(t, "--mode", "stderr-flood", "--size", size)
		p.initialize()
		_ = p.stdin.Close()
		p.exits("exit status 0")
		eventually(t, size+" bytes", func() bool { return fmt.Sprint(len(p.stderr.String())) == size })
		if !bytes.HasSuffix([]byte(p.stderr.String()), []byte("\n")) {
			t.Errorf("--size %s does not end with a newline", size)
		}
	}
}
