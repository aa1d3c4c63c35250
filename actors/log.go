package actors

import (
	"context"
	"log/slog"
	"time"

	"github.com/mcp-supervisor/supervisor/internal/safe"
	"github.com/mcp-supervisor/supervisor/messages"
)

// logEvents is the one place where events become log records. It ends when the supervisor has stopped.
func (e *env) logEvents(s *Subscription) (done chan struct{}) {
	done = make(chan struct{})
	safe.Go("log", nil, func() {
		defer close(done)
		for event := range s.C {
			e.note(context.Background(), event)
		}
	})
	return done
}

// worthLogging reports whether an event would be logged: most calls are not, and there are many.
func (e *env) worthLogging(event messages.Event) bool {
	return e.log.Enabled(context.Background(), level(event.Kind))
}

// attrs are the fields of an event that are set.
func attrs(e messages.Event) []slog.Attr {
	var list []slog.Attr
	text := func(key, value string) {
		if value != "" {
			list = append(list, slog.String(key, value))
		}
	}
	text("server", e.Server)
	text("agent", e.Agent)
	text("run", e.Run)
	text("tool", e.Tool)
	text("call_id", e.CallID)
	text("outcome", string(e.Outcome))
	if e.Incarnation > 0 {
		list = append(list, slog.Int("incarnation", e.Incarnation))
	}
	if e.Budget > 0 {
		list = append(list, slog.Int("restarts", e.Restarts), slog.Int("budget", e.Budget))
	}
	if e.After > 0 {
		list = append(list, slog.Duration("after", time.Duration(e.After)))
	}
	if e.Duration > 0 {
		list = append(list, slog.Duration("duration", time.Duration(e.Duration)))
	}
	text("detail", e.Detail)
	return list
}

func (e *env) note(ctx context.Context, event messages.Event) {
	e.log.LogAttrs(ctx, level(event.Kind), string(event.Kind), attrs(event)...)
}

func level(kind messages.EventKind) slog.Level {
	switch kind {
	case messages.ActorCrashed, messages.AuditFailed: // ours
		return slog.LevelError
	case messages.ServerFailed, messages.ServerExited, messages.ServerRestarting, messages.ServerWarning:
		return slog.LevelWarn
	case messages.CallStarted, messages.CallEnded:
		return slog.LevelDebug
	default: // the ordinary course of things
		return slog.LevelInfo
	}
}
