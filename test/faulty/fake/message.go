package fake

import (
	"encoding/json"
	"fmt"
)

// message is what came from the client: a request, a notification (no ID), or a response (no Method).
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
		Cursor    string          `json:"cursor"`
		Protocol  string          `json:"protocolVersion"`
		RequestID json.RawMessage `json:"requestId"`
		Meta      struct {
			Token json.RawMessage `json:"progressToken"`
		} `json:"_meta"`
	} `json:"params"`
	// raw is the line it came in.
	raw string
	// notes are texts that a mode adds to the content of the result.
	notes []string
}

// rpcCode is a JSON-RPC error code.
type rpcCode int

const (
	parseError     rpcCode = -32700
	methodNotFound rpcCode = -32601
	invalidParams  rpcCode = -32602
	internalError  rpcCode = -32603
	notInitialized rpcCode = -32002
	serverError    rpcCode = -32000
)

// quote makes a JSON string of s.
func quote(s string) string {
	text, err := json.Marshal(s)
	if err != nil {
		panic(err) // no string fails to marshal
	}
	return string(text)
}

// encode makes JSON of a value made of maps, slices, strings and numbers.
func encode(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("fake.encode: %v", err))
	}
	return string(text)
}

// textResult is a tools/call result with one text block for each text.
func textResult(texts ...string) string {
	blocks := make([]fields, len(texts))
	for i, t := range texts {
		blocks[i] = fields{"type": "text", "text": t}
	}
	return encode(fields{"content": blocks})
}
