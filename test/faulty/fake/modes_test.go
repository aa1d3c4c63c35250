package fake

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// behaviour is a conversation that shows what a mode does; it follows no handshake unless it does one itself.
type behaviour struct {
	options string
	shows   func(p *process)
}

// behaviours are one for each mode, in a table per theme.
func behaviours() map[string]behaviour {
	all := map[string]behaviour{"ok": {"", func(p *process) { p.initialize(); p.echoes(); _ = p.stdin.Close(); p.exits("exit status 0") }}}
	for _, theme := range []map[string]behaviour{processBehaviours, framingBehaviours, protocolBehaviours, listBehaviours, resultBehaviours} {
		for mode, b := range theme {
			all[mode] = b
		}
	}
	return all
}

func TestModes(t *testing.T) {
	for mode, b := range behaviours() {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			b.shows(start(t, append([]string{"--mode", mode}, strings.Fields(b.options)...)...))
		})
	}
}

func TestEveryModeIsShownAndDescribed(t *testing.T) {
	var modes, shown []string
	for _, m := range catalogue() {
		modes = append(modes, m.name)
		if m.about == "" {
			t.Errorf("%s says nothing about itself", m.name)
		}
	}
	for mode := range behaviours() {
		shown = append(shown, mode)
	}
	for mode := range webBehaviours {
		shown = append(shown, mode)
	}
	slices.Sort(modes)
	slices.Sort(shown)
	if diff := cmp.Diff(modes, shown); diff != "" {
		t.Errorf("modes without a test, or tests without a mode (-mode +test):\n%s", diff)
	}
	if unique := slices.Compact(slices.Clone(modes)); len(unique) != len(modes) {
		t.Error("two modes have one name")
	}
}

// lists is a behaviour: tools/list answers with tools that satisfy ok.
func lists(options string, ok func(names []string) bool) behaviour {
	return behaviour{options, func(p *process) {
		p.t.Helper()
		if got := p.toolNames(); !ok(got) {
			p.t.Errorf("tools/list = %.500q", got)
		}
		p.echoes()
	}}
}

// answers is a behaviour: a call of echo is answered with a line that holds all of want, and the server lives on.
func answers(want ...string) behaviour {
	return behaviour{"", func(p *process) {
		p.t.Helper()
		p.callEcho()
		p.wantLine(append([]string{`"id":1`}, want...)...)
		p.stillAnswersPing()
	}}
}

// silent is a behaviour: a call of echo is not answered, and the server lives on.
var silent = behaviour{"", func(p *process) {
	p.t.Helper()
	p.callEcho()
	p.stillAnswersPing()
}}

// dies is a behaviour: a call of echo ends the process so, without an answer.
func dies(how string) behaviour {
	return behaviour{"", func(p *process) {
		p.t.Helper()
		p.initialize()
		p.callEcho()
		p.exits(how)
		if got := p.line(); got != "" {
			p.t.Errorf("it answered %q", got)
		}
	}}
}
