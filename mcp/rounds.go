package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/mcp-supervisor/supervisor/mcp/spec"
)

// maxRounds ends a call whose server never has enough: it may ask for input that often.
const maxRounds = 10

// rounds is one call in the stateless protocol, where a server that needs something from the client answers with what
// it needs, and the client calls again with it. For its caller that is one call.
type rounds struct {
	s      *Session
	req    spec.CallRequest
	params []byte // of the first round
	done   func(spec.Reply)

	mu        sync.Mutex
	count     int
	cancelled bool
	cancelOne func(reason string) // of the round that is going on
}

func (r *rounds) start() (cancel func(reason string)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.next(r.params)
	return r.cancel
}

// next begins a round; mu is held.
func (r *rounds) next(params []byte) {
	r.count++
	r.cancelOne = r.s.start("tools/call", params, callToken(r.req.Meta), r.replied)
}

func (r *rounds) cancel(reason string) {
	r.mu.Lock()
	r.cancelled = true
	cancel := r.cancelOne
	r.mu.Unlock()
	cancel(reason)
}

// replied ends a round: with the call, or with the next one.
func (r *rounds) replied(reply spec.Reply) {
	asked, ok := readNeeds(reply.Result)
	if !ok {
		r.done(reply)
		return
	}
	answers, refused := r.s.fulfil(asked)
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.cancelled:
		reply = spec.Reply{Err: ErrCancelled, Written: true}
	case refused != "":
		reply.Result = toolError("the tool asks its client for " + refused + ", which is not offered here")
	case r.count == maxRounds:
		reply.Result = toolError(fmt.Sprintf("the tool asked its client for input %d times", maxRounds))
	default:
		r.next(withInput(r.params, answers, asked.state))
		return
	}
	r.done(reply)
}

// needs is what an input_required result asks for.
type needs struct {
	requests []need
	state    []byte // to be given back as it is; nil when there is none
}

type need struct {
	key    []byte // with its quotes
	method string
}

// readNeeds reads a result; ok is false when it is any other one.
func readNeeds(result []byte) (n needs, ok bool) {
	if !bytes.Contains(result, []byte(`"input_required"`)) {
		return n, false
	}
	valid := members(result, func(key, value []byte) {
		switch string(key) {
		case "resultType":
			ok = text(value) == "input_required"
		case "requestState":
			n.state = value
		case "inputRequests":
			members(value, func(key, value []byte) {
				n.requests = append(n.requests, need{key: quoted(key), method: methodOf(value)})
			})
		}
	})
	return n, ok && valid
}

func methodOf(request []byte) (method string) {
	members(request, func(key, value []byte) {
		if string(key) == "method" {
			method = text(value)
		}
	})
	return method
}

// fulfil answers what can be answered: the roots, and no to a question for the user. refused names what cannot.
func (s *Session) fulfil(n needs) (answers []byte, refused string) {
	answers = []byte{'{'}
	for i, request := range n.requests {
		if i > 0 {
			answers = append(answers, ',')
		}
		answers = append(append(answers, request.key...), ':')
		switch request.method {
		case "roots/list":
			list, _ := json.Marshal(roots(s.opts.Roots)) // strings always marshal
			answers = append(append(append(answers, `{"roots":`...), list...), '}')
		case "elicitation/create":
			answers = append(answers, `{"action":"decline"}`...)
		default:
			return nil, request.method
		}
	}
	return append(answers, '}'), ""
}

// withInput adds answers to the params of a call.
func withInput(params, answers, state []byte) []byte {
	b := append(bytes.Clone(params[:len(params)-1]), `,"inputResponses":`...)
	b = append(b, oneLine(answers)...)
	if state != nil {
		b = append(append(b, `,"requestState":`...), oneLine(state)...)
	}
	return append(b, '}')
}

// toolError makes a tools/call result that says why there is none.
func toolError(text string) json.RawMessage {
	b := appendString([]byte(`{"content":[{"type":"text","text":`), text)
	return append(b, `}],"isError":true}`...)
}
