package mcp

import (
	"sync"
	"sync/atomic"

	"github.com/mcp-supervisor/supervisor/internal/safe"
	"github.com/mcp-supervisor/supervisor/mcp/spec"
)

// firstID is the first id of our own requests. The SDK counts from 1 on the same connection and makes a handful.
const firstID = 1_000_000

// call is one request of ours that waits for its answer.
type call struct {
	id     int64
	method string
	token  string // of its progress; empty when nobody asked for any
	done   func(spec.Reply)
	// state moves once from waiting to sending or to dropped; see claim and drop.
	state atomic.Int32
	// abort stops the HTTP request that carries the call; nil on other transports.
	abort func()
	// held is true when the answer is there and only kept back; see Session.Slow. The table's lock guards it.
	held bool
}

const (
	waiting int32 = iota // not a byte was sent
	sending              // some of it may have reached the server
	dropped              // it must not be sent any more
)

// claim asks to send the call: false means that it was dropped.
func (c *call) claim() bool {
	return c.state.CompareAndSwap(waiting, sending) || c.state.Load() == sending
}

// unclaim says that, after all, not a byte was sent.
func (c *call) unclaim() { c.state.CompareAndSwap(sending, waiting) }

// drop makes sure that the call is not sent if it was not yet, and reports whether it may have been.
func (c *call) drop() (written bool) {
	return !c.state.CompareAndSwap(waiting, dropped) && c.state.Load() == sending
}

// pending is the table of calls without an answer. Whoever takes a call out of it, and nobody else, ends the call.
type pending struct {
	mu     sync.Mutex
	calls  map[int64]*call
	tokens map[string]int // calls by progress token
	closed error          // why no call is taken any more; nil while they are
}

// add puts a call in, or says why not.
func (p *pending) add(c *call) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed != nil {
		return p.closed
	}
	if p.calls == nil {
		p.calls = make(map[int64]*call)
	}
	p.calls[c.id] = c
	if c.token != "" {
		if p.tokens == nil {
			p.tokens = make(map[string]int)
		}
		p.tokens[c.token]++
	}
	return nil
}

// take takes a call out; nil when it is not there.
func (p *pending) take(id int64) *call {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.remove(id)
}

// remove is take with p.mu held.
func (p *pending) remove(id int64) *call {
	c := p.calls[id]
	delete(p.calls, id)
	if c != nil && c.token != "" {
		if p.tokens[c.token]--; p.tokens[c.token] == 0 {
			delete(p.tokens, c.token)
		}
	}
	return c
}

// expects reports whether a call waits for progress under token.
func (p *pending) expects(token string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.tokens[token] > 0
}

// has reports whether a call waits for its answer.
func (p *pending) has(id int64) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	c := p.calls[id]
	return c != nil && !c.held
}

// hold notes that a call's answer is there and will be delivered later, and reports whether it waited for one. The call
// can still be cancelled, and ends with the session.
func (p *pending) hold(id int64) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	c := p.calls[id]
	if c == nil || c.held {
		return false
	}
	c.held = true
	return true
}

// settle ends a call with its answer and reports whether it still waited for one.
func (p *pending) settle(id int64, r spec.Reply) bool {
	c := p.take(id)
	if c == nil {
		return false
	}
	c.done(r)
	return true
}

// fail ends a call that has no answer. Written is as it was.
func (p *pending) fail(c *call, err error) {
	if p.takeUnanswered(c.id) {
		c.done(spec.Reply{Err: err, Written: c.drop()})
	}
}

// takeUnanswered takes a call out, if it is there and no answer is held for it.
func (p *pending) takeUnanswered(id int64) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	c := p.calls[id]
	return c != nil && !c.held && p.remove(id) != nil
}

// refuse takes no more calls; those that wait go on waiting. The first reason stays.
func (p *pending) refuse(why error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed == nil {
		p.closed = why
	}
}

// failAll takes no more calls and ends all that wait.
func (p *pending) failAll(err error) {
	p.refuse(err)
	p.mu.Lock()
	calls := p.calls
	p.calls, p.tokens = nil, nil
	p.mu.Unlock()
	for _, c := range calls { // one bad callback must not cost the others their end
		_ = safe.Do("mcp done", func() error { c.done(spec.Reply{Err: err, Written: c.drop()}); return nil })
	}
}

func (p *pending) len() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.calls)
}

func sizeReply(max int) spec.Reply {
	return spec.Reply{Err: &SizeError{Max: max}, Written: true}
}
