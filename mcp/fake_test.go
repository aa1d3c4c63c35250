//go:build unix

package mcp

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/mcp-supervisor/supervisor/internal/safe"
	"github.com/mcp-supervisor/supervisor/mcp/spec"
)

// fake is an MCP server over stdio that misbehaves on purpose. Its modes are named as in the fault catalogue.
type fake struct {
	modes []string
	in    *bufio.Reader
	mu    sync.Mutex
	held  []message
	calls int
}

type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
		Cursor    string          `json:"cursor"`
		Protocol  string          `json:"protocolVersion"`
		// Of the protocol without initialize.
		Meta   map[string]json.RawMessage `json:"_meta"`
		Inputs json.RawMessage            `json:"inputResponses"`
		State  string                     `json:"requestState"`
	} `json:"params"`
}

func (f *fake) is(mode string) bool { return slices.Contains(f.modes, mode) }

func (f *fake) write(text string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.is("crlf") {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	_, _ = os.Stdout.WriteString(text)
}

func (f *fake) line(format string, args ...any) { f.write(fmt.Sprintf(format, args...) + "\n") }

// log appends a line to the file in FAKE_LOG.
func (f *fake) log(line string) {
	if path := os.Getenv("FAKE_LOG"); path != "" {
		file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err == nil {
			fmt.Fprintln(file, line)
			file.Close()
		}
	}
}

func envInt(name string, def int) int {
	if n, err := strconv.Atoi(os.Getenv(name)); err == nil {
		return n
	}
	return def
}

// serve runs the fake until stdin ends and returns its exit code.
func serve(mode string) int {
	if mode == "sdk-server" {
		return serveSDK()
	}
	f := &fake{modes: strings.Split(mode, ","), in: bufio.NewReaderSize(os.Stdin, 1<<20)}
	if code, ended := f.start(); ended {
		return code
	}
	for {
		line, err := f.in.ReadString('\n')
		if err != nil {
			return f.eof()
		}
		f.log(strings.TrimSpace(line))
		var m message
		if json.Unmarshal([]byte(line), &m) == nil {
			f.handle(m)
		}
	}
}

func (f *fake) start() (code int, ended bool) {
	switch {
	case f.is("exit-on-start"):
		fmt.Fprintln(os.Stderr, "starting up")
		fmt.Fprintln(os.Stderr, "reason-marker-4711: no \x1b[31mdatabase\x1b[0m, token hunter2")
		return 3, true
	case f.is("exit-silent"):
		return 7, true
	case f.is("kill-on-start"):
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	case f.is("init-never"):
		time.Sleep(time.Hour)
	}
	if f.is("ignore-sigterm") {
		signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	} else {
		c := make(chan os.Signal, 1)
		signal.Notify(c, syscall.SIGTERM)
		safe.Go("fake", nil, func() {
			<-c
			f.log("SIGTERM")
			os.Exit(143)
		})
	}
	if f.is("child") { // a helper in the group that outlives its parent
		cmd := exec.Command("sleep", "3600")
		_ = cmd.Start()
	}
	if f.is("escaped-child") { // a helper outside the group that holds the pipes
		cmd := exec.Command("sleep", "3")
		cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		_ = cmd.Start()
	}
	if f.is("stderr-flood") {
		for n := 0; n < 2_000_000; n += 100 {
			fmt.Fprintf(os.Stderr, "%099d\n", n)
		}
	}
	if f.is("junk-stdout") {
		f.write("Welcome!\n  v1.2 {not json}\n[INFO] listening on stdio\n")
	}
	return 0, false
}

func (f *fake) eof() int {
	f.log("EOF")
	switch {
	case f.is("ignore-eof"):
		time.Sleep(time.Hour)
	case f.is("slow-exit"):
		time.Sleep(300 * time.Millisecond)
		f.log("flushed")
	}
	return envInt("FAKE_CODE", 0)
}

func (f *fake) handle(m message) {
	if m.ID == nil || f.is("stateless") && f.stateless(m) {
		return
	}
	if f.is("junk-interleaved") {
		f.write("DEBUG handling " + m.Method + "\n\x1b[32m\n\n   \n\ufeff\n")
	}
	if f.is("junk-json") {
		f.write("null\n5\n\"x\"\n[]\n{}\n{\"level\":\"info\"}\n{\"jsonrpc\":\n[1,2]\ntrue\n{\"id\":1}\n")
	}
	switch m.Method {
	case "initialize":
		f.initialize(m)
	case "tools/list":
		f.list(m)
	case "tools/call":
		f.calls++
		f.call(m)
	case "ping":
		if f.is("no-ping") {
			f.fail(m.ID, -32601, "unknown")
		} else if !f.is("ping-silent") {
			f.result(m.ID, "{}")
		}
	case "":
	default:
		f.fail(m.ID, -32601, "unknown")
	}
}

func (f *fake) initialize(m message) {
	version := m.Params.Protocol
	switch {
	case f.is("init-error"):
		f.fail(m.ID, -32000, "reason-marker-4714: licence hunter2 expired")
		return
	case f.is("exit-on-init"):
		fmt.Fprintln(os.Stderr, "cannot initialize")
		os.Exit(9)
	case f.is("slow-init"):
		time.Sleep(time.Hour)
	case f.is("proto-old"):
		version = "2024-11-05"
	case f.is("proto-future"):
		version = "2099-01-01"
	case f.is("proto-missing"):
		f.result(m.ID, `{"capabilities":{},"serverInfo":{"name":"fake","version":"9"}}`)
		return
	case f.is("request-before-init"):
		f.line(`{"jsonrpc":"2.0","id":"p-1","method":"ping"}`)
		f.await(`"p-1"`)
		f.line(`{"jsonrpc":"2.0","id":9007199254740993,"method":"roots/list"}`)
		f.await("9007199254740993")
	case f.is("early-notification"):
		f.line(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
	}
	if f.is("bom") {
		f.write("\ufeff")
	}
	f.result(m.ID, fmt.Sprintf(`{"protocolVersion":%q,"capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"fake","version":"9"},"instructions":"be kind"}`, version))
}

// await reads lines until one answers the request with that id, and logs it.
func (f *fake) await(id string) {
	for {
		line, err := f.in.ReadString('\n')
		if err != nil {
			os.Exit(f.eof())
		}
		f.log(strings.TrimSpace(line))
		var m message
		if json.Unmarshal([]byte(line), &m) == nil && m.Method == "" && string(m.ID) == id {
			return
		}
	}
}

const fakeTools = `{"name":"echo","description":"says it again","inputSchema":{"type":"object","properties":{"z":{},"a":{}}},"annotations":{"readOnlyHint":true,"idempotentHint":"yes"}},{"name":"sleep","inputSchema":{"type":"object"}}`

func (f *fake) list(m message) {
	switch {
	case f.is("slow-list"):
		time.Sleep(time.Hour)
	case f.is("no-tools"):
		f.fail(m.ID, -32601, "no tools here")
	case f.is("null-list"):
		f.result(m.ID, `{"tools":null,"nextCursor":null}`)
	case f.is("list-error"):
		f.fail(m.ID, -32603, "reason-marker-4715")
	case f.is("same-cursor"):
		f.result(m.ID, `{"tools":[`+fakeTools+`],"nextCursor":"again"}`)
	case f.is("pages"):
		page, _ := strconv.Atoi(m.Params.Cursor)
		next := ""
		if page < 9 {
			next = fmt.Sprintf(`,"nextCursor":"%d"`, page+1)
		}
		f.result(m.ID, fmt.Sprintf(`{"tools":[{"name":"page_%02d","inputSchema":{"type":"object"}}]%s}`, page, next))
	case f.is("bad-tools"):
		f.result(m.ID, `{"tools":[`+fakeTools+`,5,null,{"description":"nameless"},{"name":7},{"name":"arr","inputSchema":[]},{"name":"echo","description":"second"},{"name":"bare"}]}`)
	default:
		f.result(m.ID, `{"tools":[`+fakeTools+`]}`)
	}
}

func (f *fake) result(id json.RawMessage, result string) {
	if f.is("string-ids") {
		id = json.RawMessage(strconv.Quote(string(id)))
	}
	switch {
	case f.is("case-keys"):
		f.line(`{"jsonrpc":"2.0","ID":1,"Id":2,"Result":{"evil":true},"id":%s,"result":%s,"RESULT":{"evil":true}}`, id, result)
	case f.is("dup-keys"):
		f.line(`{"jsonrpc":"2.0","id":%s,"result":%s,"result":{"evil":true},"id":7}`, id, result)
	case f.is("batch"):
		f.line(`[{"jsonrpc":"2.0","method":"notifications/message"},{"jsonrpc":"2.0","id":%s,"result":%s}]`, id, result)
	case f.is("twice"):
		f.line(`{"jsonrpc":"2.0","id":%s,"result":%s}{"jsonrpc":"2.0","id":%s,"result":%s}`, id, result, id, result)
	case f.is("no-version"):
		f.line(`{"id":%s,"result":%s}`, id, result)
	default:
		f.line(`{"jsonrpc":"2.0","id":%s,"result":%s}`, id, result)
	}
}

func (f *fake) fail(id json.RawMessage, code int, message string) {
	f.line(`{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%q}}`, id, code, message)
}

func (f *fake) call(m message) {
	switch {
	case f.is("crash-on-call"):
		fmt.Fprintln(os.Stderr, "panic: boom")
		os.Exit(1)
	case f.is("answer-then-die"):
		f.write(`{"jsonrpc":"2.0","id":` + string(m.ID) + `,"result":{"last":true}}`) // no line end
		os.Exit(4)
	case f.is("sigkill"):
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		time.Sleep(time.Hour)
	case f.is("partial-then-crash"):
		f.write(`{"jsonrpc":"2.0","id":`)
		os.Exit(1)
	case f.is("half-close"):
		_ = os.Stdout.Close()
		time.Sleep(time.Hour)
	case f.is("close-stdin"):
		_ = os.Stdin.Close()
		time.Sleep(time.Hour)
	case f.is("hang-call"):
		return
	case f.is("hang-first-call") && f.calls == 1:
		return
	case f.is("late") && f.calls == 1:
		f.held = append(f.held, m)
		return
	case f.is("stop-reading"):
		time.Sleep(time.Hour)
	case f.is("freeze"):
		_ = syscall.Kill(os.Getpid(), syscall.SIGSTOP)
		time.Sleep(time.Hour)
	case f.is("out-of-order"):
		if f.held = append(f.held, m); len(f.held) == envInt("FAKE_N", 2) {
			for _, h := range slices.Backward(f.held) {
				f.answer(h)
			}
			f.held = nil
		}
		return
	case f.is("bad-json"):
		f.write(`{"jsonrpc":"2.0","id":` + string(m.ID) + `,"result":{"tru` + "\n")
	case f.is("flood"):
		for range 20_000 {
			f.write("all work and no play\n")
		}
		time.Sleep(time.Hour)
	case f.is("endless-line"):
		chunk := strings.Repeat("x", 1<<20)
		for range 64 {
			f.write(chunk)
		}
		time.Sleep(time.Hour)
	case f.is("invalid-utf8"):
		f.result(m.ID, "{\"text\":\"a\xff\xfe\xc3b\"}")
		return
	case f.is("big-int"):
		f.result(m.ID, `{"n": 12345678901234567890, "x":{"type":"unknown"}, "f":1.10}`)
		return
	case f.is("null-result"):
		f.result(m.ID, `null`)
		return
	case f.is("no-result"):
		f.line(`{"jsonrpc":"2.0","id":%s}`, m.ID)
		return
	case f.is("error-odd"):
		f.line(`{"jsonrpc":"2.0","id":%s,"error":{"code":"-7","data":[1]}}`, m.ID)
		return
	case f.is("error-rpc"):
		f.line(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32603,"message":"4712","data":{"n":1}}}`, m.ID)
		return
	case f.is("huge-result"):
		f.result(m.ID, `{"text":"`+strings.Repeat("y", envInt("FAKE_SIZE", 9_000_000))+`"}`)
		return
	case f.is("huge-result-id-last"):
		f.line(`{"jsonrpc":"2.0","result":{"id":5,"t":"`+strings.Repeat("y", envInt("FAKE_SIZE", 9_000_000))+`"},"id":%s}`, m.ID)
		return
	case f.is("same-id-request"):
		f.line(`{"jsonrpc":"2.0","id":%s,"method":"ping"}`, m.ID)
		f.await(string(m.ID))
	case f.is("unknown-request"):
		f.line(`{"jsonrpc":"2.0","id":"u1","method":"x/unknown"}`)
		f.await(`"u1"`)
		f.line(`{"jsonrpc":"2.0","id":"u2","method":"sampling/createMessage","params":{"messages":[],"maxTokens":1}}`)
		f.await(`"u2"`)
	case f.is("progress"):
		f.line(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"t-1","progress":12345678901234567890}}`)
	case f.is("list-changed"):
		for range 20 {
			f.line(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
		}
	case f.is("stderr-call"):
		fmt.Fprintln(os.Stderr, "called\x07 with hunter2")
	}
	f.answer(m)
	for _, h := range f.held {
		f.answer(h)
	}
	f.held = nil
}

func (f *fake) answer(m message) {
	args := string(m.Params.Arguments)
	if m.Params.Name == "env" {
		env, _ := json.Marshal(os.Environ())
		args = string(env)
	}
	if m.Params.Name == "argv" {
		argv, _ := json.Marshal(os.Args)
		args = string(argv)
	}
	f.result(m.ID, `{"content":[],"echo":`+args+`}`)
}

// fakeServer is a server that runs this test binary in the given modes.
func fakeServer(t testing.TB, modes string, env ...string) spec.Server {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	s := spec.Server{
		ID: "fake", Transport: spec.Stdio, Command: []string{exe}, Cwd: t.TempDir(),
		StartTimeout: 20 * time.Second, StopGrace: 2 * time.Second,
		Env: map[string]string{"FAKE_MODE": modes, "GORACE": "atexit_sleep_ms=0"},
	}
	for _, entry := range env {
		name, value, _ := strings.Cut(entry, "=")
		s.Env[name] = value
	}
	return s
}
