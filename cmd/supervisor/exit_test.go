package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/mcp-supervisor/supervisor/actors"
	"github.com/mcp-supervisor/supervisor/control"
	"github.com/mcp-supervisor/supervisor/messages"
)

func TestExitCodes(t *testing.T) {
	for name, c := range map[string]struct {
		err  error
		code int
		said string
	}{
		"all is well":              {nil, 0, ""},
		"cobra's own error":        {errors.New("unknown flag: --x"), 2, "supervisor: unknown flag: --x; see supervisor --help\n"},
		"a usage error":            {usage("no %s", "such"), 2, "supervisor: no such\n"},
		"said already":             {&exit{code: 3}, 3, ""},
		"a run without an answer":  {&exit{code: codeOf(&actors.RunError{Outcome: messages.Unavailable, Message: "m"}), err: errors.New("m")}, 4, "supervisor: m\n"},
		"an interrupted call":      {interruptedExit(&exit{code: 7}), 7, ""},
		"cobra's suggestions":      {errors.New("unknown command\n\nDid you mean this?\n\tcall\n\ttools\n"), 2, "supervisor: unknown command; did you mean call or tools; see supervisor --help\n"},
		"an interrupted start":     {interruptedExit(errors.New("x")), 9, "supervisor: interrupted: x\n"},
		"what servers put into it": {&exit{code: 10, err: errors.New("\x1b[2J")}, 10, "supervisor: \\u001b[2J\n"},
	} {
		t.Run(name, func(t *testing.T) {
			var b strings.Builder
			a := &app{err: &b}
			if code := a.report(c.err); code != c.code || b.String() != c.said {
				t.Errorf("report = %d, %q; want %d, %q", code, b.String(), c.code, c.said)
			}
		})
	}
}

func TestCodeOf(t *testing.T) {
	for _, c := range []struct {
		err  error
		want int
	}{
		{&actors.RunError{Outcome: messages.Invalid}, 2},
		{fmt.Errorf("x: %w", &actors.RunError{Outcome: messages.Stopped}), 9},
		{fmt.Errorf("x: %w", errUnreachable), 4},
		{fmt.Errorf("x: %w", control.ErrBroken), 4},
		{fmt.Errorf("x: %w", context.Canceled), 9},
		{errors.New("a bug"), 10},
	} {
		if got := codeOf(c.err); got != c.want {
			t.Errorf("codeOf(%v) = %d, want %d", c.err, got, c.want)
		}
	}
}
