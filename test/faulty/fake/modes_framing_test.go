package fake

import (
	"fmt"
	"strings"
	"syscall"
)

var framingBehaviours = map[string]behaviour{
	"junk-stdout": {"", func(p *process) {
		for range 3 {
			if line := p.line(); strings.HasPrefix(line, "{") {
				p.t.Errorf("a message came early: %q", line)
			}
		}
		p.echoes()
	}},
	"junk-interleaved": framed("[INFO] about to write\n", "[INFO] wrote\n"),
	"junk-json":        framed("null\n5\n\"x\"\n[]\n{}\n{\"level\":\"info\"}\n", ""),
	"blank-lines":      framed("\n  \n\t\n", "\n"),
	"ansi":             framed("\x1b[32m\n", "\x1b[0m\n"),
	"crlf": {"", func(p *process) {
		for range 2 {
			p.callEcho()
			if got := p.wantLine(hi); !strings.HasSuffix(got, "}\r\n") {
				p.t.Errorf("the line ends with %q", got[len(got)-3:])
			}
		}
	}},
	"bad-json": {"", func(p *process) {
		for range 2 {
			id := p.callEcho()
			if got := p.line(); strings.Contains(got, "}") {
				p.t.Errorf("the first line is whole: %q", got)
			}
			p.wantLine(fmt.Sprintf(`"id":%d`, id), hi)
		}
	}},

	"invalid-utf8":   answers("before \xff\xfe\xc3 after"),
	"lone-surrogate": answers(`before \ud800 after`),
	"nul-char":       answers(`before \u0000\u0001\u0007\u001b\u007f after`),

	"huge-result": {"--size 1100000", func(p *process) {
		p.callEcho()
		if got := p.line(); !strings.Contains(got, `"`+strings.Repeat("x", 1_100_000)+`"`) {
			p.t.Errorf("the line has %d bytes", len(got))
		}
		p.stillAnswersPing()
	}},
	"huge-tools": {"--size 1100000", func(p *process) {
		p.request("tools/list", "{}")
		line := p.line()
		if len(line) < 1_100_000 || len(names(p.t, line)) != 8 {
			p.t.Errorf("tools/list has %d bytes and %d tools", len(line), len(names(p.t, line)))
		}
	}},
	"endless-line": {"--size 300000", func(p *process) {
		p.callEcho()
		eventually(p.t, "300000 bytes", func() bool { return p.wrote.Load() >= 300_000 })
		p.request("ping", "{}")
		p.stays()
		p.signal(syscall.SIGKILL)
		if got := p.line(); !strings.HasSuffix(got, strings.Repeat("a", 300_000)) {
			p.t.Errorf("it wrote %d bytes", len(got))
		}
	}},

	"case-keys": {"", func(p *process) {
		if got := p.initialize(); !strings.Contains(got, `"ID":999999,`) {
			p.t.Errorf("initialize = %s", got)
		}
		p.callEcho()
		p.wantLine(`"id":2,"ID":999999,"result":{`, hi, `"Result":{"content":[{"type":"text","text":"smuggled"}]}`)
	}},
	"dup-keys": {"", func(p *process) {
		if got := p.initialize(); strings.Count(got, `"result":`) != 1 {
			p.t.Errorf("initialize = %s", got)
		}
		p.callEcho()
		p.wantLine(`"result":{"content":[{"text":"hi","type":"text"}]},"result":{"content":[{"type":"text","text":"smuggled"}]}`)
	}},
}

// framed is a behaviour: every message has these lines before and after it.
func framed(before, after string) behaviour {
	return behaviour{"", func(p *process) {
		p.t.Helper()
		for range 2 {
			p.callEcho()
			var got strings.Builder
			for range strings.Count(before, "\n") {
				got.WriteString(p.line())
			}
			p.wantLine(hi)
			for range strings.Count(after, "\n") {
				got.WriteString(p.line())
			}
			if got.String() != before+after {
				p.t.Errorf("around the message is %q, want %q", got.String(), before+after)
			}
		}
	}}
}
