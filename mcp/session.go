package mcp

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"github.com/mcp-supervisor/supervisor/mcp/spec"
)

// Session is one incarnation of one server: a process group, or a connection to a remote server, that was initialized
// and has listed its tools. It is the ungated door: what it is asked to send is sent, without a gate and without an
// audit record.
type Session struct {
	server spec.Server
	opts   Options
	link   link
	conn   *conn

	nextID   atomic.Int64
	pending  pending
	late     atomic.Int64
	junk     junk
	changed  debounce
	slow     atomic.Pointer[slowness]    // nil but in chaos runs
	protocol atomic.Pointer[string]      // as negotiated; nil before
	stuck    atomic.Pointer[atomic.Bool] // tells whether the reader is inside of a message that is too long; nil without one

	about      spec.Catalogue // what initialize said; no tools
	refreshing chan struct{}  // holds a token while tools are listed
	catalogue  atomic.Pointer[spec.Catalogue]

	closing atomic.Bool
	stop    sync.Once
	mu      sync.Mutex
	reason  string // why we ended it; the first one stays
	exit    spec.Exit
	dead    chan struct{}
	done    chan struct{}
}

// link carries messages to one server. What comes back it gives to Session.receive. Its own end it gives to Session.die
// when nothing more will come back, and to Session.end, once, when all it started is gone. None of its methods but close
// blocks.
type link interface {
	// open starts to receive.
	open()
	// ready says that the handshake is over.
	ready()
	// send sends a request of ours. If it cannot, it fails the call.
	send(c *call, frame []byte)
	// cancel tells the server that a call was given up.
	cancel(c *call, frame []byte)
	// write sends a message of the SDK's.
	write(ctx context.Context, frame []byte, kind frameKind) error
	pid() int
	// breakOff breaks what carries the messages; what follows is the link's to find out.
	breakOff(f Fault)
	// close ends the session in good order and blocks until Session.end was called.
	close()
	// kill ends the session by force.
	kill()
}

func newSession(server spec.Server, o Options) *Session {
	s := &Session{server: server, opts: o, refreshing: make(chan struct{}, 1)}
	s.dead, s.done = make(chan struct{}), make(chan struct{})
	s.nextID.Store(firstID - 1)
	s.junk.warn = s.warn
	s.changed.do = o.ToolsChanged
	s.conn = newConn(func(ctx context.Context, frame []byte, kind frameKind) error {
		return s.link.write(ctx, frame, kind)
	})
	return s
}

// Catalogue returns what the server offers, as last listed. It is a snapshot and immutable.
func (s *Session) Catalogue() *spec.Catalogue { return s.catalogue.Load() }

// PID returns the process id of a stdio server, which is also the id of its process group and session; 0 for others.
func (s *Session) PID() int { return s.link.pid() }

// Counts are what a session met and got over.
type Counts struct {
	// Junk counts lines and events that were no message and were skipped.
	Junk int64
	// Late counts answers to calls that had ended already, and second answers.
	Late int64
	// InFlight counts calls that wait for their answer.
	InFlight int
}

// Counts returns the numbers so far.
func (s *Session) Counts() Counts {
	return Counts{Junk: s.junk.count.Load(), Late: s.late.Load(), InFlight: s.pending.len()}
}

// Ping asks whether the server is alive. Any JSON-RPC answer says so, also that it knows no ping (-32601). It returns
// nil, ctx's error, or why there is no session any more.
func (s *Session) Ping(ctx context.Context) error {
	return s.request(ctx, "ping", nil).Err
}

// masked hides secrets in an error's text.
func (s *Session) masked(err error) error {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return maskedError{text: printable(s.opts.Mask(err.Error())), cause: err}
}
