package actors

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/mcp-supervisor/supervisor/internal/safe"
	"github.com/mcp-supervisor/supervisor/mcp"
	mcpspec "github.com/mcp-supervisor/supervisor/mcp/spec"
	"github.com/mcp-supervisor/supervisor/messages"
)

// result starts the one result of a call.
func result(c messages.Call, o messages.Outcome, ran messages.Ran) messages.CallResult {
	return messages.CallResult{
		CallID: c.ID, Run: c.Run, Agent: c.Agent, Server: c.Server, Tool: c.Tool, Outcome: o, Ran: ran,
	}
}

// refused is the result of a call that was not sent.
func refused(c messages.Call, o messages.Outcome, reason string) messages.CallResult {
	r := result(c, o, messages.RanNo)
	r.Error = &messages.CallError{Kind: string(o), Message: reason}
	return r
}

// internalResult is the result of a call that a bug of ours ended. The caller reads that there was one; the log has it.
func internalResult(c messages.Call, crash *safe.Crash, ran messages.Ran) messages.CallResult {
	r := result(c, messages.Internal, ran)
	r.Error = &messages.CallError{Kind: string(messages.Internal), Message: "internal error in " + crash.Where + "; the log has the stack"}
	return r
}

// answered is the result of a call that ended with a reply on a session that goes on. A reply that only says that the
// session is dead is not for here: see deadSession.
func answered(c messages.Call, reply mcpspec.Reply) messages.CallResult {
	switch {
	case reply.RPC != nil:
		return rpcResult(c, reply.RPC)
	case reply.Err != nil:
		return brokenResult(c, reply)
	case mcpspec.IsError(reply.Result):
		r := result(c, messages.ToolError, messages.RanYes)
		r.Result = reply.Result
		r.Error = &messages.CallError{Kind: "result", Message: mcpspec.Text(reply.Result)}
		return r
	}
	r := result(c, messages.OK, messages.RanYes)
	r.Result = reply.Result
	return r
}

// JSON-RPC codes that say the tool did not run.
const (
	methodNotFound = -32601
	invalidParams  = -32602
)

func rpcResult(c messages.Call, e *mcpspec.RPCError) messages.CallResult {
	ran := messages.RanYes
	if e.Code == methodNotFound || e.Code == invalidParams {
		ran = messages.RanNo
	}
	r := result(c, messages.ToolError, ran)
	message := e.Message
	if message == "" {
		message = fmt.Sprintf("the server answered with JSON-RPC error %d and no message", e.Code)
	}
	r.Error = &messages.CallError{Kind: "rpc", Code: e.Code, Message: message}
	return r
}

// brokenResult is a call without an answer, over a connection that lives: it was lost if it may have reached the server.
func brokenResult(c messages.Call, reply mcpspec.Reply) messages.CallResult {
	o, ran := messages.Unavailable, messages.RanNo
	if reply.Written {
		o, ran = messages.Lost, messages.RanMaybe
	}
	r := result(c, o, ran)
	r.Error = &messages.CallError{
		Kind: string(o), Message: fmt.Sprintf("server `%s`: %v", c.Server, reply.Err), RetryAfter: messages.Millis(reply.RetryAfter),
	}
	var size *mcp.SizeError
	if errors.As(reply.Err, &size) { // it ran and answered; the answer is what we cannot take
		r.Outcome, r.Ran, r.Error.Kind = messages.ToolError, messages.RanYes, "too_large"
	}
	if errors.Is(reply.Err, mcp.ErrArguments) {
		r.Outcome, r.Error.Kind = messages.Invalid, string(messages.Invalid)
	}
	var status *mcp.StatusError
	if errors.As(reply.Err, &status) {
		r.Error.Code = int64(status.Status)
		r.Error.Message += hint(status.Status)
	}
	return r
}

func hint(status int) string {
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden:
		return "; check the server's headers or credentials_ref"
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		return "; try again later"
	}
	return ""
}

// deadSession reports whether a reply only says that the session died under the call. Its result is made when the
// session's post-mortem is in.
func deadSession(reply mcpspec.Reply) bool {
	var exit *mcp.ExitError
	return errors.As(reply.Err, &exit) || errors.Is(reply.Err, mcp.ErrClosed)
}

// downError says in words and numbers why a server cannot take calls.
func downError(o messages.Outcome, text string, retry time.Duration, exit *mcpspec.Exit) *messages.CallError {
	return &messages.CallError{Kind: string(o), Message: text, RetryAfter: messages.Millis(retry), Exit: postMortem(exit)}
}

func postMortem(exit *mcpspec.Exit) *messages.Exit {
	if exit == nil {
		return nil
	}
	return &messages.Exit{Code: exit.Code, Signal: exit.Signal, Reason: exit.Reason, StderrTail: exit.StderrTail}
}
