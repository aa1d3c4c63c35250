package chaos

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"
)

// Kind is one way to hurt a server.
type Kind string

const (
	// Kill is SIGKILL to the process that serves: below npx, uvx or sh it is the one that reads the session's stdin.
	Kill Kind = "kill"
	// Wrapper is SIGKILL to the leader of the server's process group: npx, uvx or sh where there is one.
	Wrapper Kind = "wrapper"
	// Stop is SIGSTOP, and SIGCONT after 50 to 500 ms.
	Stop Kind = "stop"
	// Hang is SIGSTOP without SIGCONT, for as long as the supervisor needs to notice, and 10 s at most.
	Hang Kind = "hang"
	// Pipe closes the session's stdin or stdout on our side, or a remote session's connection.
	Pipe Kind = "pipe"
	// Slow delays the server's answers by 50 to 500 ms, for a second.
	Slow Kind = "slow"
)

// Kinds lists them all, in the order they are documented.
var Kinds = []Kind{Kill, Wrapper, Stop, Hang, Pipe, Slow}

// ends reports whether the strike ends the session, so that there is something to recover from.
func (k Kind) ends() bool { return k == Kill || k == Wrapper || k == Hang || k == Pipe }

// local reports whether the strike needs a process of ours.
func (k Kind) local() bool { return k != Pipe && k != Slow }

// ParseKinds reads a list such as "kill,stop". The error names the kind that there is not, and those there are.
func ParseKinds(list string) ([]Kind, error) {
	var kinds []Kind
	for word := range strings.SplitSeq(list, ",") {
		k := Kind(strings.TrimSpace(word))
		switch {
		case !slices.Contains(Kinds, k):
			return nil, fmt.Errorf("there is no fault %q; use some of %s", k, joined(Kinds))
		case slices.Contains(kinds, k):
			return nil, fmt.Errorf("fault %q is named twice", k)
		}
		kinds = append(kinds, k)
	}
	return kinds, nil
}

func joined(kinds []Kind) string {
	words := make([]string, len(kinds))
	for i, k := range kinds {
		words[i] = string(k)
	}
	return strings.Join(words, ",")
}

// Target is one tool that is called under load.
type Target struct {
	Server    string          `json:"server"`
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"` // a JSON object
	// Marker names the argument that gets a text of its own in each call, which the answer has to contain; empty for none.
	Marker string `json:"marker,omitempty"`
}

// ParseTarget reads SERVER/TOOL=JSON, or SERVER/TOOL for a tool without arguments.
func ParseTarget(text string) (Target, error) {
	name, arguments, given := strings.Cut(text, "=")
	server, tool, ok := strings.Cut(name, "/")
	if !ok || server == "" || tool == "" {
		return Target{}, fmt.Errorf("%q is no tool to call: write SERVER/TOOL=JSON", text)
	}
	if !given {
		arguments = "{}"
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal([]byte(arguments), &object); err != nil || object == nil {
		return Target{}, fmt.Errorf("the arguments of %s are no JSON object: %s", name, arguments)
	}
	return Target{Server: server, Tool: tool, Arguments: json.RawMessage(arguments)}, nil
}

// Options say how a run goes. Duration, Agents, KillEvery, Kinds and Supervisor are needed.
type Options struct {
	// Duration is how long servers are struck. What comes before (starts) and after (recoveries) is not in it.
	Duration time.Duration
	// Agents call at the same time, each one call after the other.
	Agents int
	// KillEvery is the time between two strikes, on average.
	KillEvery time.Duration
	Kinds     []Kind
	// Seed decides what the injector does: equal seeds, equal sequences of kinds, positions and pauses.
	Seed uint64
	// AsConfigured leaves the restart budget, back-off, time-outs and health checks as the workspace has them. Without it
	// they are replaced by ones that the strikes can neither use up nor wait out; see docs/chaos.md.
	AsConfigured bool
	// Targets are called instead of what would be chosen for their servers, writing tools too.
	Targets []Target
	// Supervisor is the path of a binary that serves `demo-server ledger FILE`.
	Supervisor string
	// Enough ends the run early when it is closed; what was seen is reported. Nil means never.
	Enough <-chan struct{}
	// Log gets the supervisor's log; nil for nowhere. Say gets a line for people now and then; nil for nobody.
	Log *slog.Logger
	Say func(text string)
}

// InputError says what is wrong with the options or the workspace of a run. Nothing was struck, and nothing is left.
type InputError struct{ Text string }

func (e *InputError) Error() string { return e.Text }

func unusable(format string, args ...any) error { return &InputError{fmt.Sprintf(format, args...)} }

func (o Options) check() error {
	switch {
	case o.Duration <= 0:
		return unusable("the duration must be more than 0")
	case o.KillEvery <= 0:
		return unusable("the time between two strikes must be more than 0")
	case o.Agents < 1:
		return unusable("at least one agent has to call")
	case len(o.Kinds) == 0:
		return unusable("no fault is named: use some of %s", joined(Kinds))
	case o.Supervisor == "":
		return unusable("the path of the supervisor's binary is missing: it serves the ledger")
	}
	return nil
}

func (o Options) say(format string, args ...any) {
	if o.Say != nil {
		o.Say(fmt.Sprintf(format, args...))
	}
}
