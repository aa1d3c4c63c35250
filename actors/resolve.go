package actors

import (
	"context"
	"fmt"
	"maps"
	"net/http"

	"github.com/mcp-supervisor/supervisor/config"
	mcpspec "github.com/mcp-supervisor/supervisor/mcp/spec"
)

// resolve fills the secrets into a server's env and headers, at the point of use: a new incarnation sees a new value.
// Values that look like secrets are remembered, so that they are masked wherever the server repeats them.
func (e *env) resolve(ctx context.Context, s config.Server) (mcpspec.Server, error) {
	spec := s.Server
	e.keeper.RememberArgs(spec.Command)
	e.keeper.RememberURL("endpoint", spec.Endpoint)
	var err error
	if spec.Env, err = e.expand(ctx, spec.Env); err != nil {
		return spec, fmt.Errorf("env: %w", err)
	}
	if spec.Headers, err = e.expand(ctx, spec.Headers); err != nil {
		return spec, fmt.Errorf("headers: %w", err)
	}
	return e.authorize(ctx, s, spec)
}

func (e *env) expand(ctx context.Context, values map[string]string) (map[string]string, error) {
	expanded := make(map[string]string, len(values))
	for key, text := range values {
		value, err := e.keeper.Expand(ctx, text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", key, err)
		}
		expanded[key] = value
	}
	e.keeper.RememberPairs(expanded)
	return expanded, nil
}

// authorize sends credentials_ref as a Bearer token to a remote server, unless an Authorization header is declared.
func (e *env) authorize(ctx context.Context, s config.Server, spec mcpspec.Server) (mcpspec.Server, error) {
	if s.CredentialsRef == "" || spec.Transport == mcpspec.Stdio {
		return spec, nil
	}
	for name := range spec.Headers {
		if http.CanonicalHeaderKey(name) == "Authorization" {
			return spec, nil
		}
	}
	token, err := e.keeper.Value(ctx, s.CredentialsRef)
	if err != nil {
		return spec, fmt.Errorf("credentials_ref: %w", err)
	}
	spec.Headers = maps.Clone(spec.Headers)
	spec.Headers["Authorization"] = "Bearer " + token
	return spec, nil
}
