package audit

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strconv"

	"github.com/mcp-supervisor/supervisor/messages"
)

// MaxArguments is how many bytes of arguments a record holds; of longer ones it keeps digest and length only. It is
// far above what models write, and keeps one call from filling the disk.
const MaxArguments = 1 << 20

// Intent is the record that is written before a call goes to its server. Set Arguments to nil to keep only the digest.
func Intent(call messages.Call, d messages.Decision) Record {
	r := Record{EventType: ToolIntent, CallID: call.ID, AgentID: call.Agent, Server: call.Server, Tool: call.Tool}
	if len(call.Arguments) > 0 {
		sum := sha256.Sum256(call.Arguments)
		r.ArgumentsDigest = hex.EncodeToString(sum[:])
		r.ArgumentsBytes = len(call.Arguments)
	}
	if len(call.Arguments) <= MaxArguments {
		r.Arguments = call.Arguments
	}
	return r.decided(d).In(call)
}

// Outcome is the record of how a call ended. Chain In to it, so that it names the run and topology as well.
func Outcome(result messages.CallResult, d messages.Decision) Record {
	r := Record{
		EventType: OutcomeType(result.Outcome), CallID: result.CallID, AgentID: result.Agent,
		Server: result.Server, Tool: result.Tool, Incarnation: result.Incarnation,
		Outcome: result.Outcome, Ran: result.Ran, Attempts: result.Attempts, Duration: result.Duration,
	}
	if e := result.Error; e != nil {
		r.Error = &Error{Kind: e.Kind, Code: e.Code, Message: e.Message}
		r.Exit = e.Exit
	}
	return r.decided(d)
}

// In returns r with the run and topology of call.
func (r Record) In(call messages.Call) Record {
	r.RunID, r.TopologyID = call.Run, call.Topology
	return r
}

// decided leaves the policy fields empty when there was no decision, as for a call that never reached the gate.
func (r Record) decided(d messages.Decision) Record {
	if d == (messages.Decision{}) {
		return r
	}
	r.PolicyDecision = "deny"
	if d.Allowed {
		r.PolicyDecision = "allow"
	}
	r.PolicyRule, r.PolicyReason, r.SkillID = d.Rule, d.Reason, d.Via
	return r
}

// FromEvent is the record of something that happened to a server, agent or run.
func FromEvent(e messages.Event) Record {
	r := Record{
		EventType: EventType(e.Kind), CallID: e.CallID, AgentID: e.Agent, RunID: e.Run, Server: e.Server, Tool: e.Tool,
		Incarnation: e.Incarnation, Outcome: e.Outcome, Duration: e.Duration, Exit: e.Exit,
	}
	p := encoder{b: []byte{'{'}}
	p.num("restarts", int64(e.Restarts))
	p.num("budget", int64(e.Budget))
	p.millis("after_ms", e.After)
	p.str("detail", e.Detail)
	if len(p.b) > 1 {
		r.Payload = append(p.b, '}')
	}
	return r
}

// Fact is the record of any other event, like supervisor.started or config.loaded. The payload becomes a JSON object;
// a payload that JSON cannot hold is a mistake of the caller's, which the record then shows instead of being lost.
func Fact(t EventType, payload any) Record {
	r := Record{EventType: t}
	if payload == nil {
		return r
	}
	data, err := json.Marshal(payload)
	if err != nil {
		data = []byte(`{"unencodable":` + strconv.Quote(err.Error()) + `}`)
	}
	r.Payload = data
	return r
}
