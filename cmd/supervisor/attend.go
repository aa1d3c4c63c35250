package main

import (
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/mcp-supervisor/supervisor/actors"
	"github.com/mcp-supervisor/supervisor/messages"
)

// reloader is what `serve` asks of its supervisor beside what every command does.
type reloader interface {
	// Reload applies all that changed in the files.
	Reload(ctx context.Context) (actors.ReloadResult, error)
	// ReloadServers applies what cannot widen the gate and names the rest as Waiting.
	ReloadServers(ctx context.Context) (actors.ReloadResult, error)
}

// attention is what `serve` listens to. A channel that is nil never says anything.
type attention struct {
	events  <-chan messages.Event // closed when the supervisor has stopped
	hangups <-chan os.Signal      // each asks for a reload
	changes <-chan error          // nil for a change of the files, or why they cannot be watched
	reloads <-chan reloadDone     // those that other commands asked for
}

// reloadDone is how a reload went.
type reloadDone struct {
	result actors.ReloadResult
	err    error
}

// errEnded: nobody told the supervisor to stop.
var errEnded = errors.New("the supervisor stopped by itself; --log-level info shows more")

// attendant tells what happens to the servers and has the files read again when that is asked for.
type attendant struct {
	view *progress
	sup  reloader
	// waiting is what was told last to wait for a reload by hand.
	waiting []string
	broken  bool // faults of the files were told last
}

func newAttendant(out io.Writer, sup reloader) *attendant {
	return &attendant{view: newProgress(out), sup: sup}
}

// attend returns nil when ctx ends, and errEnded when the supervisor does.
func (t *attendant) attend(ctx context.Context, on attention) error {
	for ctx.Err() == nil {
		select {
		case e, ok := <-on.events:
			if !ok {
				return errEnded
			}
			t.show(e)
		case <-on.hangups:
			t.reload(ctx)
		case err := <-on.changes:
			t.changed(ctx, err)
		case r := <-on.reloads:
			t.tell(ctx, r.result, r.err)
		case <-ctx.Done():
		}
	}
	return nil
}

// show tells what concerns servers, what people are asked and do at the gate, and bugs of ours. What agents and calls do
// is told by the commands they belong to.
func (t *attendant) show(e messages.Event) {
	asked := e.Kind == messages.ApprovalRequested || e.Kind == messages.ApprovalResolved
	if asked || e.Run == "" && e.CallID == "" {
		t.view.show(e)
	}
}

// reload applies everything, as `supervisor reload` does.
func (t *attendant) reload(ctx context.Context) {
	result, err := t.sup.Reload(ctx)
	t.tell(ctx, result, err)
}

// changed applies what may be applied unasked. A save that changes nothing for anybody is no news.
func (t *attendant) changed(ctx context.Context, err error) {
	if err != nil {
		t.view.note("!", "the files are not watched: "+err.Error())
		return
	}
	result, err := t.sup.ReloadServers(ctx)
	if err == nil && !t.broken && !applied(result) && slices.Equal(result.Waiting, t.waiting) {
		return
	}
	t.tell(ctx, result, err)
}

func (t *attendant) tell(ctx context.Context, r actors.ReloadResult, err error) {
	switch {
	case err != nil && ctx.Err() != nil: // we are stopping, and it only says so
	case err != nil:
		t.broken = true
		for line := range strings.Lines(notReloaded(err).Error()) {
			t.view.note("!", "reload: "+line)
		}
	default:
		if t.broken {
			t.view.note(" ", "reload: the files are fine again")
		}
		t.waiting, t.broken = r.Waiting, false
		for _, line := range reloaded(r) {
			t.view.note(" ", "reload: "+line)
		}
		for _, w := range r.Warnings {
			t.view.note("!", "reload: warning: "+w)
		}
	}
}

// applied reports whether a reload changed anything that is in force.
func applied(r actors.ReloadResult) bool {
	return r.Gate || len(r.Added)+len(r.Changed)+len(r.Removed)+len(r.Tuned)+len(r.Supervision) > 0
}
