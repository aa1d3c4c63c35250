package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcp-supervisor/supervisor/actors"
	"github.com/mcp-supervisor/supervisor/control"
	"github.com/mcp-supervisor/supervisor/governance/policy"
	"github.com/mcp-supervisor/supervisor/messages"
)

// Exit codes beside those of a call's outcome (see messages.Outcome.ExitCode).
var (
	exitProblems    = messages.ToolError.ExitCode() // of `audit verify` and `policy test`
	exitInvalid     = messages.Invalid.ExitCode()
	exitUnavailable = messages.Unavailable.ExitCode()
	exitInterrupted = messages.Stopped.ExitCode()
	exitInternal    = messages.Internal.ExitCode()
)

// exit is an error that knows the command's exit code. Its err is nil when all was said already.
type exit struct {
	code int
	err  error
}

func (e *exit) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit code %d", e.code)
	}
	return e.err.Error()
}

func (e *exit) Unwrap() error { return e.err }

func usage(format string, args ...any) error {
	return &exit{code: exitInvalid, err: fmt.Errorf(format, args...)}
}

// command makes a cobra RunE of a command's body. All errors of a body leave it as *exit, so that report can tell them
// from cobra's own, which are about the command line.
func (a *app) command(body func(*cobra.Command, []string) error) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, args []string) error {
		err := filled(c, "workspace")
		if err == nil {
			err = body(c, args)
		}
		var known *exit
		if err == nil || errors.As(err, &known) {
			return err
		}
		return &exit{code: codeOf(err), err: err}
	}
}

func codeOf(err error) int {
	var run *actors.RunError
	var rules policy.Faults
	switch {
	case errors.As(err, &run):
		return run.Outcome.ExitCode()
	case errors.As(err, &rules):
		return exitInvalid
	case errors.Is(err, errNobody), errors.Is(err, errUnreachable), errors.Is(err, control.ErrBroken):
		return exitUnavailable
	case errors.Is(err, context.Canceled):
		return exitInterrupted
	}
	return exitInternal
}

// interruptedExit is how a command ends that was interrupted before its job was done. One that knows its exit code keeps
// it: that is what its output says.
func interruptedExit(err error) error {
	var known *exit
	if errors.As(err, &known) {
		return err
	}
	return &exit{code: exitInterrupted, err: fmt.Errorf("interrupted: %w", err)}
}

// suggestions puts what cobra writes on lines of their own into the sentence.
var suggestions = strings.NewReplacer("\n\nDid you mean this?\n\t", "; did you mean ", "\n\t", " or ")

// report says what went wrong, once, and returns the exit code.
func (a *app) report(err error) int {
	if err == nil {
		return 0
	}
	var known *exit
	if !errors.As(err, &known) {
		a.say("supervisor: %s; see supervisor --help", oneLine(suggestions.Replace(err.Error())))
		return exitInvalid
	}
	if known.err != nil {
		a.say("supervisor: %s", printable(known.err.Error()))
	}
	return known.code
}
