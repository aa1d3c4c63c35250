package config

import (
	"time"

	gov "github.com/mcp-supervisor/supervisor/governance/spec"
)

// Governance is what the gate decides by, beside what servers and agents declare.
type Governance struct {
	// Provider says who decides: one of the constants below; "" means GovernanceBuiltin.
	Provider string
	// Exec and HTTP are set for the providers of these names, and for no other.
	Exec *ProviderExec
	HTTP *ProviderHTTP
	// Policies are the policy files; nil when there is no policies folder and none is named. A value without files is
	// not nil, and means that nothing is permitted.
	Policies *Policies
	Limits   gov.Limits
	// Rates are in the order of the file. All that cover a call hold for it.
	Rates   []gov.Rate
	Pinning gov.Pinning
	// ApprovalTimeout bounds the wait for an approval; 0 means DefaultApprovalTimeout.
	ApprovalTimeout time.Duration
	// ApprovalRemember: what was approved once stays approved for the rest of the run.
	ApprovalRemember bool
}

// The providers of decisions that are run.
const (
	GovernanceBuiltin = "builtin" // our own gate
	GovernanceMock    = "mock"    // the same, under the name that swarmkit/v1 has for it
	GovernanceExec    = "exec"    // a process of the user's
	GovernanceHTTP    = "http"    // a service of the user's
)

const (
	// DefaultApprovalTimeout is as long as somebody who is at hand may need to notice and to read.
	DefaultApprovalTimeout = 5 * time.Minute
	// DefaultProviderTimeout bounds one decision of a provider outside.
	DefaultProviderTimeout = 5 * time.Second
)

// ProviderExec is a process that decides.
type ProviderExec struct {
	// Command is the argument vector; it is run as it is, without a shell. It is never empty.
	Command []string
	// Env is set in addition to what servers get. Values may hold {credential.NAME}, as those of a server's env may.
	Env map[string]string
	// Timeout bounds one decision; it is positive.
	Timeout time.Duration
}

// ProviderHTTP is a service that decides.
type ProviderHTTP struct {
	// Endpoint is an http or https URL.
	Endpoint string
	// Headers are sent with every request. Values may hold {credential.NAME}, as those of a server's headers may.
	Headers map[string]string
	// Timeout bounds one decision; it is positive.
	Timeout time.Duration
}

// Policies are the workspace's policies, as text: reading them is the policy engine's business.
type Policies struct {
	// Files are sorted by name, each once.
	Files []PolicyFile
}

// PolicyFile is one file of policies.
type PolicyFile struct {
	// Name is relative to the workspace's folder, with slashes.
	Name string
	Text []byte
}
