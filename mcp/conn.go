package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcp-supervisor/supervisor/mcp/spec"
)

// conn is the SDK's end of the connection, as its transport and connection in one. It carries only what is not ours:
// the handshake and the server's requests.
//
// The SDK never decodes what came from the wire (one message it cannot decode would end its session), and Close returns
// at once (the SDK holds its lock meanwhile).
type conn struct {
	send func(ctx context.Context, frame []byte, kind frameKind) error
	in   chan jsonrpc.Message
	gone chan struct{}
	once sync.Once
	// refused is the server's own error, as against those that the SDK makes up.
	refused atomic.Pointer[spec.RPCError]
}

// frameKind is what kind of message the SDK writes.
type frameKind int

const (
	aRequest frameKind = iota
	aNotification
	aResponse
)

func newConn(send func(context.Context, []byte, frameKind) error) *conn {
	return &conn{send: send, in: make(chan jsonrpc.Message, 16), gone: make(chan struct{})}
}

// Connect implements the SDK's Transport.
func (c *conn) Connect(context.Context) (sdk.Connection, error) { return c, nil }

// SessionID implements the SDK's Connection.
func (c *conn) SessionID() string { return "" }

// Read implements the SDK's Connection. What was received before the end is still read.
func (c *conn) Read(context.Context) (jsonrpc.Message, error) {
	select {
	case m := <-c.in:
		return m, nil
	default:
	}
	select {
	case m := <-c.in:
		return m, nil
	case <-c.gone:
		return nil, io.EOF
	}
}

// Write implements the SDK's Connection.
func (c *conn) Write(ctx context.Context, m jsonrpc.Message) error {
	if r, ok := m.(*jsonrpc.Response); ok {
		frame, err := encodeResponse(r)
		if err != nil {
			return err
		}
		return c.send(ctx, frame, aResponse)
	}
	frame, err := jsonrpc.EncodeMessage(m)
	if err != nil {
		return err
	}
	kind := aNotification
	if r, ok := m.(*jsonrpc.Request); ok && r.IsCall() {
		kind = aRequest
	}
	return c.send(ctx, frame, kind)
}

// Close implements the SDK's Connection. It only ends the SDK's session: the process is not the SDK's to stop.
func (c *conn) Close() error {
	c.once.Do(func() { close(c.gone) })
	return nil
}

// request hands on a server's request. Its id goes through the SDK as the text it is, so that it comes back byte for
// byte: the SDK would make a float64 of it.
func (c *conn) request(e envelope) bool {
	var method string
	if json.Unmarshal(e.method, &method) != nil {
		return false
	}
	id, err := jsonrpc.MakeID(string(e.id))
	return err == nil && c.deliver(&jsonrpc.Request{ID: id, Method: method, Params: e.params})
}

// response hands on the answer to a request of the SDK's.
func (c *conn) response(id int64, e envelope) bool {
	sdkID, err := jsonrpc.MakeID(float64(id))
	if err != nil {
		return false
	}
	r := &jsonrpc.Response{ID: sdkID, Result: e.result}
	if e.failed() {
		rpc := rpcError(e.err)
		c.refused.Store(rpc)
		r.Result, r.Error = nil, &jsonrpc.Error{Code: rpc.Code, Message: rpc.Message, Data: rpc.Data}
	}
	return c.deliver(r)
}

// unanswered ends a request of the SDK's to which no answer will come. If one came, this changes nothing.
func (c *conn) unanswered(frame []byte, why error) {
	in := scanner{b: frame}
	e, _ := in.envelope()
	id, _ := number(e.id)
	sdkID, err := jsonrpc.MakeID(float64(id))
	if err == nil {
		c.deliver(&jsonrpc.Response{ID: sdkID, Error: &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: why.Error()}})
	}
}

func (c *conn) deliver(m jsonrpc.Message) bool {
	select {
	case c.in <- m:
	case <-c.gone:
	}
	return true
}

// encodeResponse writes the SDK's answer to a server's request, under the id as the server wrote it.
func encodeResponse(r *jsonrpc.Response) ([]byte, error) {
	id, _ := r.ID.Raw().(string)
	out := struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Result  json.RawMessage `json:"result,omitempty"`
		Error   *jsonrpc.Error  `json:"error,omitempty"`
	}{Version: "2.0", ID: json.RawMessage(id), Result: r.Result}
	if r.Error != nil {
		out.Error = &jsonrpc.Error{Code: jsonrpc.CodeInternalError}
		errors.As(r.Error, &out.Error)
		out.Error = &jsonrpc.Error{Code: out.Error.Code, Message: r.Error.Error(), Data: out.Error.Data}
	}
	return json.Marshal(out)
}
