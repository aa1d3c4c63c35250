package audit

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strconv"
	"time"

	"github.com/mcp-supervisor/supervisor/messages"
)

const (
	hashLen = 2 * sha256.Size
	prevKey = `,"prev":"`
	hashKey = `,"hash":"`
	tailLen = len(hashKey) + hashLen + len(`"}`)
)

// encoder writes the members of one JSON object in the order it is called. Zero values are left out.
type encoder struct{ b []byte }

func (e *encoder) key(name string) {
	if e.b[len(e.b)-1] != '{' {
		e.b = append(e.b, ',')
	}
	e.b = append(append(append(e.b, '"'), name...), '"', ':')
}

func (e *encoder) str(name, v string) {
	if v != "" {
		e.key(name)
		e.b = appendString(e.b, v)
	}
}

func (e *encoder) num(name string, v int64) {
	if v != 0 {
		e.key(name)
		e.b = strconv.AppendInt(e.b, v, 10)
	}
}

// millis writes milliseconds with microsecond precision, as messages.Millis does.
func (e *encoder) millis(name string, v messages.Millis) {
	if v != 0 {
		e.key(name)
		e.b = strconv.AppendFloat(e.b, float64(time.Duration(v).Microseconds())/1000, 'f', -1, 64)
	}
}

func (e *encoder) raw(name string, v json.RawMessage) {
	if len(v) > 0 {
		e.key(name)
		e.b = appendRaw(e.b, v)
	}
}

// encode appends r as one line, its end included, and sets r.Hash. The order of the members is part of the format:
// Verify reads those at both ends without decoding the rest.
func encode(dst []byte, r *Record) []byte {
	e := encoder{b: append(dst, '{')}
	e.identity(r)
	e.subject(r)
	e.outcome(r)
	e.str("policy_decision", r.PolicyDecision)
	e.str("policy_rule", r.PolicyRule)
	e.str("policy_reason", r.PolicyReason)
	e.raw("payload", r.Payload)
	e.b = append(append(append(e.b, prevKey...), r.Prev...), '"')
	r.Hash = hashOf(e.b[len(dst):])
	e.b = append(append(e.b, hashKey...), r.Hash...)
	return append(e.b, '"', '}', '\n')
}

func (e *encoder) identity(r *Record) {
	e.num("seq", r.Seq)
	e.str("event_id", r.EventID)
	e.str("event_type", string(r.EventType))
	e.key("timestamp")
	e.b = append(r.Timestamp.AppendFormat(append(e.b, '"'), time.RFC3339Nano), '"')
	e.str("call_id", r.CallID)
}

func (e *encoder) subject(r *Record) {
	e.str("agent_id", r.AgentID)
	e.str("run_id", r.RunID)
	e.str("topology_id", r.TopologyID)
	e.str("skill_id", r.SkillID)
	e.str("server", r.Server)
	e.str("tool", r.Tool)
	e.num("incarnation", int64(r.Incarnation))
	e.str("arguments_digest", r.ArgumentsDigest)
	e.num("arguments_bytes", int64(r.ArgumentsBytes))
	e.raw("arguments", r.Arguments)
}

func (e *encoder) outcome(r *Record) {
	e.str("outcome", string(r.Outcome))
	e.str("ran", string(r.Ran))
	e.num("attempts", int64(r.Attempts))
	e.millis("duration_ms", r.Duration)
	if r.Error != nil {
		e.key("error")
		e.b = append(e.b, '{')
		e.str("kind", r.Error.Kind)
		e.num("code", r.Error.Code)
		e.str("message", r.Error.Message)
		e.b = append(e.b, '}')
	}
	if r.Exit != nil {
		e.exit(r.Exit)
	}
}

func (e *encoder) exit(x *messages.Exit) {
	e.key("exit")
	e.b = strconv.AppendInt(append(e.b, `{"code":`...), int64(x.Code), 10) // 0 is a code too
	e.str("signal", x.Signal)
	e.str("reason", x.Reason)
	if len(x.StderrTail) > 0 {
		e.key("stderr_tail")
		for i, line := range x.StderrTail {
			e.b = appendString(append(e.b, "[,"[min(i, 1)]), line)
		}
		e.b = append(e.b, ']')
	}
	e.b = append(e.b, '}')
}

func hashOf(body []byte) string {
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:])
}
