package main

import (
	"context"
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-supervisor/supervisor/actors"
	"github.com/mcp-supervisor/supervisor/config"
	"github.com/mcp-supervisor/supervisor/internal/safe"
	"github.com/mcp-supervisor/supervisor/messages"
)

// answers is a reloader whose reloads by hand, and whose others, have these results.
type answers struct {
	byHand, unasked actors.ReloadResult
	err             error
}

func (a answers) Reload(context.Context) (actors.ReloadResult, error) { return a.byHand, a.err }

func (a answers) ReloadServers(context.Context) (actors.ReloadResult, error) {
	return a.unasked, a.err
}

// shown are the lines that the attendant showed, without their times.
func shown(b *strings.Builder) []string {
	var lines []string
	for line := range strings.Lines(b.String()) {
		_, text, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "s ")
		lines = append(lines, text)
	}
	return lines
}

func TestAHangupAppliesEverythingAndAChangedFileOnlyServers(t *testing.T) {
	all := answers{
		byHand:  actors.ReloadResult{Changed: []string{"db"}, Gate: true, Warnings: []string{"w"}},
		unasked: actors.ReloadResult{Changed: []string{"db"}, Waiting: []string{"agent `a/b`: skills"}},
	}
	faults := answers{err: config.Faults{{File: "workspace.yaml", Line: 3, Message: "x"}, {File: "workspace.yaml", Line: 9, Message: "y"}}}
	hangup := func(t *attendant, ctx context.Context) { t.reload(ctx) }
	change := func(t *attendant, ctx context.Context) { t.changed(ctx, nil) }
	broken := []string{"! reload: workspace.yaml:3: x", "! reload: workspace.yaml:9: y", "! reload: nothing was changed"}
	for name, c := range map[string]struct {
		sup  reloader
		what func(*attendant, context.Context)
		want []string
	}{
		"a hangup": {all, hangup, []string{
			"  reload: ~ db", "  reload: the gate decides by the new files", "  reload: 0 servers unchanged", "! reload: warning: w",
		}},
		"a hangup, and nothing to do": {answers{}, hangup, []string{"  reload: nothing to apply; 0 servers unchanged"}},
		"a change": {all, change, []string{
			"  reload: ~ db", "  reload: 0 servers unchanged", "  reload: waits for `supervisor reload`: agent `a/b`: skills",
		}},
		"a change of nothing":  {answers{}, change, nil},
		"a hangup with faults": {faults, hangup, broken},
		"a change with faults": {faults, change, broken},
		"a change nobody can see": {all, func(t *attendant, ctx context.Context) { t.changed(ctx, errors.New("no space")) }, []string{
			"! the files are not watched: no space",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			var b strings.Builder
			c.what(newAttendant(&b, c.sup), t.Context())
			if diff := cmp.Diff(c.want, shown(&b)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestWhatWaitsIsToldOnce(t *testing.T) {
	var b strings.Builder
	a := newAttendant(&b, answers{unasked: actors.ReloadResult{Waiting: []string{"skill `s`"}}})
	for range 3 {
		a.changed(t.Context(), nil)
	}
	if got := strings.Count(b.String(), "skill `s`"); got != 1 {
		t.Errorf("told %d times:\n%s", got, b.String())
	}
}

func TestServeTellsOfServersAndNotOfCalls(t *testing.T) {
	var b strings.Builder
	a := newAttendant(&b, answers{})
	for _, e := range []messages.Event{
		{Kind: messages.ServerWarning, Server: "db", Detail: "junk"},
		{Kind: messages.CallEnded, CallID: "c", Server: "db", Tool: "t", Outcome: messages.OK},
		{Kind: messages.AgentCompleted, Run: "r", Agent: "a", Outcome: messages.OK},
	} {
		e.Time = a.view.began
		a.show(e)
	}
	if diff := cmp.Diff([]string{"! server db: junk"}, shown(&b)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestAttendEndsWithItsContextOrTheSupervisor(t *testing.T) {
	stopped := make(chan messages.Event)
	close(stopped)
	if err := newAttendant(&strings.Builder{}, answers{}).attend(t.Context(), attention{events: stopped}); !errors.Is(err, errEnded) {
		t.Errorf("attend = %v, want errEnded", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	hangups := make(chan os.Signal, 1)
	hangups <- syscall.SIGHUP
	sup := endsContext{cancel: cancel}
	if err := newAttendant(&strings.Builder{}, sup).attend(ctx, attention{hangups: hangups}); err != nil {
		t.Errorf("attend = %v, want a clean end", err)
	}
}

// endsContext is a reloader that is stopped while it reloads.
type endsContext struct {
	answers
	cancel func()
}

func (e endsContext) Reload(ctx context.Context) (actors.ReloadResult, error) {
	e.cancel()
	return actors.ReloadResult{}, ctx.Err()
}

// A reload in another terminal applied what waited; undoing it in the files is news then.
func TestWhatWaitsAgainAfterAReloadElsewhereIsTold(t *testing.T) {
	var b strings.Builder
	a := newAttendant(&b, answers{unasked: actors.ReloadResult{Waiting: []string{"server `s`: permission"}}})
	a.changed(t.Context(), nil)
	reloads := make(chan reloadDone)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	safe.Go("attend", nil, func() { ended <- a.attend(ctx, attention{reloads: reloads}) })
	reloads <- reloadDone{result: actors.ReloadResult{Gate: true}}
	stop()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	a.changed(t.Context(), nil)
	waits := "  reload: waits for `supervisor reload`: server `s`: permission"
	want := []string{
		"  reload: nothing to apply; 0 servers unchanged", waits,
		"  reload: the gate decides by the new files", "  reload: 0 servers unchanged",
		"  reload: nothing to apply; 0 servers unchanged", waits,
	}
	if diff := cmp.Diff(want, shown(&b)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestARepairedFileIsTold(t *testing.T) {
	var b strings.Builder
	a := newAttendant(&b, answers{err: config.Faults{{File: "workspace.yaml", Line: 3, Message: "x"}}})
	a.changed(t.Context(), nil)
	a.sup = answers{}
	for range 2 {
		a.changed(t.Context(), nil)
	}
	want := []string{
		"! reload: workspace.yaml:3: x", "! reload: nothing was changed",
		"  reload: the files are fine again", "  reload: nothing to apply; 0 servers unchanged",
	}
	if diff := cmp.Diff(want, shown(&b)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
