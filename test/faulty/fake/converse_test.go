package fake

import (
	"encoding/json"
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"
)

// request sends a request and returns its id.
func (p *process) request(method, params string) int {
	p.t.Helper()
	p.next++
	p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, p.next, method, params))
	return p.next
}

// line returns the next line; an empty one says that stdout has ended.
func (p *process) line() string {
	p.t.Helper()
	select {
	case line := <-p.lines:
		return line
	case <-time.After(patience):
		p.t.Fatalf("no line came; stderr: %s", p.stderr)
		return ""
	}
}

// wantLine asks for the next line, and that it holds all of want.
func (p *process) wantLine(want ...string) string {
	p.t.Helper()
	line := p.line()
	for _, w := range want {
		if !strings.Contains(line, w) {
			p.t.Fatalf("line %.300q, want %q in it", line, w)
		}
	}
	return line
}

// initialize does the handshake and returns the response to initialize.
func (p *process) initialize() string {
	p.t.Helper()
	p.request("initialize", `{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}`)
	line := p.wantLine(`"id":1`)
	p.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return line
}

// callEcho sends a call of echo with text "hi", and a progress token.
func (p *process) callEcho() int {
	p.t.Helper()
	return p.request("tools/call", `{"name":"echo","arguments":{"text":"hi"},"_meta":{"progressToken":"tok"}}`)
}

const hi = `"text":"hi"`

// call calls a tool and returns the response.
func (p *process) call(tool, arguments string) string {
	p.t.Helper()
	id := p.request("tools/call", fmt.Sprintf(`{"name":%s,"arguments":%s}`, quote(tool), arguments))
	return p.wantLine(fmt.Sprintf(`"id":%d`, id))
}

// echoes asks that a call of echo is answered as it should be.
func (p *process) echoes() {
	p.t.Helper()
	id := p.callEcho()
	p.wantLine(fmt.Sprintf(`"id":%d`, id), hi)
}

// stillAnswersPing asks that ping is answered, and that nothing else was before.
func (p *process) stillAnswersPing() {
	p.t.Helper()
	id := p.request("ping", "{}")
	p.wantLine(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{}}`, id))
}

// toolNames lists the tools; a malformed one is "?".
func (p *process) toolNames() []string {
	p.t.Helper()
	p.request("tools/list", "{}")
	return names(p.t, p.line())
}

func names(t *testing.T, line string) []string {
	t.Helper()
	var page struct {
		Result struct{ Tools []json.RawMessage }
	}
	if err := json.Unmarshal([]byte(line), &page); err != nil {
		t.Fatalf("%v in %.300q", err, line)
	}
	var list []string
	for _, raw := range page.Result.Tools {
		var tool struct{ Name *string }
		if err := json.Unmarshal(raw, &tool); err != nil || tool.Name == nil {
			list = append(list, "?")
			continue
		}
		list = append(list, *tool.Name)
	}
	return list
}

// exits waits for the end of the process and asks that it ended so, in the words of os.ProcessState.
func (p *process) exits(want string) {
	p.t.Helper()
	select {
	case <-p.ended:
		if got := p.cmd.ProcessState.String(); got != want {
			p.t.Fatalf("the process ended with %q, want %q; stderr: %s", got, want, p.stderr)
		}
	case <-time.After(patience):
		p.t.Fatal("the process is still alive")
	}
}

// stays asks that the process is alive after it had a chance to end.
func (p *process) stays() {
	p.t.Helper()
	select {
	case <-p.ended:
		p.t.Fatalf("the process ended: %v", p.cmd.ProcessState)
	case <-time.After(150 * time.Millisecond): // absence cannot be awaited; too short only misses a fault
	}
}

func (p *process) signal(sig syscall.Signal) {
	p.t.Helper()
	if err := p.cmd.Process.Signal(sig); err != nil {
		p.t.Fatal(err)
	}
}
