package budget

import (
	"fmt"
	"strings"
	"time"
)

// Rate allows so many calls in a while.
type Rate struct {
	// Agent is the id of an agent, of whatever topology, or topology/id. Server is a server's id, Tool a tool's original
	// name; all three match exactly. "" matches any, and all that match share the rate. "*" matches any too, and gives
	// each agent, server or tool a rate of its own.
	Agent, Server, Tool string
	// Calls may be made at once when none were made before; they come back evenly, all of them in Per. In any window of
	// length Per there are at most 2 x Calls. Without calls, or a positive Per, every call is refused.
	Calls int
	Per   time.Duration
}

// Each stands for every agent, server or tool by itself.
const Each = "*"

// String names the rate in an audit, such as: rate: 60 calls per 1m0s of server github.
func (r Rate) String() string {
	var out strings.Builder
	fmt.Fprintf(&out, "rate: %d calls per %v", r.Calls, r.Per)
	word := " of "
	for _, part := range []struct{ what, value string }{{"agent", r.Agent}, {"server", r.Server}, {"tool", r.Tool}} {
		switch part.value {
		case "":
			continue
		case Each:
			fmt.Fprintf(&out, "%severy %s", word, part.what)
		default:
			fmt.Fprintf(&out, "%s%s %s", word, part.what, part.value)
		}
		word = ", "
	}
	return out.String()
}

// Call is what is counted.
type Call struct{ Topology, Agent, Server, Tool string }

func (r Rate) covers(c Call) bool {
	return (r.Agent == c.Topology+"/"+c.Agent || covers(r.Agent, c.Agent)) && covers(r.Server, c.Server) && covers(r.Tool, c.Tool)
}

func covers(pattern, value string) bool { return pattern == "" || pattern == Each || pattern == value }

// interval is the time in which one call comes back, rounded up so that the rate is never exceeded.
func (r Rate) interval() time.Duration {
	calls := time.Duration(r.Calls)
	return (r.Per + calls - 1) / calls
}

// burst is the time in which all calls come back.
func (r Rate) burst() time.Duration { return r.interval() * time.Duration(r.Calls) }

// never reports a rate that lets nothing pass.
func (r Rate) never() bool { return r.Calls <= 0 || r.Per <= 0 }
