package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"

	"github.com/mcp-supervisor/supervisor/internal/safe"
)

// interrupts are the two contexts of a command that holds processes: soft ends at the first signal, which means stop
// cleanly; hard ends at the second, which means stop waiting. A third one kills us the usual way.
type interrupts struct {
	soft, hard context.Context
	release    func()
}

// interruption is the cause of soft and hard.
type interruption struct{ signal os.Signal }

func (i *interruption) Error() string { return "got signal " + i.signal.String() }

// interrupted reports whether ctx ended by a signal.
func interrupted(ctx context.Context) bool {
	var by *interruption
	return errors.As(context.Cause(ctx), &by)
}

// catch watches for SIGINT, SIGTERM and SIGHUP until release. Meanwhile a write to a broken pipe is an error and not
// the end of the process, which would leave its servers behind.
func (a *app) catch(ctx context.Context) interrupts {
	caught, pipe := make(chan os.Signal, 2), make(chan os.Signal, 1)
	signal.Notify(caught, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) { // nohup
		signal.Notify(caught, syscall.SIGHUP)
	}
	signal.Notify(pipe, syscall.SIGPIPE) // Ignore would be inherited by every server
	soft, endSoft := context.WithCancelCause(ctx)
	hard, endHard := context.WithCancelCause(ctx)
	released := make(chan struct{})
	safe.Go("signals", nil, func() {
		for _, end := range []context.CancelCauseFunc{endSoft, endHard} {
			select {
			case s := <-caught:
				end(&interruption{signal: s})
			case <-released:
				return
			}
		}
		signal.Stop(caught)
	})
	return interrupts{soft: soft, hard: hard, release: func() {
		close(released)
		signal.Stop(caught)
		signal.Stop(pipe)
		endSoft(nil)
		endHard(nil)
	}}
}
