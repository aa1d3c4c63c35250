package control

import (
	"context"
	"errors"
	"net/http"

	"github.com/mcp-supervisor/supervisor/actors"
	"github.com/mcp-supervisor/supervisor/messages"
)

// StartServer starts a server through the owner. Errors: also [ErrNotSent], and [ErrBroken] when the owner went away
// meanwhile, and the server with it.
func (c *Client) StartServer(ctx context.Context, id string) (messages.ServerStatus, error) {
	return manage[messages.ServerStatus](ctx, c, pathStart, serverRequest{Server: id})
}

// StopServer stops a server through the owner. Errors: as for StartServer.
func (c *Client) StopServer(ctx context.Context, id string) (messages.ServerStatus, error) {
	return manage[messages.ServerStatus](ctx, c, pathStop, serverRequest{Server: id})
}

// RestartServer restarts a server through the owner. Errors: as for StartServer.
func (c *Client) RestartServer(ctx context.Context, id string) (messages.ServerStatus, error) {
	return manage[messages.ServerStatus](ctx, c, pathRestart, serverRequest{Server: id})
}

// Reload has the owner read the workspace's files again. Errors: the faults of the files as an [actors.RunError] that
// says invalid, its message one line for each; also as for StartServer.
func (c *Client) Reload(ctx context.Context) (actors.ReloadResult, error) {
	return manage[actors.ReloadResult](ctx, c, pathReload, struct{}{})
}

// manage asks for something that the owner goes on with when the caller gives up.
func manage[Out any](ctx context.Context, c *Client, path string, in any) (out Out, err error) {
	err = c.ask(ctx, http.MethodPost, path, in, &out)
	if ctx.Err() != nil && errors.Is(err, ErrBroken) {
		err = &actors.RunError{Outcome: messages.Cancelled, Message: "given up; the workspace's owner has not said how it ended, and may go on with it"}
	}
	return out, err
}
