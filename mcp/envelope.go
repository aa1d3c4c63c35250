package mcp

import (
	"encoding/json"
	"strconv"

	"github.com/mcp-supervisor/supervisor/mcp/spec"
)

// envelope is the top level of one JSON-RPC message; its fields are the raw values, nil when absent.
//
// Keys match exactly and the first of several equal ones counts, so that two readers of one message cannot be made to
// see different things.
type envelope struct {
	version, id, method, params, result, err []byte
}

// envelope reads the object that the scanner stands on.
func (s *scanner) envelope() (e envelope, ok bool) {
	first := func(field *[]byte, value []byte) {
		if *field == nil {
			*field = value
		}
	}
	ok = s.object(0, func(key, value []byte) {
		switch string(key) {
		case "jsonrpc":
			first(&e.version, value)
		case "id":
			first(&e.id, value)
		case "method":
			first(&e.method, value)
		case "params":
			first(&e.params, value)
		case "result":
			first(&e.result, value)
		case "error":
			first(&e.err, value)
		}
	})
	return e, ok
}

// hasID reports whether there is an id that something can be matched by.
func (e envelope) hasID() bool { return e.id != nil && string(e.id) != "null" }

// failed reports whether the message carries an error. A null error beside a result is none.
func (e envelope) failed() bool { return e.err != nil && string(e.err) != "null" }

// number reads an id as an integer: a JSON number, or the same digits as a string, which some servers make of it.
func number(id []byte) (int64, bool) {
	if n := len(id); n > 2 && id[0] == '"' {
		id = id[1 : n-1]
	}
	n, err := strconv.ParseInt(string(id), 10, 64)
	return n, err == nil
}

// reply is the answer that the message carries.
func (e envelope) reply() spec.Reply {
	switch {
	case e.failed():
		return spec.Reply{RPC: rpcError(e.err), Written: true}
	case e.result != nil:
		return spec.Reply{Result: e.result, Written: true}
	default:
		return spec.Reply{Err: ErrNoAnswer, Written: true}
	}
}

// rpcError reads a JSON-RPC error and makes the best of odd ones: a code in a string, no message, an error that is only
// a string.
func rpcError(raw []byte) *spec.RPCError {
	e := &spec.RPCError{}
	if raw[0] == '"' {
		e.Message = text(raw)
	}
	members(raw, func(key, value []byte) {
		switch string(key) {
		case "code":
			e.Code, _ = number(value)
		case "message":
			e.Message = text(value)
		case "data":
			e.Data = json.RawMessage(value)
		}
	})
	if e.Message == "" {
		e.Message = "the server gave no reason"
	}
	return e
}

// text decodes a JSON string; anything else is shown as it is.
func text(raw []byte) string {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return string(raw)
	}
	return s
}
