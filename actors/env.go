package actors

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/mcp-supervisor/supervisor/governance"
	"github.com/mcp-supervisor/supervisor/governance/secrets"
	"github.com/mcp-supervisor/supervisor/supervision"
)

// env is what all actors of one supervisor share. It is immutable; what it points to is safe for concurrent use.
type env struct {
	system *actor.ActorSystem
	root   *actor.RootContext // a copy of our own: the system's is mutable
	name   string             // of the root actor, unique on the system
	addresses
	*sites
	world    *atomic.Pointer[world]
	changing *sync.Mutex                          // of world
	past     *atomic.Pointer[supervision.History] // written by servers alone; for words and numbers
	custom   governance.Provider                  // the host program's; nil for the built-in one
	keeper   *secrets.Keeper
	dial     Dialer
	hub      *hub
	log      *slog.Logger
	done     chan struct{}   // closed when the root actor has stopped
	open     *sync.WaitGroup // sessions that are starting or live
	shelf    shelf
	lockFile string // of the approved tools; "" without a folder
	tally    *tally
	asked    asked
	approver Approver        // of the host program; nil for none
	life     context.Context // ends with the supervisor
	end      context.CancelFunc
	late     *late                     // what found no journal
	closing  *atomic.Bool              // a shut-down has begun
	wrap     func(behaviour) behaviour // nil but in tests, which make actors panic
}

// maxShards bounds the gate actors. More than a few add no throughput; several keep one agent's burst from delaying
// the others.
const maxShards = 8

func shardCount() int { return min(maxShards, max(2, runtime.GOMAXPROCS(0))) }

// crew is the budget for replacing our own actors after a panic. It is a bug's budget, not a server's.
var crew = supervision.Restart{Mode: supervision.Permanent, MaxRestarts: 10, Within: time.Minute, Backoff: supervision.Backoff{Factor: 1}}

// send sends a message; to nobody, it is dropped. A call may come without a sender.
func (e *env) send(to *actor.PID, message any) {
	if to != nil {
		e.root.Send(to, message)
	}
}

func (e *env) toGates(message any) {
	for _, gate := range e.gates {
		e.send(gate, message)
	}
}

// after sends a message to an actor once d has passed. The timer only sends: what it means is decided in Receive.
func (e *env) after(d time.Duration, to *actor.PID, message any) *time.Timer {
	return time.AfterFunc(max(d, 0), func() { e.send(to, message) })
}

// unexpected notes a message that an actor has no case for. Lifecycle messages, and the word that some message was a
// dead letter, are protoactor's.
func (e *env) unexpected(who string, message any) {
	switch message.(type) {
	case actor.AutoReceiveMessage, actor.SystemMessage, *actor.Terminated, *actor.DeadLetterResponse:
	default:
		e.log.Warn("unexpected message", slog.String("actor", who), slog.String("message", fmt.Sprintf("%T", message)))
	}
}

// respawn decides on replacing an actor of ours that crashed.
func respawn(r supervision.Record) (bool, supervision.Record) {
	verdict, next := crew.Next(r, supervision.Event{Kind: supervision.Ended, Abnormal: true}, time.Now(), 0)
	return verdict.Restarts(), next
}

// runs reports whether a server is declared and not disabled.
func (e *env) runs(server string) bool {
	s, ok := e.ws().Server(server)
	return ok && !s.Disabled
}

// number returns the next session number of a server.
func (e *env) number(server string) int { return int(e.all()[server].number.Add(1)) }

// birth returns the next number of an instance of a server.
func (e *env) birth(server string) int { return int(e.all()[server].births.Add(1)) }

// roots are the folders told to servers that ask for roots/list.
func (e *env) roots() []string {
	root := e.ws().Root
	if root == "" {
		return nil
	}
	return []string{filepath.Clean(root)}
}
