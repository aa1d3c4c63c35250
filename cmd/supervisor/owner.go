package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/mcp-supervisor/supervisor/actors"
	"github.com/mcp-supervisor/supervisor/config"
	"github.com/mcp-supervisor/supervisor/control"
	"github.com/mcp-supervisor/supervisor/internal/owner"
	"github.com/mcp-supervisor/supervisor/mcp"
	"github.com/mcp-supervisor/supervisor/messages"
)

const (
	// findOwner is how long a command looks for an owner that takes its request: one that is starting or stopping
	// needs a moment to publish its socket or to give the lock back.
	findOwner = 10 * time.Second
	// drainCalls is how long calls of others may go on after an interrupt. It is one stop_grace (OTP's 5 s).
	drainCalls = 5 * time.Second
	// lastWords is how long the other commands may take to read their results before the socket closes.
	lastWords = time.Second
)

// errUnreachable: the workspace has an owner, but it cannot be asked.
var errUnreachable = errors.New("the workspace's owner cannot be asked")

// api is what a command asks of the workspace's owner, which is this process or another one.
type api interface {
	control.Backend
	// Call is CallTool, except that a request which the owner did not take is the error control.ErrNotSent.
	Call(ctx context.Context, r actors.CallRequest) (messages.CallResult, error)
}

// local is this process as the owner.
type local struct{ *actors.Supervisor }

func (l local) Call(ctx context.Context, r actors.CallRequest) (messages.CallResult, error) {
	return l.CallTool(ctx, r), nil
}

// withAPI runs fn with the workspace's owner: the one there is, or this process, which becomes it for as long as fn
// runs. fn is run again when it returns control.ErrNotSent, which says that nothing was done.
//
// fn's context ends at the first signal.
func (a *app) withAPI(ctx context.Context, ws *config.Workspace, fn func(context.Context, api) error) error {
	log, err := a.logger()
	if err != nil {
		return err
	}
	in := a.catch(ctx, endings())
	defer in.release()
	defer mcp.AdoptOrphans()() // this program starts no process but through package mcp
	err = search(in.soft, func() (*owner.HeldError, error) {
		sup, err := actors.Start(in.hard, ws, actors.WithLogger(log)) // its end skips the drain
		if err == nil {
			return nil, a.own(in, sup, a.offer(sup), fn)
		}
		return asking(in.soft, readOnly(ws.Root, err), func(ctx context.Context, c *control.Client) error { return fn(ctx, c) })
	})
	if err != nil && interrupted(in.soft) {
		return interruptedExit(err)
	}
	return err
}

// withFiles is withAPI for a command that asks nothing of the files itself. Whoever runs the workspace works by the files
// it loaded, so that faults in them now keep nobody from asking; fn's workspace is nil then. Only who has to become the
// owner needs files without faults.
func (a *app) withFiles(ctx context.Context, workspace string, fn func(context.Context, api, *config.Workspace) error) error {
	ws, faulty := a.load(workspace)
	if faulty == nil {
		return a.withAPI(ctx, ws, func(ctx context.Context, api api) error { return fn(ctx, api, ws) })
	}
	root, err := a.folder(workspace)
	if err != nil {
		return faulty
	}
	warned := false
	err = a.askOwner(ctx, root, func(ctx context.Context, owner *control.Client) error {
		if !warned {
			a.say("warning: the files have faults now (%s); process %d runs the workspace as it loaded it", faultCount(faulty), owner.PID())
			warned = true
		}
		return fn(ctx, owner, nil)
	})
	if errors.Is(err, errNobody) {
		return faulty
	}
	return err
}

// faultCount says how many faults there are, and who lists them.
func faultCount(err error) string {
	var faults config.Faults
	errors.As(err, &faults)
	return fmt.Sprintf("%d; `supervisor validate` lists them", len(faults))
}

// asking asks the owner that a failed start found. The HeldError it returns means: look again.
func asking(ctx context.Context, err error, fn func(context.Context, *control.Client) error) (*owner.HeldError, error) {
	var held *owner.HeldError
	if !errors.As(err, &held) {
		return nil, err
	}
	if held.Socket == "" {
		return held, err
	}
	client, err := control.Dial(held.Socket)
	if err == nil {
		err = fn(ctx, client)
	}
	if errors.Is(err, control.ErrNotSent) {
		return held, err
	}
	return nil, err
}

// search repeats try while it returns an owner that could not be asked, with growing pauses, up to findOwner.
func search(ctx context.Context, try func() (*owner.HeldError, error)) error {
	began, pause := time.Now(), 20*time.Millisecond
	for {
		held, err := try()
		if held == nil {
			return err
		}
		if time.Since(began)+pause > findOwner {
			return unreachable(held, err, time.Since(began))
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		pause = min(2*pause, 500*time.Millisecond)
	}
}

func unreachable(held *owner.HeldError, err error, waited time.Duration) error {
	who := "another process"
	if held.PID != 0 {
		who = fmt.Sprintf("process %d", held.PID)
	}
	if held.Socket == "" {
		return fmt.Errorf("%w: %s owns it and serves no control socket (a program that embeds the supervisor, or one that hangs while it starts or stops); end it, or work in a copy of the workspace",
			errUnreachable, who)
	}
	return fmt.Errorf("%w: %s owns it and did not answer on %s for %s, the last time because: %w; if it hangs, end it",
		errUnreachable, who, held.Socket, waited.Round(time.Second), err)
}

// offer opens the control socket for other commands. Without one this command does its own job all the same.
func (a *app) offer(sup *actors.Supervisor) *control.Server {
	server, err := serveControl(sup, sup)
	if err != nil {
		a.say("supervisor: other commands cannot use this workspace meanwhile: %v", err)
	}
	return server
}

// own runs fn as the workspace's owner and stops everything after. server is nil when there is no control socket.
func (a *app) own(in interrupts, sup *actors.Supervisor, server *control.Server, fn func(context.Context, api) error) error {
	failed := fn(in.soft, local{sup})
	a.yield(in, server)
	a.sayRunning(in, sup)
	if err := a.stop(in, sup); err != nil {
		failed = errors.Join(failed, fmt.Errorf("stop: %w", err))
	}
	closeControl(server)
	return failed
}

// serveControl publishes the control socket of sup, where answers answers.
func serveControl(sup *actors.Supervisor, answers control.Backend) (*control.Server, error) {
	socket, err := owner.SocketPath(sup.StateDir())
	if err != nil {
		return nil, err
	}
	l, err := control.Listen(socket)
	if err != nil {
		return nil, err
	}
	server := control.Serve(l, answers)
	if err := sup.Publish(socket); err != nil {
		return nil, errors.Join(err, server.Close())
	}
	return server, nil
}

// yield waits until the other commands have got their answers, or until the first signal.
func (a *app) yield(in interrupts, server *control.Server) {
	if server == nil {
		return
	}
	if n := server.Active(); n > 0 && !interrupted(in.soft) {
		a.say("waiting for %d other command(s) on this workspace; Ctrl-C ends them", n)
	}
	_ = server.Drain(in.soft) // an error only says that it was interrupted
}

// sayRunning tells the person who interrupted us why that takes a while.
func (a *app) sayRunning(in interrupts, sup *actors.Supervisor) {
	if !interrupted(in.soft) || interrupted(in.hard) {
		return
	}
	running := 0
	servers, _ := sup.Servers(in.hard) // an error: it is stopping by itself
	for _, s := range servers {
		running += s.InFlight
	}
	if running > 0 {
		a.say("waiting for %s, %s at most; Ctrl-C again stops now", count(running, "call"), drainCalls)
	}
}

// stop ends the supervisor. Calls that are still running may go on for drainCalls, or until the second signal.
func (a *app) stop(in interrupts, sup *actors.Supervisor) error {
	ctx, cancel := context.WithTimeout(in.hard, drainCalls)
	defer cancel()
	return sup.Stop(ctx)
}

func closeControl(server *control.Server) {
	if server == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), lastWords)
	defer cancel()
	_ = server.Drain(ctx) // who has not read its answer by now is cut off
	_ = server.Close()
}
