package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/mcp-supervisor/supervisor/internal/safe"
	"github.com/mcp-supervisor/supervisor/mcp/spec"
)

// Call sends tools/call and returns at once; it never waits for I/O. The request is sent at most once.
//
// done is called exactly once, from another goroutine, with the server's answer or with the reason why there is none:
// ErrCancelled, an *ExitError, *StatusError, *SizeError, ErrClosed, ErrArguments, ErrNoAnswer, or what the network said.
// Written tells whether the call may have run. done must not block. There is no deadline: cancel when it has passed.
//
// cancel gives the call up: done is told ErrCancelled, and the server gets notifications/cancelled with the reason, if
// the request was sent. After done it does nothing. An answer that comes later is dropped and counted.
func (s *Session) Call(req spec.CallRequest, done func(spec.Reply)) (cancel func(reason string)) {
	stateless := s.stateless()
	if stateless && (req.Meta == nil || isObject(req.Meta)) {
		req.Meta = mergeMeta(req.Meta)
	}
	params, err := appendCall(nil, req)
	switch {
	case err != nil:
		safe.Go("mcp call", nil, func() { done(spec.Reply{Err: err}) })
		return func(string) {}
	case stateless:
		return (&rounds{s: s, req: req, params: params, done: done}).start()
	}
	return s.start("tools/call", params, callToken(req.Meta), done)
}

// start sends a request of ours; done and cancel are as with Call. Progress is told under token, if it has one.
func (s *Session) start(method string, params []byte, token string, done func(spec.Reply)) (cancel func(reason string)) {
	c := &call{id: s.nextID.Add(1), method: method, token: token, done: done}
	if err := s.pending.add(c); err != nil {
		safe.Go("mcp call", nil, func() { done(spec.Reply{Err: err}) })
		return func(string) {}
	}
	s.link.send(c, appendRequest(nil, c.id, method, params))
	return func(reason string) { s.cancel(c, reason) }
}

func (s *Session) cancel(c *call, reason string) {
	if s.pending.take(c.id) == nil {
		return
	}
	written := c.drop()
	if written {
		s.link.cancel(c, cancelled(c.id, reason))
	}
	if c.abort != nil {
		c.abort()
	}
	if inside := s.stuck.Load(); inside != nil && inside.Load() {
		s.because("did not end a message longer than max_message in a call's time")
		s.link.kill()
	}
	safe.Go("mcp cancel", nil, func() { c.done(spec.Reply{Err: ErrCancelled, Written: written}) })
}

// request sends a request of ours and waits for its answer, at most until ctx ends.
func (s *Session) request(ctx context.Context, method string, params []byte) spec.Reply {
	if s.stateless() {
		params = withMeta(params)
	}
	answer := make(chan spec.Reply, 1)
	cancel := s.start(method, params, "", func(r spec.Reply) { answer <- r })
	select {
	case r := <-answer:
		return r
	case <-ctx.Done():
		cancel(ctx.Err().Error())
		return spec.Reply{Err: context.Cause(ctx)}
	}
}

// appendRequest writes a request, without a line end.
func appendRequest(b []byte, id int64, method string, params []byte) []byte {
	if b == nil {
		b = make([]byte, 0, len(params)+len(method)+64)
	}
	b = append(b, `{"jsonrpc":"2.0","id":`...)
	b = strconv.AppendInt(b, id, 10)
	b = append(b, `,"method":"`...)
	b = append(b, method...)
	b = append(b, '"')
	if params != nil {
		b = append(b, `,"params":`...)
		b = append(b, params...)
	}
	return append(b, '}')
}

// appendCall writes the params of tools/call. Arguments and _meta stay as they are, byte for byte, but for line ends
// between tokens, which the stdio framing forbids; no arguments are sent as {}.
func appendCall(b []byte, req spec.CallRequest) ([]byte, error) {
	args, err := object("arguments", req.Arguments)
	if err != nil {
		return nil, err
	}
	meta, err := object("_meta", req.Meta)
	if err != nil {
		return nil, err
	}
	if b == nil {
		b = make([]byte, 0, len(req.Tool)+len(args)+len(meta)+48)
	}
	b = append(b, `{"name":`...)
	b = appendString(b, req.Tool)
	b = append(b, `,"arguments":`...)
	if args == nil {
		b = append(b, `{}`...)
	}
	b = append(b, args...)
	if meta != nil {
		b = append(b, `,"_meta":`...)
		b = append(b, meta...)
	}
	return append(b, '}'), nil
}

// object checks that raw is a JSON object on one line. Nil and null are none.
func object(what string, raw json.RawMessage) ([]byte, error) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || string(raw) == "null" {
		return nil, nil
	}
	if !isObject(raw) {
		return nil, fmt.Errorf("%s: %w: %s", what, ErrArguments, excerpt(raw))
	}
	return oneLine(raw), nil
}

// appendString writes a JSON string. Tool names hardly ever need more than quotes.
func appendString(b []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < 0x20 || c >= 0x7f || c == '"' || c == '\\' {
			quoted, _ := json.Marshal(s) // a string always marshals
			return append(b, quoted...)
		}
	}
	b = append(b, '"')
	b = append(b, s...)
	return append(b, '"')
}

// callToken is the progress token in a request's _meta, as something to compare; empty when there is none.
func callToken(meta []byte) (token string) {
	if len(meta) == 0 {
		return ""
	}
	members(meta, func(key, value []byte) {
		if string(key) == "progressToken" {
			token = tokenKey(value)
		}
	})
	return token
}

// tokenKey makes equal what are equal tokens, however a string is escaped.
func tokenKey(raw []byte) string {
	if s, ok := str(raw); ok {
		return "s" + s
	}
	return string(raw)
}

func cancelled(id int64, reason string) []byte {
	b := append([]byte(nil), `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":`...)
	b = strconv.AppendInt(b, id, 10)
	b = append(b, `,"reason":`...)
	b = appendString(b, reason)
	return append(b, "}}"...)
}
