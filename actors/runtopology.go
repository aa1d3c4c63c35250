package actors

import (
	"context"
	"errors"
	"fmt"

	"github.com/mcp-supervisor/supervisor/config"
	"github.com/mcp-supervisor/supervisor/internal/safe"
	"github.com/mcp-supervisor/supervisor/messages"
	"github.com/mcp-supervisor/supervisor/models"
	"github.com/mcp-supervisor/supervisor/models/open"
)

// Run implements [API].
func (s *Supervisor) Run(ctx context.Context, r RunRequest, progress func(messages.Event)) (RunResult, error) {
	start, err := s.prepare(r)
	if err != nil {
		return RunResult{Topology: r.Topology, Outcome: messages.Invalid}, &RunError{Outcome: messages.Invalid, Message: err.Error()}
	}
	finish := s.report(ctx, start.ID, progress)
	defer finish()
	s.env.warm(s.env.ws().Needs(start.Topology))
	return s.run(ctx, start)
}

// prepare checks all that can be checked before a process starts.
func (s *Supervisor) prepare(r RunRequest) (startRun, error) {
	topology, err := s.env.ws().Topology(r.Topology)
	if err != nil {
		return startRun{}, err
	}
	if err := s.env.ws().CheckRun(topology); err != nil {
		return startRun{}, err
	}
	opened, err := openModels(topology)
	return startRun{ID: newID(), Topology: topology, Input: r.Input, Models: opened}, err
}

// openModels opens the model of every agent, and tells all faults at once.
func openModels(t config.Topology) (map[string]models.Model, error) {
	opened := map[string]models.Model{}
	var faults []error
	t.Root.Walk(func(a config.Agent) {
		model, err := open.Open(a.Model)
		if err != nil {
			faults = append(faults, fmt.Errorf("%s: agent `%s`: %w", t.File, a.ID, err))
		}
		opened[a.ID] = model
	})
	return opened, errors.Join(faults...)
}

func (s *Supervisor) run(ctx context.Context, start startRun) (RunResult, error) {
	box, self := s.env.openBox()
	defer s.env.closeBox(self)
	s.env.root.RequestWithCustomSender(s.env.agents, start, self)
	reply, err := s.env.await(ctx, box)
	if err != nil && ctx.Err() != nil {
		s.env.send(s.env.agents, cancelRun{ID: start.ID, Reason: "the run was interrupted"})
		reply, err = s.env.await(context.WithoutCancel(ctx), box)
	}
	ended, ok := reply.(runEnded)
	switch {
	case !ok && errors.Is(err, errGone):
		ended.Error = &RunError{Outcome: messages.Stopped, Message: errGone.Error()}
	case !ok:
		ended.Error = &RunError{Outcome: messages.Internal, Message: fmt.Sprintf("internal error: the run got no result: %v", err)}
	}
	if ended.Error != nil {
		ended.Result.Outcome = ended.Error.Outcome
		return ended.Result, ended.Error
	}
	return ended.Result, nil
}

// report calls progress with the events of one run, and of the servers, until the returned function is called.
func (s *Supervisor) report(ctx context.Context, run string, progress func(messages.Event)) (finish func()) {
	if progress == nil {
		return func() {}
	}
	events := s.env.hub.subscribe(4096, func(e messages.Event) bool { return e.Run == run || e.Run == "" && e.CallID == "" })
	over := make(chan struct{})
	safe.Go("progress", func(c *safe.Crash) { s.env.crashed(c); close(over) }, func() {
		for e := range events.C {
			progress(e)
		}
		close(over)
	})
	return func() {
		_, _ = s.env.askSurely(context.WithoutCancel(ctx), s.env.journal, barrier{}) // the last calls' events are out then
		events.Close()
		<-over
	}
}
