package chaos

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/mcp-supervisor/supervisor/actors"
	"github.com/mcp-supervisor/supervisor/config"
	"github.com/mcp-supervisor/supervisor/internal/safe"
	"github.com/mcp-supervisor/supervisor/messages"
)

const (
	// backBy is how long struck servers may take to be back, and calls to be answered, after the last strike.
	backBy = 30 * time.Second
	// drain is how long Stop lets calls go on; there are none any more.
	drain = 5 * time.Second
	// restarted is how often each server is restarted before the load, to know its cold start; warmUp bounds all of them.
	restarted = 2
	warmUp    = 30 * time.Second
)

// run is one run of Run.
type run struct {
	o        Options
	ws       *config.Workspace // the copy
	sup      *actors.Supervisor
	books    *books
	caller   *caller
	sessions *sessions
	events   *actors.Subscription
	watching chan struct{} // closed when the last event is seen
	injector *injector
	targets  []Target
	report   Report
}

// Run runs a copy of the workspace's servers under load, hurts them as the options say, stops everything, and reports. It
// takes a little longer than the duration: servers are started first, and have 30 s to be back in the end.
//
// When ctx ends everything is stopped at once, and the report is of what was seen; Options.Enough is the polite way.
//
// Errors: an [InputError] for options that cannot be used and for a tool that is not there; a workspace that cannot be
// started. A broken invariant is no error: see Report.Broken.
func Run(ctx context.Context, ws *config.Workspace, o Options) (_ *Report, err error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "supervisor-chaos-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	ledger := filepath.Join(dir, "ledger")
	before := usageNow()
	r, err := start(ctx, ws, o, dir, ledger)
	if err != nil {
		return nil, err
	}
	if err := r.prepare(ctx); err != nil {
		return nil, errors.Join(err, r.stop())
	}
	r.play(ctx)
	if err := r.stop(); err != nil {
		return nil, err
	}
	r.look(before)
	return &r.report, r.conclude(filepath.Join(dir, "state", "audit"), ledger)
}

func start(ctx context.Context, ws *config.Workspace, o Options, dir, ledger string) (*run, error) {
	copied, err := prepare(ws, o, ledger)
	if err != nil {
		return nil, err
	}
	r := &run{o: o, ws: copied, books: newBooks(), sessions: newSessions(), watching: make(chan struct{})}
	options := []actors.Option{actors.WithStateDir(filepath.Join(dir, "state")), actors.WrapDialer(r.sessions.wrap)}
	if o.Log != nil {
		options = append(options, actors.WithLogger(o.Log))
	}
	if r.sup, err = actors.Start(ctx, copied, options...); err != nil {
		return nil, err
	}
	r.caller = newCaller(r.sup, r.books)
	r.events = r.sup.Subscribe(1 << 16) // some seconds of the busiest load
	safe.Go("chaos events", nil, func() {
		defer close(r.watching)
		for e := range r.events.C {
			r.books.see(e)
		}
	})
	return r, nil
}

// prepare starts all servers, chooses the tools, and measures cold starts.
func (r *run) prepare(ctx context.Context) error {
	r.o.say("starting the servers")
	found, err := r.sup.Tools(ctx, actors.ToolsQuery{})
	if err != nil {
		return err
	}
	down := map[string]string{}
	for _, d := range found.Down {
		down[d.Server] = "it did not start: " + d.Error.Message
		_, _ = r.sup.StopServer(ctx, d.Server) // or it would be tried all the time; an error changes nothing
	}
	var up []string
	for _, s := range r.ws.Servers {
		if !s.Disabled && down[s.ID] == "" {
			up = append(up, s.ID)
		}
	}
	if err := checkNamed(r.o.Targets, up, found.Tools); err != nil {
		return err
	}
	chosen, why := choose(ctx, r.caller, up, found.Tools, r.o.Targets)
	for id, reason := range down {
		why[id] = reason
	}
	r.targets = chosen
	r.measureColdStarts(ctx, up)
	r.open(why)
	r.injector = newInjector(r.victims(up), r.sessions, r.books)
	return nil
}

// measureColdStarts restarts each server in peace. It is done one after the other, as far as there is time.
func (r *run) measureColdStarts(ctx context.Context, up []string) {
	r.o.say("measuring cold starts")
	limit, cancel := context.WithTimeout(ctx, warmUp)
	defer cancel()
	for _, id := range up {
		for range restarted {
			if _, err := r.sup.RestartServer(limit, id); err != nil {
				r.note("the cold start of %s is known from fewer starts: %v", id, err)
				break
			}
		}
	}
}

// open begins the report with what is known before the load.
func (r *run) open(why map[string]string) {
	cold := r.books.coldStarts()
	for _, s := range r.ws.Servers {
		if s.Disabled {
			continue
		}
		server := Server{ID: s.ID, Tools: ofServer(s.ID, r.targets), NotCalled: why[s.ID]}
		for _, took := range cold[s.ID] {
			server.ColdStarts = append(server.ColdStarts, messages.Millis(took))
		}
		server.ColdStart = messages.Millis(median(cold[s.ID]))
		r.report.Servers = append(r.report.Servers, server)
	}
}

func (r *run) victims(up []string) []victim {
	var victims []victim
	for _, id := range up {
		s, _ := r.ws.Server(id)
		victims = append(victims, victim{id: id, remote: remote(s.Transport)})
	}
	return victims
}

// play is the load and the strikes. The load outlasts the strikes, until it has seen every struck server answer again.
func (r *run) play(ctx context.Context) {
	loaded, rest := context.WithCancel(ctx)
	defer rest()
	strikes, enough := context.WithTimeout(ctx, r.o.Duration)
	defer enough()
	r.endEarly(strikes, enough)
	r.report.Left.LoadedRSS[0] = keptRSS()
	l := &load{caller: r.caller, targets: r.targets}
	l.start(loaded, r.o.Agents, r.o.Seed)
	began := time.Now()
	r.o.say("striking for %s", r.o.Duration)
	r.injector.run(strikes, newDice(r.o.Seed, r.o.Kinds, r.o.KillEvery))
	r.report.Duration = messages.Millis(time.Since(began))
	r.report.Early = errors.Is(strikes.Err(), context.Canceled)
	r.o.say("waiting until all is well again")
	r.injector.thawing.Wait()
	r.awaitBack(ctx)
	rest()
	l.wait(r.longestCall() + backBy)
	r.report.Left.LoadedRSS[1] = keptRSS()
	l.mu.Lock()
	defer l.mu.Unlock()
	r.report.Calls.Hinted, r.report.Calls.HintedOK = l.hinted, l.hintedOK
}

// endEarly ends the strikes when the caller has enough.
func (r *run) endEarly(strikes context.Context, enough context.CancelFunc) {
	if r.o.Enough == nil {
		return
	}
	safe.Go("chaos enough", nil, func() {
		select {
		case <-r.o.Enough:
			enough()
		case <-strikes.Done():
		}
	})
}

// longestCall is how long the slowest call may take by its server's own settings.
func (r *run) longestCall() time.Duration {
	var longest time.Duration
	for _, s := range r.ws.Servers {
		longest = max(longest, s.Timeout+s.Queue.Wait)
	}
	return longest
}

func (r *run) stop() error {
	ctx, cancel := context.WithTimeout(context.Background(), drain)
	defer cancel()
	err := r.sup.Stop(ctx)
	r.events.Close()
	<-r.watching
	return err
}

func (r *run) look(before Usage) {
	left := &r.report.Left
	var err error
	left.Before = before
	if left.After, left.Processes, err = leftBy(before, goneBy); err != nil {
		left.Unknown = err.Error()
	}
	left.Processes = append([]int{}, left.Processes...) // an empty list in JSON, and not null
}

// conclude fills the report from the books, the ledger and the audit log, and judges.
func (r *run) conclude(trail, ledger string) error {
	rep, t := &r.report, r.caller.tally()
	rep.Seed, rep.Agents, rep.KillEvery, rep.Kinds = r.o.Seed, r.o.Agents, messages.Millis(r.o.KillEvery), r.o.Kinds
	rep.Budget = budgetRaised
	if r.o.AsConfigured {
		rep.Budget = budgetAsConfigured
	}
	missed, notNoticed := r.injector.counts()
	for i := range rep.Servers {
		s := &rep.Servers[i]
		s.Calls, s.Strikes, s.Restarts, s.NotNoticed = t.results[s.ID], r.books.hits[s.ID], r.books.again[s.ID], notNoticed[s.ID]
	}
	rep.Calls.Total, rep.Calls.Unanswered, rep.Calls.Swapped = t.begun, t.begun-t.ended, t.swapped
	rep.Strikes.Missed = missed
	rep.summarize(r.books.back, r.books.heard)
	if n := r.events.Dropped(); n > 0 {
		r.note("%d events were missed: restarts are not all counted", n)
	}
	lines, err := readLines(ledger)
	if err != nil {
		return fmt.Errorf("read the ledger: %w", err)
	}
	rep.Ledger = checkLedger(lines, t.entries)
	if rep.Audit, err = readTrail(trail); err != nil {
		return fmt.Errorf("read the audit log: %w", err)
	}
	rep.Checked = judge(*rep)
	rep.OK = len(rep.Broken()) == 0
	return nil
}

func (r *run) note(format string, args ...any) {
	r.report.Notes = append(r.report.Notes, fmt.Sprintf(format, args...))
}
