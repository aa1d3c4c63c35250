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

// endings are the signals that end most commands. SIGHUP says that the terminal was closed, which nohup has ignored.
func endings() []os.Signal {
	if signal.Ignored(syscall.SIGHUP) {
		return lasting()
	}
	return append(lasting(), syscall.SIGHUP)
}

// lasting are the signals that end a command which outlives its terminal.
func lasting() []os.Signal { return []os.Signal{os.Interrupt, syscall.SIGTERM} }

// catch watches for the signals that end the command until release. Meanwhile a write to a broken pipe is an error and
// not the end of the process, which would leave its servers behind.
func (a *app) catch(ctx context.Context, ends []os.Signal) interrupts {
	caught, pipe := make(chan os.Signal, 2), make(chan os.Signal, 1)
	signal.Notify(caught, ends...)
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
