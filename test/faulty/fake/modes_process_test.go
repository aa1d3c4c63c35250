package fake

import (
	"fmt"
	"strings"
	"syscall"
	"time"
)

var processBehaviours = map[string]behaviour{
	"exit-on-start": {"--code 3", func(p *process) {
		p.exits("exit status 3")
		eventually(p.t, "the reason", func() bool { return strings.Contains(p.stderr.String(), "reason-marker-4711") })
	}},
	"exit-silent": {"--code 7", func(p *process) {
		p.exits("exit status 7")
		if got := p.stderr.String(); got != "" {
			p.t.Errorf("stderr: %s", got)
		}
	}},
	"exit-after-init": {"", func(p *process) {
		p.initialize()
		if got := p.toolNames(); len(got) != 8 {
			p.t.Errorf("tools/list = %q", got)
		}
		p.exits("exit status 0")
	}},
	"exit-idle": {"--ms 400", func(p *process) {
		p.echoes()
		p.exits("exit status 0")
	}},
	"crash-on-call": dies("exit status 1"),
	"sigsegv":       dies("signal: segmentation fault"),
	"crash-after-n": {"--n 2", func(p *process) {
		p.echoes()
		p.echoes()
		p.callEcho()
		p.exits("exit status 1")
	}},
	"partial-then-crash": {"", func(p *process) {
		p.initialize()
		p.callEcho()
		if got := p.wantLine(`{"jsonrpc":"2.0","id":2`); strings.HasSuffix(got, "\n") {
			p.t.Errorf("the line is whole: %q", got)
		}
		p.exits("exit status 1")
	}},
	"half-close": {"", func(p *process) {
		p.callEcho()
		if got := p.line(); got != "" {
			p.t.Errorf("stdout has %q", got)
		}
		p.request("ping", "{}") // stdin is still read
		p.stays()
		_ = p.stdin.Close()
		p.exits("exit status 0")
	}},
	"close-stdin": {"", func(p *process) {
		p.initialize()
		p.echoes()
		eventually(p.t, "EPIPE", func() bool {
			_, err := p.stdin.WriteString("\n")
			return err != nil && strings.Contains(err.Error(), "broken pipe")
		})
		p.stays()
	}},
	"freeze": {"", func(p *process) {
		p.callEcho()
		eventually(p.t, "stopped", func() bool { return procState(p.cmd.Process.Pid) == "T" })
		p.signal(syscall.SIGTERM)
		p.stays()
		p.signal(syscall.SIGKILL)
		p.exits("signal: killed")
	}},
	"ignore-eof": {"", func(p *process) {
		p.echoes()
		_ = p.stdin.Close()
		p.stays()
		p.signal(syscall.SIGTERM)
		p.exits("signal: terminated")
	}},
	"ignore-sigterm": {"", func(p *process) {
		p.echoes()
		for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP} {
			p.signal(sig)
		}
		p.stays()
		p.echoes()
		_ = p.stdin.Close()
		p.exits("exit status 0")
	}},
	"slow-exit": {"--ms 300", func(p *process) {
		p.echoes()
		eof := time.Now()
		_ = p.stdin.Close()
		p.exits("exit status 0")
		if took := time.Since(eof); took < 300*time.Millisecond {
			p.t.Errorf("it took %v", took)
		}
	}},
	"wrapper": {"", func(p *process) {
		chain := launched(p)
		_ = p.stdin.Close()
		p.exits("exit status 0")
		eventually(p.t, "nobody is left", func() bool { return alive(chain) == 0 })
	}},
	"wrapper-orphan": {"", func(p *process) {
		chain := launched(p)
		_ = p.stdin.Close()
		p.signal(syscall.SIGTERM)
		p.exits("signal: terminated")
		if got := alive(chain); got != 2 {
			p.t.Errorf("%d of the launcher's processes are alive, want both", got)
		}
	}},

	"slow-init": {"--ms 300", func(p *process) {
		asked := time.Now()
		p.initialize()
		if took := time.Since(asked); took < 300*time.Millisecond {
			p.t.Errorf("it took %v", took)
		}
		p.echoes()
	}},
	"init-never": {"", func(p *process) {
		p.request("initialize", "{}")
		p.stillAnswersPing()
	}},
	"slow-list": {"--ms 300", func(p *process) {
		p.request("tools/list", "{}")
		p.stillAnswersPing()
		p.wantLine(`"id":1`, `"tools"`)
	}},
	"hang-call": silent,
	"hang-first-call": {"", func(p *process) {
		p.callEcho()
		p.echoes()
	}},
	"block-call": {"--ms 300", func(p *process) {
		asked := time.Now()
		p.callEcho()
		p.request("ping", "{}")
		p.wantLine(`"id":1`)
		p.wantLine(`"id":2`)
		if took := time.Since(asked); took < 300*time.Millisecond {
			p.t.Errorf("ping was answered after %v", took)
		}
	}},

	"stderr-flood": {"--size 200000", func(p *process) {
		p.initialize()
		eventually(p.t, "200000 bytes", func() bool { return len(p.stderr.String()) == 200_000 })
	}},
	"stderr-flood-call": {"--size 200000", func(p *process) {
		p.initialize()
		p.echoes()
		p.echoes()
		eventually(p.t, "400000 bytes", func() bool { return len(p.stderr.String()) == 400_000 })
	}},
	"stderr-secret": {"", func(p *process) {
		eventually(p.t, "the secret", func() bool {
			return strings.Contains(p.stderr.String(), "FAULTY_TEST_TOKEN sk-marker-99\n")
		})
		if strings.Contains(p.stderr.String(), "FAULTY_TEST_EMPTY") {
			p.t.Error("it told more than secrets")
		}
	}},
}

// procState is the letter Linux has for the state of a process; empty when there is none.
func procState(pid int) string {
	_, rest, _ := strings.Cut(content(fmt.Sprintf("/proc/%d/stat", pid)), ") ")
	return rest[:min(1, len(rest))]
}

// launched asks the inner server for its process and returns the ids of the shell and of the inner server.
func launched(p *process) []int {
	p.t.Helper()
	var inner, shell int
	got := p.call("info", "{}")
	_, text, _ := strings.Cut(got, `\"pid\":`)
	if _, err := fmt.Sscanf(text, `%d,\"ppid\":%d`, &inner, &shell); err != nil {
		p.t.Fatalf("info = %s: %v", got, err)
	}
	if inner == p.cmd.Process.Pid || shell == p.cmd.Process.Pid {
		p.t.Fatalf("inner %d, shell %d and launcher %d are not three processes", inner, shell, p.cmd.Process.Pid)
	}
	return []int{shell, inner}
}

func alive(pids []int) int {
	n := 0
	for _, pid := range pids {
		if s := procState(pid); s != "" && s != "Z" {
			n++
		}
	}
	return n
}
