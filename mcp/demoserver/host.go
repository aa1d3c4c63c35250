package demoserver

import (
	"context"
	"io"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// host is one MCP server for one session, with the life that all its calls share.
type host struct {
	*sdk.Server
	errOut io.Writer
	// life ends with the session. The SDK waits for running calls when its input ends and does not cancel them; a call
	// that hangs would keep the process alive for ever.
	life  context.Context
	leave context.CancelFunc
	// closers are what the server has open besides its session.
	closers []io.Closer
}

func newHost(ctx context.Context, name string, errOut io.Writer) *host {
	life, leave := context.WithCancel(ctx)
	impl := &sdk.Implementation{Name: "supervisor-demo-" + name, Version: "1.0.0"}
	return &host{Server: sdk.NewServer(impl, nil), errOut: errOut, life: life, leave: leave}
}

// run serves the session. The end of in and the end of ctx are both a good end.
func (h *host) run(ctx context.Context, in io.ReadCloser, out io.WriteCloser) error {
	defer h.close()
	err := h.Run(ctx, &sdk.IOTransport{Reader: &watched{in, h.leave}, Writer: out})
	if h.life.Err() != nil {
		return nil // a client that is gone does not hear the last answers, so failing to write them is no fault
	}
	return err
}

func (h *host) close() {
	for _, c := range h.closers {
		_ = c.Close() // what was written is with the kernel already: nothing can be lost
	}
}

// watched is an input that tells when it ended.
type watched struct {
	io.ReadCloser
	ended func()
}

func (w *watched) Read(p []byte) (int, error) {
	n, err := w.ReadCloser.Read(p)
	if err != nil {
		w.ended()
	}
	return n, err
}

// addTool adds a tool whose input schema comes from In: a struct, so that unknown arguments are refused. An error of do
// becomes an isError result. The context do gets ends with the call and with the session.
func addTool[In any](h *host, t sdk.Tool, do func(context.Context, In) (string, error)) {
	sdk.AddTool(h.Server, &t, func(ctx context.Context, _ *sdk.CallToolRequest, in In) (*sdk.CallToolResult, any, error) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		defer context.AfterFunc(h.life, cancel)()
		said, err := do(ctx, in)
		if err != nil {
			return nil, nil, err
		}
		return text(said), nil, nil
	})
}

func text(s string) *sdk.CallToolResult {
	return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: s}}}
}

// none is the input of a tool without arguments.
type none struct{}

// The hints of our tools; all of them stay on this machine.
func reads() *sdk.ToolAnnotations {
	return &sdk.ToolAnnotations{ReadOnlyHint: true, IdempotentHint: true, DestructiveHint: new(false), OpenWorldHint: new(false)}
}

func adds() *sdk.ToolAnnotations {
	return &sdk.ToolAnnotations{DestructiveHint: new(false), OpenWorldHint: new(false)}
}

func destroys() *sdk.ToolAnnotations {
	return &sdk.ToolAnnotations{DestructiveHint: new(true), IdempotentHint: true, OpenWorldHint: new(false)}
}
