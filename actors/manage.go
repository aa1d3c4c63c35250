package actors

import (
	"context"
	"errors"

	"github.com/mcp-supervisor/supervisor/messages"
)

var errNotYet = errors.New("not built yet")

// StartServer implements [API].
func (s *Supervisor) StartServer(context.Context, string) (messages.ServerStatus, error) {
	return messages.ServerStatus{}, errNotYet
}

// StopServer implements [API].
func (s *Supervisor) StopServer(context.Context, string) (messages.ServerStatus, error) {
	return messages.ServerStatus{}, errNotYet
}

// RestartServer implements [API].
func (s *Supervisor) RestartServer(context.Context, string) (messages.ServerStatus, error) {
	return messages.ServerStatus{}, errNotYet
}

// Reload implements [API].
func (s *Supervisor) Reload(context.Context) (ReloadResult, error) { return ReloadResult{}, errNotYet }
