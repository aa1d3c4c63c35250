package actors

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/mcp-supervisor/supervisor/config"
	"github.com/mcp-supervisor/supervisor/governance/audit"
	"github.com/mcp-supervisor/supervisor/messages"
	"github.com/mcp-supervisor/supervisor/supervision"
)

// Warm starts all servers with `start: eager` and waits for none. Those that a later reload adds are started too.
func (s *Supervisor) Warm() { s.env.send(s.env.servers, startEager{}) }

// StartServer implements [API].
func (s *Supervisor) StartServer(ctx context.Context, id string) (messages.ServerStatus, error) {
	return s.byHand(ctx, id, supervision.StartAsked)
}

// StopServer implements [API].
func (s *Supervisor) StopServer(ctx context.Context, id string) (messages.ServerStatus, error) {
	return s.byHand(ctx, id, supervision.StopAsked)
}

// RestartServer implements [API].
func (s *Supervisor) RestartServer(ctx context.Context, id string) (messages.ServerStatus, error) {
	return s.byHand(ctx, id, supervision.RestartAsked)
}

// byHand has something done with a server and waits until it is done, or cannot be for now.
func (s *Supervisor) byHand(ctx context.Context, id string, kind supervision.Kind) (messages.ServerStatus, error) {
	if err := s.checkServer(id); err != nil {
		return messages.ServerStatus{}, err
	}
	s.env.record(handRecord(id, kind))
	if _, err := s.env.askSurely(ctx, s.env.servers, byHand{Server: id, Kind: kind}); err != nil {
		return messages.ServerStatus{}, interruptedBy(ctx, err)
	}
	status, err := s.status(ctx, id)
	switch {
	case err != nil:
		return status, interruptedBy(ctx, err)
	case s.env.closing.Load():
		return status, &RunError{Outcome: messages.Stopped, Message: shuttingDown}
	case kind == supervision.StopAsked || status.State == messages.StateUp:
		return status, nil
	}
	return status, &RunError{Outcome: messages.Unavailable, Message: fmt.Sprintf("server `%s` did not come up: %s", id, whyDown(status)), Exit: status.Exit}
}

func whyDown(s messages.ServerStatus) string {
	switch {
	case s.LastExit != "" && s.Detail != "":
		return s.LastExit + "; " + s.Detail
	case s.LastExit != "":
		return s.LastExit
	case s.Detail != "":
		return s.Detail
	}
	return "it is " + string(s.State)
}

// interruptedBy is why a question to our own actors got no answer.
func interruptedBy(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return &RunError{Outcome: messages.Cancelled, Message: "given up before it was done; it goes on"}
	}
	if errors.Is(err, errGone) {
		return &RunError{Outcome: messages.Stopped, Message: err.Error()}
	}
	return err
}

// handRecord is the audit's record of what a person asked of a server.
func handRecord(id string, kind supervision.Kind) audit.Record {
	r := audit.Fact(audit.ServerAsked, map[string]string{"asked": strings.TrimSuffix(string(kind), " asked")})
	r.Server = id
	return r
}

// Reload implements [API].
func (s *Supervisor) Reload(ctx context.Context) (ReloadResult, error) { return s.reread(ctx, false) }

// ReloadServers is Reload for files that change without a person asking for it (--watch): it applies changes of servers,
// and holds back everything that could widen the gate, since an agent with write access to the workspace could have
// made the change. What waits is in ReloadResult.Waiting.
func (s *Supervisor) ReloadServers(ctx context.Context) (ReloadResult, error) {
	return s.reread(ctx, true)
}

func (s *Supervisor) reread(ctx context.Context, serversOnly bool) (ReloadResult, error) {
	next, err := s.env.ws().Reload()
	if err != nil {
		s.env.record(loadFailed(err))
		return ReloadResult{}, err
	}
	if serversOnly {
		return s.apply(ctx, next, true)
	}
	lock, err := readLock(s.env.lockFile)
	if err != nil {
		s.env.record(loadFailed(err))
		return ReloadResult{}, err
	}
	r, err := s.apply(ctx, next, false)
	if err == nil {
		s.env.send(s.env.pins, lockRead{Lock: lock})
	}
	return r, err
}

// Apply puts a workspace of the caller's making in force, as Reload does with the files: for programs that embed the
// supervisor. ws must not be changed afterwards. Errors: a [RunError] when the supervisor is shutting down.
func (s *Supervisor) Apply(ctx context.Context, ws *config.Workspace) (ReloadResult, error) {
	return s.apply(ctx, ws, false)
}

func (s *Supervisor) apply(ctx context.Context, ws *config.Workspace, serversOnly bool) (ReloadResult, error) {
	rules, err := policiesOf(ws)
	if err != nil {
		s.env.record(loadFailed(err))
		return ReloadResult{}, err
	}
	request := reload{Workspace: s.adjust(ws), Rules: rules, ServersOnly: serversOnly}
	if !serversOnly {
		s.env.keeper.Declare(references(ws)) // for the provider's own secrets; the reload declares them anew
		if request.Outside, err = s.env.outsideProvider(ctx, ws); err != nil {
			s.env.keeper.Declare(references(s.env.ws()))
			s.env.record(loadFailed(err))
			return ReloadResult{}, err
		}
	}
	reply, err := s.env.askSurely(ctx, s.env.servers, request)
	if err != nil {
		return ReloadResult{}, interruptedBy(ctx, err)
	}
	m, _ := reply.(reloaded)
	if m.Error != "" {
		return ReloadResult{}, &RunError{Outcome: messages.Stopped, Message: m.Error}
	}
	s.env.record(loaded(m.Result))
	return m.Result, nil
}

func loaded(r ReloadResult) audit.Record { return audit.Fact(audit.ConfigLoaded, r) }

func loadFailed(err error) audit.Record {
	return audit.Fact(audit.ConfigRefused, map[string]string{"error": cut(err.Error(), maxMessage)})
}
