package spec

import "time"

// Transport is how a server is reached.
type Transport string

const (
	Stdio Transport = "stdio" // a subprocess of ours
	HTTP  Transport = "http"  // Streamable HTTP
	SSE   Transport = "sse"   // the HTTP transport of protocol 2024-11-05
)

// Server says how to reach one MCP server and how long to wait for it.
type Server struct {
	// ID names the server in skills, grants, rules, logs and the audit.
	ID        string
	Transport Transport
	// Command is the argument vector of a stdio server; it is run as it is, without a shell.
	Command []string
	// Cwd is the working directory of a stdio server, absolute.
	Cwd string
	// Env is set for a stdio server in addition to the allow-listed part of our own environment.
	Env map[string]string
	// Endpoint is the URL of an http or sse server.
	Endpoint string
	// Headers are sent with every request to an http or sse server.
	Headers map[string]string
	// TLS is for https endpoints; its zero value trusts what the system trusts.
	TLS TLS
	// StartTimeout bounds spawn, initialize and tools/list together.
	StartTimeout time.Duration
	// StopGrace is how long each step of a stop may take: after stdin is closed, and again after SIGTERM.
	StopGrace time.Duration
	// MaxMessage is the longest message accepted from the server, in bytes.
	MaxMessage int
	// Protocol is the MCP version to ask the server for, one of [Protocols]; a server may answer with an older one. Empty
	// means to find it out: initialize first, and server/discover where the server has no initialize.
	Protocol string
}

// Stateless is the MCP version without initialize: every request says for itself what the client is.
const Stateless = "2026-07-28"

// Protocols are the MCP versions that are spoken, the newest first.
func Protocols() []string {
	return []string{Stateless, "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"}
}

// TLS names PEM files, by absolute path. They are read at each start, so that a renewed certificate is used without a
// change of the workspace.
type TLS struct {
	// CAFile holds certificates that are trusted in addition to the system's; empty for none.
	CAFile string
	// CertFile and KeyFile are the client certificate; both or none.
	CertFile, KeyFile string
}

// DefaultMaxMessage is the longest message accepted from a server: 64 MiB, four times what the Go SDK takes.
const DefaultMaxMessage = 64 << 20

// Defaults of the times above, and of one call.
const (
	DefaultStartTimeout = 60 * time.Second // npx may download first
	DefaultStopGrace    = 5 * time.Second  // OTP's shutdown of a worker
	DefaultTimeout      = 30 * time.Second // of one call
)
