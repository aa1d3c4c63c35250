package actors

import (
	"fmt"
	"slices"
	"time"

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

func (i *instance) downText() string {
	id := i.declared.ID
	switch {
	case i.order.Verb == supervision.Hold:
		return fmt.Sprintf("server `%s` was stopped by hand; `supervisor start %s` starts it", id, id)
	case i.order.Verb == supervision.Drop:
		return fmt.Sprintf("server `%s` was removed from the workspace", id)
	case i.order.Verb == supervision.Fail && i.order.Because != "":
		return fmt.Sprintf("server `%s` is down because `%s` of its group failed; it comes back with it", id, i.order.Because)
	case i.lastExit == nil || i.dead.asked:
		return fmt.Sprintf("server `%s` is %s; try again", id, i.state)
	}
	return fmt.Sprintf("server `%s` is down (%s); %s", id, died(i.lastExit), i.nextText())
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
	}
	return ""
}

// nextText says what happens next.
func (i *instance) nextText() string {
	used, budget := i.used(), i.declared.Restart.MaxRestarts
	switch {
	case i.stopper != nil:
		return shuttingDown
	case i.state == messages.StateFailed && i.lastExit != nil && i.lastExit.Hopeless:
		return "it is not started again, because that cannot help: fix it first, here or in the workspace"
	case i.state == messages.StateFailed && i.lastExit != nil && i.lastExit.Denied:
		return "check its headers or credentials_ref; " + i.deniedText()
	case i.state == messages.StateFailed && i.order.Until.IsZero():
		return i.spentText() + " and is not started again"
	case i.state == messages.StateFailed:
		return fmt.Sprintf("%s; one more try in %s", i.spentText(), round(time.Until(i.order.Until)))
	case i.state == messages.StateStopped:
		return "the next call starts it again"
	case i.state == messages.StateBackoff:
		return fmt.Sprintf("restart %d of %d in %s", used, budget, round(time.Until(i.order.Until)))
	case i.order.Verb == supervision.Await && i.order.Because != "":
		return fmt.Sprintf("restart %d of %d comes after `%s`, which starts first", used, budget, i.order.Because)
	}
	return fmt.Sprintf("restart %d of %d is on its way", used, budget)
}

// spentText says what is used up. A member of a group shares a second budget.
func (i *instance) spentText() string {
	text := fmt.Sprintf("it has used up its %s within %s", count(i.declared.Restart.MaxRestarts, "restart"), i.declared.Restart.Within)
	for _, g := range i.env.ws().Groups {
		if slices.Contains(g.Members, i.declared.ID) {
			text = fmt.Sprintf("it, or its group `%s`, has used up its restarts", g.Name)
		}
	}
	return text
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
