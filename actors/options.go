package actors

import (
	"context"
	"log/slog"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/mcp-supervisor/supervisor/governance"
	"github.com/mcp-supervisor/supervisor/governance/approval"
	"github.com/mcp-supervisor/supervisor/governance/secrets"
)

// Option changes how [Start] builds a supervisor.
type Option func(*options)

type options struct {
	system   *actor.ActorSystem
	log      *slog.Logger
	provider governance.Provider
	secrets  secrets.Provider
	dial     Dialer
	approver Approver
	wrapDial func(Dialer) Dialer
	stateDir string
	budget   int
	within   time.Duration
	wrap     func(behaviour) behaviour

	unguarded bool
}

// WithSystem runs the supervisor's actors on the caller's own actor system, beside whatever else lives there. The
// system is not shut down by Stop.
func WithSystem(system *actor.ActorSystem) Option { return func(o *options) { o.system = system } }

// WithLogger sends the supervisor's log to a logger. Without it nothing is logged; see also Subscribe.
func WithLogger(log *slog.Logger) Option { return func(o *options) { o.log = log } }

// WithProvider lets the caller's own governance provider decide instead of the built-in one. It may block: it is asked
// in a goroutine of its own, one at a time per agent, and an error, panic or time-out of it is a no.
func WithProvider(p governance.Provider) Option { return func(o *options) { o.provider = p } }

// WithSecrets resolves the workspace's credentials with the caller's own provider.
func WithSecrets(p secrets.Provider) Option { return func(o *options) { o.secrets = p } }

// WithDialer opens sessions with the caller's own dialer instead of real processes and connections. There is no guardian
// then: a dialer that starts processes has its own.
func WithDialer(d Dialer) Option { return func(o *options) { o.dial = d } }

// WrapDialer puts the caller's own dialer around the one that Start would use, to see each session as it is opened, or to
// change how it is. The guardian stays.
func WrapDialer(wrap func(Dialer) Dialer) Option { return func(o *options) { o.wrapDial = wrap } }

// WithoutGuardian does without the small shell process that outlives this program and ends its servers when it is killed
// with SIGKILL; see mcp.Guardian. Without a guardian no leftovers of dead supervisors are looked for either.
func WithoutGuardian() Option { return func(o *options) { o.unguarded = true } }

// Approver is asked about calls that need a person's yes. It may block until ctx ends, which is when the question's time
// is over; it answers with a verdict and a comment for the audit, or with no verdict to leave the answer to others.
// It is called in a goroutine of its own for each question.
type Approver func(ctx context.Context, p approval.Pending) (v approval.Verdict, comment string)

// WithApprover asks the host program about calls that need an approval, beside whoever answers through
// [Supervisor.Answer]. The first answer counts.
func WithApprover(a Approver) Option { return func(o *options) { o.approver = a } }

// WithStateDir keeps the lock and the audit log in dir instead of the workspace's .supervisor folder. Each supervisor
// needs a folder of its own.
func WithStateDir(dir string) Option { return func(o *options) { o.stateDir = dir } }

// WithRestartBudget replaces every server's max_restarts and within, for chaos runs that kill servers on purpose.
func WithRestartBudget(restarts int, within time.Duration) Option {
	return func(o *options) { o.budget, o.within = restarts, within }
}
