package governance

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/mcp-supervisor/supervisor/internal/safe"
	"github.com/mcp-supervisor/supervisor/messages"
)

// RuleProvider is the rule of decisions that a provider failed to make.
const RuleProvider = "provider"

// Evaluate asks a provider for a decision and fails closed: a panic, a time-out or a senseless answer of it is denied by
// rule [RuleProvider].
//
// With a timeout the provider runs in a goroutine of its own, and Evaluate returns when it answers, the timeout has
// passed or ctx ends. A provider that does not return when its context ends leaks that goroutine; its late answer is
// dropped. With a timeout of 0 the provider runs in the caller's goroutine and is trusted not to block, which saves the
// two switches between goroutines. It is safe for concurrent use.
func Evaluate(ctx context.Context, p Provider, a Action, timeout time.Duration) Decision {
	if timeout <= 0 {
		return ask(ctx, p, a)
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	answer := make(chan Decision, 1)
	safe.Go("governance provider", nil, func() { answer <- ask(ctx, p, a) })
	select {
	case d := <-answer:
		return d
	case <-ctx.Done():
		return failed(ctx.Err().Error())
	}
}

// ask never panics.
func ask(ctx context.Context, p Provider, a Action) (d Decision) {
	if err := ctx.Err(); err != nil {
		return failed(err.Error())
	}
	err := safe.Do("governance provider", func() error {
		d = settle(p.EvaluateAction(ctx, a), a)
		return nil
	})
	var crash *safe.Crash
	if errors.As(err, &crash) {
		return failed(fmt.Sprintf("%v\n%s", crash, crash.Stack))
	}
	return d
}

// settle makes one of the possible decisions (yes, no, ask again) of whatever a provider answered.
func settle(d Decision, a Action) Decision {
	switch {
	case d.NeedsCatalogue && a.Catalogue != nil:
		return failed("it asks for a catalogue that it was given")
	case d.NeedsCatalogue:
		d.Allowed, d.Outcome = false, ""
	case d.Allowed:
		d.Outcome = ""
	case d.Outcome != messages.Invalid:
		d.Outcome = messages.Denied
	}
	if !d.Allowed {
		d.Approve = nil // nobody is asked about a no
	}
	return d
}

func failed(diagnostic string) Decision {
	return Decision{
		Outcome:    messages.Denied,
		Rule:       RuleProvider,
		Reason:     "the call could not be checked and is refused; the supervisor's log says why",
		Diagnostic: diagnostic,
	}
}
