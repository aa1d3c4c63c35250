package spec

import "time"

// Limits bound what agents spend. 0 means without a limit.
type Limits struct {
	// StepsPerAgent and StepsPerRun are steps of one agent, and of all agents, in one run.
	StepsPerAgent, StepsPerRun int
	// CostPerRunMicroUSD is what the models of one run may cost, in millionths of a US dollar: sums of them are exact.
	CostPerRunMicroUSD int64
}

// Rate allows so many calls in a while. It is about the calls that fit all of Agent, Server and Tool: "" fits any, and all
// that fit share the rate; "*" fits any, and gives each its own.
type Rate struct {
	// Agent is the id of an agent, of whatever topology, or topology/id.
	Agent string
	// Server is the server's id, Tool the tool's original name.
	Server, Tool string
	// Calls is at least 1, and Per is positive.
	Calls int
	Per   time.Duration
}

// Pinning says what becomes of a call to a tool that is not as it was approved: another description, schema or set of
// annotations under the same name. The zero value means [PinningReport].
type Pinning string

const (
	PinningOff     Pinning = "off"     // nobody looks
	PinningReport  Pinning = "report"  // it is told, and the call goes on
	PinningEnforce Pinning = "enforce" // the call is refused
)
