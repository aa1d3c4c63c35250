package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/mcp-supervisor/supervisor/mcp/spec"
)

// errFlood ends a session that hears nothing but junk.
var errFlood = errors.New("wrote only junk to its stdout: over 10,000 lines or 64 MiB without a message")

// receive takes in one line or event from the server and sees to every message in it. The session owns line from now
// on. It returns an error only when the session must end.
func (s *Session) receive(line []byte) error {
	line = repair(line)
	if len(line) == 0 {
		return s.flood(s.junk.row(1))
	}
	return s.judge(s.hear(line))
}

// hear sees to the messages in a line and returns what is left when no more can be made out; nil when that is nothing.
func (s *Session) hear(line []byte) (rest []byte) {
	in := scanner{b: line}
	for in.i < len(in.b) { // two messages in one line are two messages
		rest := in.b[in.i:]
		switch prefix := s.textBefore(rest); {
		case s.receiveValue(&in):
			in.i = len(in.b) - len(bytes.TrimSpace(skipColours(bytes.TrimSpace(in.b[in.i:]))))
		case prefix > 0:
			s.junk.skip("text before a message", rest[:prefix])
			in.i = len(in.b) - len(rest) + prefix
		default:
			return rest
		}
		s.junk.good()
	}
	return nil
}

// textBefore returns the length of the text in front of an answer that somebody waits for: servers print without a line
// end, too. Only answers count, since a log line may well quote a request, and only the line's first bracket.
func (s *Session) textBefore(rest []byte) int {
	at := bytes.IndexByte(rest, '{')
	if at <= 0 || !bytes.HasPrefix(rest[at:], []byte(`{"jsonrpc"`)) {
		return 0
	}
	in := scanner{b: rest, i: at}
	e, ok := in.envelope()
	id, isNumber := number(e.id)
	if ok && isNumber && e.method == nil && (e.result != nil || e.failed()) && s.pending.has(id) {
		return at
	}
	return 0
}

// judge counts what no message could be made of as junk.
func (s *Session) judge(rest []byte) error {
	if rest == nil {
		return nil
	}
	return s.flood(s.junk.skip("no JSON-RPC message", rest))
}

func (s *Session) flood(is bool) error {
	if is {
		return errFlood
	}
	return nil
}

// receiveValue sees to the message, or the batch of messages, that in stands on.
func (s *Session) receiveValue(in *scanner) bool {
	if in.peek() != '[' {
		e, ok := in.envelope()
		return ok && s.dispatch(e)
	}
	batch := in.value(0)
	heard := false
	elements(batch, func(value []byte) {
		one := scanner{b: value}
		if e, ok := one.envelope(); ok && s.dispatch(e) {
			heard = true
		}
	})
	return heard
}

// dispatch sends a message where it belongs and reports whether it was one.
func (s *Session) dispatch(e envelope) bool {
	switch {
	case e.method != nil && !e.hasID():
		return s.notified(e)
	case e.method != nil && s.stateless():
		return s.answer(e)
	case e.method != nil:
		return s.conn.request(e)
	case e.hasID() && (e.result != nil || e.err != nil):
		return s.answered(e)
	case e.failed():
		s.warn("the server reported an error without saying for which request: " + rpcError(e.err).Message)
		return true
	case e.hasID():
		if id, ok := number(e.id); ok && id >= firstID { // neither result nor error: the caller must not wait for more
			return s.answered(e)
		}
	}
	return false
}

// answered ends the call that e answers: one of ours here, others in the SDK's session.
func (s *Session) answered(e envelope) bool {
	id, ok := number(e.id)
	if ok && id >= firstID {
		reply := e.reply()
		if slow := s.slow.Load(); slow == nil || !slow.take(id, reply, time.Now()) {
			s.deliver(id, reply)
		}
		return true
	}
	if ok {
		s.negotiated(e)
		return s.conn.response(id, e)
	}
	return false
}

// deliver ends the call with that id, or counts its answer as late.
func (s *Session) deliver(id int64, reply spec.Reply) {
	if !s.pending.settle(id, reply) {
		s.late.Add(1)
	}
}

// negotiated notes the protocol version in the answer to initialize, which later HTTP requests must name. Only the SDK
// has ids this low, and it asks nothing else.
func (s *Session) negotiated(e envelope) {
	if s.protocol.Load() != nil || e.result == nil {
		return
	}
	members(e.result, func(key, value []byte) {
		if string(key) == "protocolVersion" {
			version := text(value)
			s.protocol.Store(&version)
		}
	})
}

// notified sees to a notification. Those that nobody here needs are no junk.
func (s *Session) notified(e envelope) bool {
	switch text(e.method) {
	case "notifications/tools/list_changed":
		s.changed.hit()
	case "notifications/progress":
		members(e.params, func(key, value []byte) {
			if string(key) == "progressToken" && s.pending.expects(tokenKey(value)) {
				s.opts.Progress(json.RawMessage(value), json.RawMessage(e.params))
			}
		})
	}
	return true
}

// tooLong sees to a message that was too long to read: id is nil when it carried none.
func (s *Session) tooLong(id []byte) {
	if n, ok := number(id); ok && s.pending.settle(n, sizeReply(s.server.MaxMessage)) {
		return
	}
	s.junk.skip(fmt.Sprintf("longer than %d bytes (max_message)", s.server.MaxMessage), id)
}

func (s *Session) warn(text string) { s.opts.Warn(cut(printable(s.opts.Mask(text)), 1<<10)) }

// oneLine replaces line ends in JSON, which stand only between its tokens, so that it fits a line.
func oneLine(raw []byte) []byte {
	if bytes.IndexByte(raw, '\n') < 0 && bytes.IndexByte(raw, '\r') < 0 {
		return raw
	}
	return []byte(strings.NewReplacer("\n", " ", "\r", " ").Replace(string(raw)))
}
