package mcp

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcp-supervisor/supervisor/mcp/spec"
)

// leftovers are servers, as scripts of a shell: $0 is the server itself, MARK marks the helper that would be left.
var leftovers = map[string]string{
	"a helper in the group":            `sleep MARK & exec "$0"`,
	"a helper with an empty env":       `env -i /bin/sleep MARK & exec "$0"`,
	"a wrapper chain":                  `sh -c 'sh -c "sleep MARK & \"\$0\"; true" "$0"; true' "$0"; true`,
	"a helper in its own session":      `setsid sleep MARK & exec "$0"`,
	"a helper forked twice":            `(setsid sh -c 'sleep MARK & sleep MARK & exit' &) ; exec "$0"`,
	"a helper that ignores signals":    `(trap "" TERM HUP INT; exec setsid sleep MARK) & exec "$0"`,
	"a helper that holds our pipes":    `setsid sleep MARK <&0 >&1 2>&2 & exec "$0"`,
	"a helper with helpers everywhere": `setsid sh -c 'setsid sleep MARK & sleep MARK & setsid sh -c "sleep MARK & wait" & wait' & exec "$0"`,
	"helpers that keep forking": `export BODY='sleep 0.2; (setsid sh -c "$BODY" "$0" &)'
		for i in 1 2 3 4 5; do setsid sh -c "$BODY" MARK & done; exec "$0"`,
	"a helper in a group of its own":    `sh -mc 'sleep MARK & exit'; exec "$0"`,
	"a helper with a clean env, job on": `sh -mc 'env -i /bin/sleep MARK & exit'; exec "$0"`,
}

// escape leaves the group, the session and the environment behind: only a cgroup holds it.
const escape = `env -i /usr/bin/setsid /bin/sleep MARK & exec "$0"`

func marking(script, mark string) string { return strings.ReplaceAll(script, "MARK", mark) }

// guard returns a guardian that is closed at the end.
func guard(t testing.TB, o GuardianOptions) *Guardian {
	t.Helper()
	var mu sync.Mutex
	var said []string
	warn := o.Warn
	o.Warn = func(text string) {
		mu.Lock()
		defer mu.Unlock()
		said = append(said, text)
		if warn != nil {
			warn(text)
		}
	}
	g, err := NewGuardian(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		g.Close()
		mu.Lock()
		defer mu.Unlock()
		if t.Failed() {
			t.Logf("the guardian said: %q", said)
		}
	})
	return g
}

func scripted(t testing.TB, modes, script string) spec.Server {
	t.Helper()
	server := fakeServer(t, modes)
	server.StopGrace = 200 * time.Millisecond
	server.Command = []string{"sh", "-c", script, server.Command[0]}
	return server
}

// B01: whatever a server started is gone when it is, however it ended, and with a guardian or without.
func TestNothingOfAServerIsLeft(t *testing.T) {
	ends := map[string]func(*Session){
		"close":            (*Session).Close, // in short mode the length of the name picks the guardian
		"killed":           (*Session).Kill,
		"death by SIGKILL": func(s *Session) { _ = killOne(s.PID()) },
	}
	for name, script := range leftovers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for end, do := range ends {
				guards := []*Guardian{nil, guard(t, GuardianOptions{}), guard(t, GuardianOptions{bare: true})}
				if testing.Short() {
					guards = guards[len(end)%3:][:1]
				}
				for _, g := range guards {
					mark := mark(t)
					n := &notes{}
					o := n.options()
					o.Guardian = g
					s, err := Open(context.Background(), scripted(t, "ok", marking(script, mark)), o)
					if err != nil {
						t.Fatal(err)
					}
					eventually(t, "the helper runs", func() bool { return len(marked(mark)) > 0 })
					do(s)
					ended(t, s)
					if pids := marked(mark); len(pids) > 0 || n.text() != "" {
						t.Errorf("%s, guarantee %s: %v left; warnings %q", end, s.Guarantee(), pids, n.text())
					}
				}
			}
		})
	}
}

func TestOnlyACgroupHoldsWhoLeavesEverythingBehind(t *testing.T) {
	for name, bare := range map[string]bool{"with a cgroup": false, "without (the documented limit)": true} {
		t.Run(name, func(t *testing.T) {
			mark := mark(t)
			o := (&notes{}).options()
			o.Guardian = guard(t, GuardianOptions{bare: bare})
			if !bare && o.Guardian.box == nil {
				t.Skip("no cgroup v2 below ours can be made here")
			}
			s, err := Open(context.Background(), scripted(t, "ok", marking(escape, mark)), o)
			if err != nil {
				t.Fatal(err)
			}
			eventually(t, "the helper runs", func() bool { return len(marked(mark)) > 0 })
			s.Close()
			if got := len(marked(mark)); (got > 0) != bare {
				t.Errorf("%d left with guarantee %s", got, s.Guarantee())
			}
		})
	}
}

// One server's end must not touch another server of the same supervisor, nor the reused numbers of cookies.
func TestASweepTouchesNoOtherServer(t *testing.T) {
	g := guard(t, GuardianOptions{bare: true})
	var sessions []*Session
	var marks []string
	for range 12 { // so that there are cookies /1 and /11
		mark := mark(t)
		s, err := Open(context.Background(), scripted(t, "ok", marking(`setsid sleep MARK & exec "$0"`, mark)), Options{Guardian: g})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		eventually(t, "the helper runs", func() bool { return len(marked(mark)) > 0 })
		sessions, marks = append(sessions, s), append(marks, mark)
	}
	sessions[0].Close()
	for i, mark := range marks {
		if got := len(marked(mark)); (got == 1) != (i > 0) {
			t.Errorf("server %d has %d helpers", i+1, got)
		}
	}
	wantEcho(t, sessions[11], `{"still":"here"}`)
}
