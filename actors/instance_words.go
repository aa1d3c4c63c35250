package actors

import (
	"fmt"
	"time"

	mcpspec "github.com/mcp-supervisor/supervisor/mcp/spec"
	"github.com/mcp-supervisor/supervisor/messages"
)

// lost is the result of a call that was running when its session died.
func (i *instance) lost(c messages.Call) messages.CallResult {
	r := result(c, messages.Lost, messages.RanMaybe)
	text := fmt.Sprintf("server `%s` died while `%s` was running (%s), so the call may have taken effect; %s",
		i.declared.ID, c.Tool, died(i.lastExit), i.nextText())
	r.Error = downError(messages.Lost, text, i.retryIn(), i.lastExit)
	return r
}

// unavailable is the result of a call that was not sent because the server is down.
func (i *instance) unavailable(c messages.Call) messages.CallResult {
	r := result(c, messages.Unavailable, messages.RanNo)
	r.Error = downError(messages.Unavailable, i.downText(), i.retryIn(), i.lastExit)
	return r
}

func (i *instance) downText() string {
	if i.lastExit == nil {
		return fmt.Sprintf("server `%s` is %s; try again", i.declared.ID, i.state)
	}
	return fmt.Sprintf("server `%s` is down (%s); %s", i.declared.ID, died(i.lastExit), i.nextText())
}

// died says in brackets how a session ended.
func died(e *mcpspec.Exit) string {
	if e == nil {
		return "ended"
	}
	return e.String()
}

// nextText says what happens next.
func (i *instance) nextText() string {
	used, budget := i.history.Used(i.declared.Restart, time.Now()), i.declared.Restart.MaxRestarts
	switch {
	case i.stopper != nil:
		return "the supervisor is shutting down"
	case i.state == messages.StateFailed && i.lastExit != nil && i.lastExit.Hopeless:
		return "it is not started again, because that cannot help: fix it first, here or in the workspace"
	case i.state == messages.StateFailed && i.lastExit != nil && i.lastExit.Denied:
		return "check its headers or credentials_ref; " + i.deniedText()
	case i.state == messages.StateFailed && i.retryAt.IsZero():
		return fmt.Sprintf("it has used up its %s and is not started again", count(budget, "restart"))
	case i.state == messages.StateFailed:
		return fmt.Sprintf("it has used up its %s within %s; one more try in %s", count(budget, "restart"), i.declared.Restart.Within, round(time.Until(i.retryAt)))
	case i.state == messages.StateStopped:
		return "the next call starts it again"
	case i.state == messages.StateBackoff:
		return fmt.Sprintf("restart %d of %d in %s", used, budget, round(time.Until(i.retryAt)))
	}
	return fmt.Sprintf("restart %d of %d is on its way", used, budget)
}

func (i *instance) deniedText() string {
	if i.retryAt.IsZero() {
		return "it is not started again"
	}
	return "it is tried again in " + round(time.Until(i.retryAt)).String()
}

// retryIn is when the server is expected to take calls again: the rest of the pause and what a start took last time.
func (i *instance) retryIn() time.Duration {
	switch i.state {
	case messages.StateBackoff:
		return max(time.Until(i.retryAt), 0) + i.startTook
	case messages.StateFailed:
		if i.retryAt.IsZero() {
			return 0
		}
		return max(time.Until(i.retryAt), 0) + i.startTook
	case messages.StateStarting:
		if i.startTook == 0 {
			return 0 // it never was up: nobody knows
		}
		return max(i.startTook-time.Since(i.since), time.Millisecond)
	default:
		return 0
	}
}

func round(d time.Duration) time.Duration {
	if d > time.Second {
		return d.Round(100 * time.Millisecond)
	}
	return d.Round(time.Millisecond)
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
