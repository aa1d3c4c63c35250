package actors

import (
	"fmt"
	"time"

	"github.com/mcp-supervisor/supervisor/config"
	mcpspec "github.com/mcp-supervisor/supervisor/mcp/spec"
	"github.com/mcp-supervisor/supervisor/messages"
	"github.com/mcp-supervisor/supervisor/supervision"
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

// waitedOut is the result of a call whose wait ran out while the server was down.
func (i *instance) waitedOut(c messages.Call) messages.CallResult {
	r := i.unavailable(c)
	r.Error.Message = fmt.Sprintf("the call waited %s (queue.wait); %s", i.declared.Queue.Wait, r.Error.Message)
	return r
}

func (i *instance) downText() string {
	id := i.declared.ID
	switch {
	case i.leavesByHand():
		return fmt.Sprintf("server `%s` is being stopped by hand; `supervisor start %s` starts it again", id, id)
	case i.order.Verb == supervision.Hold:
		return fmt.Sprintf("server `%s` was stopped by hand; `supervisor start %s` starts it", id, id)
	case i.order.Verb == supervision.Drop:
		return fmt.Sprintf("server `%s` was removed from the workspace", id)
	case i.order.Verb == supervision.Fail && i.order.Because != "":
		return fmt.Sprintf("server `%s` is down because %s", id, i.failText())
	case i.lastExit == nil || i.dead.asked:
		return fmt.Sprintf("server `%s` is %s; try again", id, i.state)
	}
	return fmt.Sprintf("server `%s` is down (%s); %s", id, died(i.lastExit), i.nextText())
}

// failText says why a server was given up, without its name.
func (i *instance) failText() string {
	if i.order.Because != "" {
		return fmt.Sprintf("`%s` of its group failed; it comes back with it", i.order.Because)
	}
	return died(i.lastExit) + "; " + i.nextText()
}

// died says in brackets how a session ended.
func died(e *mcpspec.Exit) string {
	if e == nil {
		return "ended"
	}
	return e.String()
}

// detail is what the state alone does not say.
func (i *instance) detail() string {
	switch {
	case i.leaving != nil && i.stopper == nil:
		return i.closeReason()
	case i.order.Verb == supervision.Hold:
		return "stopped by hand"
	case i.order.Verb == supervision.Await && i.order.Because != "":
		return fmt.Sprintf("waits for `%s`", i.order.Because)
	case i.order.Verb == supervision.Await:
		return "waits for its turn to start"
	case i.order.Verb == supervision.Fail && i.order.Because != "":
		return fmt.Sprintf("`%s` of its group failed", i.order.Because)
	case i.order.Verb == supervision.Rest && i.state == messages.StateStopped:
		return "rests until it is needed"
	case i.state == messages.StateBackoff, i.state == messages.StateFailed:
		return i.nextText()
	case i.state == messages.StateStopped && i.declared.Start == config.StartLazy:
		return "lazy: starts with the first call"
	case i.state == messages.StateStopped:
		return "starts when it is needed"
	}
	return ""
}

// nextText says what happens next.
func (i *instance) nextText() string {
	switch {
	case i.stopper != nil:
		return shuttingDown
	case i.state == messages.StateFailed && i.lastExit != nil && i.lastExit.Hopeless:
		return "it is not started again, because that cannot help: fix it first, here or in the workspace"
	case i.state == messages.StateFailed && i.lastExit != nil && i.lastExit.Denied:
		return "check its headers or credentials_ref; " + i.deniedText()
	case i.state == messages.StateFailed && i.order.Until.IsZero():
		return i.order.Spent + " and is not started again"
	case i.state == messages.StateFailed:
		return fmt.Sprintf("%s; one more try in %s", i.order.Spent, round(time.Until(i.order.Until)))
	case i.state == messages.StateStopped:
		return "the next call starts it again"
	case i.state == messages.StateBackoff:
		return fmt.Sprintf("%s in %s", i.restartText(), round(max(time.Until(i.order.Until), 0)))
	case i.order.Verb == supervision.Await && i.order.Because != "":
		return fmt.Sprintf("%s comes after `%s`, which starts first", i.restartText(), i.order.Because)
	}
	return i.restartText() + " is on its way"
}

func (i *instance) deniedText() string {
	if i.order.Until.IsZero() {
		return "it is not started again"
	}
	return "it is tried again in " + round(time.Until(i.order.Until)).String()
}

// retryIn is when the server is expected to take calls again: the rest of the pause and what a start took last time.
func (i *instance) retryIn() time.Duration {
	switch i.state {
	case messages.StateBackoff:
		return max(time.Until(i.order.Until), 0) + i.startTook
	case messages.StateFailed:
		if i.order.Until.IsZero() {
			return 0
		}
		return max(time.Until(i.order.Until), 0) + i.startTook
	case messages.StateStarting:
		return max(i.startTook-time.Since(i.since), 0) // it takes longer than last time: nobody knows
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
