package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/mcp-supervisor/supervisor/actors"
	"github.com/mcp-supervisor/supervisor/messages"
)

// progress shows what happens, one line per event that is worth one. A line that begins with "!" is something that did
// not go well.
//
// show is called by one goroutine at a time.
type progress struct {
	out   io.Writer
	began time.Time
	// starting are the servers that were started and are not up yet.
	starting map[string]bool
	// exits holds how servers ended, until the next event of the server tells what follows from it.
	exits map[string]ending
}

// ending is how a server ended, and what it wrote last where that explains it.
type ending struct {
	words  string
	stderr []string
}

// lastLines is how much of a server's stderr progress shows: the end of a stack trace and its message.
const lastLines = 5

func newProgress(out io.Writer) *progress {
	return &progress{out: out, began: time.Now(), starting: map[string]bool{}, exits: map[string]ending{}}
}

func (p *progress) show(e messages.Event) {
	switch e.Kind {
	case messages.ServerStarting:
		p.starting[e.Server] = true
	case messages.ServerUp:
		delete(p.starting, e.Server)
	case messages.ServerExited:
		p.exits[e.Server] = ending{words: orElse(e.Detail, "ended"), stderr: telling(e.Exit, p.starting[e.Server])}
		delete(p.starting, e.Server)
		return
	default:
	}
	exit := p.exits[e.Server]
	mark, text := describe(e, exit.words)
	if e.Server != "" && e.CallID == "" {
		delete(p.exits, e.Server)
	}
	if text == "" {
		return
	}
	p.line(e.Time, mark, text)
	if e.CallID == "" {
		for _, line := range exit.stderr {
			_, _ = fmt.Fprintf(p.out, "      stderr | %s\n", oneLine(line))
		}
	}
}

// note shows what is no event.
func (p *progress) note(mark, text string) { p.line(time.Now(), mark, text) }

func (p *progress) line(at time.Time, mark, text string) {
	_, _ = fmt.Fprintf(p.out, "%8s %s %s\n", "+"+seconds(max(at.Sub(p.began), 0)), mark, oneLine(text))
}

// telling returns the last lines of a server that did not come up, or that ended by itself with an error. What a server
// wrote before it was killed explains nothing, and a single line is in the words already.
func telling(e *messages.Exit, starting bool) []string {
	if e == nil || len(e.StderrTail) < 2 || !starting && (e.Code <= 0 || e.Signal != "") {
		return nil
	}
	return e.StderrTail[max(0, len(e.StderrTail)-lastLines):]
}

// end sums a run up.
func (p *progress) end(r actors.RunResult) {
	_, _ = fmt.Fprintf(p.out, "%8s   run %s answered after %s; %s\n",
		"+"+seconds(time.Since(p.began)), oneLine(r.Run), short(time.Duration(r.Duration)), tally(r.Calls))
}

// describe says an event in words; an empty text means that it is not worth a line. mark is "!" for bad news. exit is
// how the event's server ended just before.
func describe(e messages.Event, exit string) (mark, text string) {
	switch e.Kind {
	case messages.ServerUp:
		return " ", fmt.Sprintf("server %s up (%s)", e.Server, join(", ", e.Detail, short(time.Duration(e.Duration))))
	case messages.ServerRestarting:
		return "!", join(" ", "server", e.Server, join("; ", exit, restartText(e)))
	case messages.ServerStopped:
		if e.Detail == "" {
			return "", "" // the supervisor is shutting down
		}
		return " ", join(" ", "server", e.Server, join("; ", exit, "stopped: "+e.Detail))
	case messages.ServerFailed:
		return "!", join(": ", "server "+e.Server+" failed", e.Detail)
	case messages.ServerWarning:
		return "!", join(": ", "server "+e.Server, e.Detail)
	case messages.CallEnded:
		return describeCall(e)
	case messages.CallRetried:
		return "!", fmt.Sprintf("%s → %s/%s is sent once more; %s", e.Agent, e.Server, e.Tool, e.Detail)
	case messages.AgentCompleted:
		if e.Outcome != messages.OK {
			return "!", fmt.Sprintf("agent %s ended: %s", e.Agent, e.Outcome)
		}
		return " ", fmt.Sprintf("agent %s done", e.Agent)
	case messages.ApprovalRequested:
		id, _, _ := strings.Cut(e.Detail, ":")
		return "!", fmt.Sprintf("%s → %s/%s waits for approval %s; `supervisor approvals allow %s`", e.Agent, e.Server, e.Tool, e.Detail, id)
	case messages.ApprovalResolved:
		return " ", "approval " + e.Detail
	case messages.GateFrozen:
		if e.Detail == "nothing" {
			return " ", "thawed: nothing is frozen"
		}
		return "!", "frozen: " + e.Detail
	case messages.ActorCrashed:
		line, _, _ := strings.Cut(e.Detail, "\n") // the stack is for the log
		return "!", "internal error: " + line
	case messages.AuditFailed:
		return "!", "audit: " + e.Detail
	case messages.ServerStarting, messages.ServerExited, messages.CallStarted, messages.RunStarted, messages.RunEnded, messages.AgentStarted,
		messages.ToolsChanged: // which comes as a warning of the server as well
	}
	return "", ""
}

// restartText counts a restart against the server's budget, and its group's.
func restartText(e messages.Event) string {
	group := ""
	if e.Group != "" {
		group = fmt.Sprintf(", %d of %d of group %s,", e.GroupRestarts, e.GroupBudget, e.Group)
	}
	return fmt.Sprintf("restart %d of %d%s in %s", e.Restarts, e.Budget, group, seconds(time.Duration(e.After)))
}

func describeCall(e messages.Event) (mark, text string) {
	call := fmt.Sprintf("%s → %s/%s %s %s", e.Agent, e.Server, e.Tool, e.Outcome, short(time.Duration(e.Duration)))
	if e.Outcome == messages.OK {
		return " ", call
	}
	return "!", join(": ", call, e.Detail)
}

// tally counts calls in words, outcomes in their documented order.
func tally(calls map[messages.Outcome]int) string {
	var parts []string
	sum := 0
	for _, o := range messages.Outcomes {
		if n := calls[o]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, o))
			sum += n
		}
	}
	if sum == 0 {
		return "no calls"
	}
	return count(sum, "call") + ": " + strings.Join(parts, ", ")
}

// join joins the parts that are not empty.
func join(sep string, parts ...string) string {
	var kept []string
	for _, p := range parts {
		if p != "" {
			kept = append(kept, p)
		}
	}
	return strings.Join(kept, sep)
}

func orElse(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

// short is a duration in three digits or so.
func short(d time.Duration) string {
	switch {
	case d < time.Millisecond:
		return d.Round(time.Microsecond).String()
	case d < 100*time.Millisecond:
		return d.Round(100 * time.Microsecond).String()
	}
	return seconds(d)
}

func seconds(d time.Duration) string {
	if d < time.Minute {
		return fmt.Sprintf("%.2fs", d.Seconds())
	}
	return d.Round(time.Second).String()
}
