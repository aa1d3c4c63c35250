package mcp

import (
	"encoding/json"

	"github.com/mcp-supervisor/supervisor/mcp/spec"
)

// Options are what a session needs from its owner. The zero value works.
//
// The functions may be called from several goroutines, Stderr from one. They must return soon: a slow one slows its
// session down.
type Options struct {
	// Mask hides secret values; it is applied to stderr lines and error texts. Nil is the identity.
	Mask func(string) string
	// Stderr gets every line of the server's stderr: masked, control characters escaped, cut at 4 KiB. When it stays
	// slow, lines are dropped and their number told, because the server must never wait. Nil drops all.
	Stderr func(line string)
	// Warn is told what was skipped or repaired: junk on stdout, a tool left out. Nil drops it.
	Warn func(text string)
	// ToolsChanged is called 100 ms after the server said that its tools changed, once for all that said so meanwhile.
	ToolsChanged func()
	// Roots are absolute folders, told to a server that asks for roots/list.
	Roots []string
	// Progress gets the progress of calls whose _meta has a progressToken: the token and the notification's whole params,
	// as the server sent them. Notifications with a token that no running call has are dropped.
	Progress func(token, payload json.RawMessage)
	// Guardian kills the server when this program is killed. Nil is none; close it after the session.
	Guardian *Guardian
}

func (o Options) withDefaults() Options {
	if o.Mask == nil {
		o.Mask = func(s string) string { return s }
	}
	if o.Warn == nil {
		o.Warn = func(string) {}
	}
	if o.ToolsChanged == nil {
		o.ToolsChanged = func() {}
	}
	if o.Progress == nil {
		o.Progress = func(json.RawMessage, json.RawMessage) {}
	}
	if o.Guardian == nil {
		o.Guardian = unguarded()
	}
	return o
}

// withDefaults fills in what a server leaves out: zero is the default.
func withDefaults(s spec.Server) spec.Server {
	if s.Transport == "" {
		s.Transport = spec.Stdio
	}
	if s.StartTimeout <= 0 {
		s.StartTimeout = spec.DefaultStartTimeout
	}
	if s.StopGrace <= 0 {
		s.StopGrace = spec.DefaultStopGrace
	}
	if s.MaxMessage <= 0 {
		s.MaxMessage = spec.DefaultMaxMessage
	}
	return s
}
