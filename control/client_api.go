package control

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/mcp-supervisor/supervisor/actors"
	"github.com/mcp-supervisor/supervisor/governance"
	"github.com/mcp-supervisor/supervisor/governance/audit"
	gov "github.com/mcp-supervisor/supervisor/governance/spec"
	"github.com/mcp-supervisor/supervisor/messages"
)

var _ Backend = (*Client)(nil)

// CallTool is Call, with ErrNotSent as an unavailable result.
func (c *Client) CallTool(ctx context.Context, r actors.CallRequest) messages.CallResult {
	result, err := c.Call(ctx, r)
	if err != nil {
		return ended(r, messages.Unavailable, messages.RanNo, err.Error())
	}
	return result
}

// Call makes one governed call through the owner. Its one error is [ErrNotSent]: the call does not exist anywhere then,
// and may be made again through the next owner. A connection that breaks later is a result: lost, and the tool may have
// run; its record is in the owner's audit log.
func (c *Client) Call(ctx context.Context, r actors.CallRequest) (messages.CallResult, error) {
	began := time.Now()
	var result messages.CallResult
	err := c.ask(ctx, http.MethodPost, pathCall, r, &result)
	switch {
	case err == nil:
		return result, nil
	case errors.Is(err, ErrNotSent):
		return messages.CallResult{}, err
	}
	result = failed(ctx, r, err)
	result.Duration = messages.Millis(time.Since(began))
	return result, nil
}

// failed says how a call ended that has no result of the owner.
func failed(ctx context.Context, r actors.CallRequest, err error) messages.CallResult {
	ran := messages.RanNo
	if errors.Is(err, ErrBroken) {
		ran = messages.RanMaybe
	}
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return ended(r, messages.Timeout, ran, "the deadline passed before the workspace's owner answered")
	case ctx.Err() != nil:
		return ended(r, messages.Cancelled, ran, "the caller gave up before the workspace's owner answered")
	case ran == messages.RanMaybe:
		return ended(r, messages.Lost, ran, err.Error()+" during the call; it may have taken effect; `supervisor audit verify` names it")
	}
	return ended(r, messages.Internal, ran, err.Error())
}

func ended(r actors.CallRequest, o messages.Outcome, ran messages.Ran, message string) messages.CallResult {
	_, agent := governance.ParseAgent(r.Agent)
	if agent == "" {
		agent = gov.Operator
	}
	return messages.CallResult{
		Agent: agent, Server: r.Server, Tool: r.Tool, Outcome: o, Ran: ran,
		Error: &messages.CallError{Kind: string(o), Message: message},
	}
}

// Tools lists tools through the owner. Errors: also [ErrNotSent].
func (c *Client) Tools(ctx context.Context, q actors.ToolsQuery) (actors.ToolsResult, error) {
	var out actors.ToolsResult
	err := c.ask(ctx, http.MethodPost, pathTools, q, &out)
	return out, err
}

// Servers is the owner's snapshot. Errors: also [ErrNotSent].
func (c *Client) Servers(ctx context.Context) ([]messages.ServerStatus, error) {
	var out []messages.ServerStatus
	err := c.ask(ctx, http.MethodGet, pathServers, nil, &out)
	return out, err
}

// Audit lists the owner's audit records. Errors: also [ErrNotSent].
func (c *Client) Audit(ctx context.Context, f audit.Filter) ([]audit.Record, error) {
	var out []audit.Record
	err := c.ask(ctx, http.MethodPost, pathList, f, &out)
	return out, err
}

// VerifyAudit has the owner check its audit chain. Errors: also [ErrNotSent].
func (c *Client) VerifyAudit(ctx context.Context) (audit.Report, error) {
	var out audit.Report
	err := c.ask(ctx, http.MethodPost, pathVerify, struct{}{}, &out)
	return out, err
}

// Run runs a topology in the owner. Events that we were too slow to read are missing from progress.
// Errors: also [ErrNotSent]; [actors.RunError] with outcome lost when the owner went away during the run.
func (c *Client) Run(ctx context.Context, r actors.RunRequest, progress func(messages.Event)) (actors.RunResult, error) {
	x, err := c.send(ctx, http.MethodPost, pathRun, r)
	if err != nil {
		return actors.RunResult{}, err
	}
	defer x.Close()
	lines := bufio.NewScanner(x.Body)
	lines.Buffer(nil, MaxBody+envelope)
	for lines.Scan() {
		var l line
		if err := json.Unmarshal(lines.Bytes(), &l); err != nil {
			return actors.RunResult{}, fmt.Errorf("decode the owner's answer: %w", err)
		}
		switch {
		case l.Error != nil:
			return orZero(l.Result), l.Error.err()
		case l.Result != nil:
			return *l.Result, nil
		case l.Event != nil && progress != nil:
			progress(*l.Event)
		}
	}
	return actors.RunResult{}, c.broken(ctx, lines.Err())
}

// broken is the error of a run whose stream ended without a last line.
func (c *Client) broken(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return &actors.RunError{Outcome: messages.Cancelled, Message: "the run was given up; the workspace's owner did not say how it ended"}
	}
	message := (&goneError{pid: c.pid}).Error() + " during the run"
	if errors.Is(err, bufio.ErrTooLong) {
		message = ErrBroken.Error() + " during the run: " + errTooLong.Error()
	}
	return &actors.RunError{Outcome: messages.Lost, Message: message}
}

func orZero(r *actors.RunResult) actors.RunResult {
	if r == nil {
		return actors.RunResult{}
	}
	return *r
}
