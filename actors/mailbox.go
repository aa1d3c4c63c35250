package actors

import (
	"sync"
	"sync/atomic"

	"github.com/asynkron/protoactor-go/actor"
)

// mailbox loses nothing at either end of its actor's life.
//
// It holds back what is sent before the actor is fully spawned: protoactor registers the name first and equips the
// mailbox later, so that a message sent by name in between (to an actor that is being replaced, say) is a data race at
// best and a nil dereference in the sender at worst. And it makes dead letters of what is still in it when the actor has
// stopped, which protoactor drops without a word; see undelivered.
type mailbox struct {
	actor.Mailbox
	system *actor.ActorSystem
	dead   atomic.Pointer[actor.PID] // the actor's address, once it has stopped
	open   atomic.Bool
	mu     sync.Mutex
	ready  bool     // the mailbox below is equipped; Started comes next
	early  []func() // posts held back, in order
}

var unbounded = actor.Unbounded()

func newMailbox(system *actor.ActorSystem) *mailbox {
	return &mailbox{Mailbox: unbounded(), system: system}
}

// afterlife is what the mailbox hands messages to.
type afterlife struct {
	actor.MessageInvoker
	box *mailbox
}

func (a afterlife) InvokeUserMessage(message any) {
	if pid := a.box.dead.Load(); pid != nil {
		a.box.system.DeadLetter.SendUserMessage(pid, message)
		return
	}
	a.MessageInvoker.InvokeUserMessage(message)
}

func (m *mailbox) RegisterHandlers(invoker actor.MessageInvoker, dispatcher actor.Dispatcher) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.Mailbox.RegisterHandlers(afterlife{invoker, m}, dispatcher)
	m.ready = true
}

// Start is called once Started was posted. From here on nothing is held back.
func (m *mailbox) Start() {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, post := range m.early {
		post()
	}
	m.early = nil
	m.open.Store(true)
	m.Mailbox.Start()
}

func (m *mailbox) PostUserMessage(message any) {
	if m.open.Load() || !m.hold(false, func() { m.Mailbox.PostUserMessage(message) }) {
		m.Mailbox.PostUserMessage(message)
	}
}

func (m *mailbox) PostSystemMessage(message any) {
	if m.open.Load() || !m.hold(true, func() { m.Mailbox.PostSystemMessage(message) }) {
		m.Mailbox.PostSystemMessage(message)
	}
}

// hold keeps a post for later, if it is too early for it. The first system message of a mailbox that is ready is Started.
func (m *mailbox) hold(system bool, post func()) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.open.Load() || system && m.ready {
		return false
	}
	m.early = append(m.early, post)
	return true
}
