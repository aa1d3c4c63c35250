package actors

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/mcp-supervisor/supervisor/config"
	"github.com/mcp-supervisor/supervisor/governance/audit"
	mcpspec "github.com/mcp-supervisor/supervisor/mcp/spec"
	"github.com/mcp-supervisor/supervisor/messages"
)

const marker = "sk-marker-99"

// TestCredentialsReachTheServerAndNobodyElse starts a server that needs secrets and fails with them on its lips.
func TestCredentialsReachTheServerAndNobodyElse(t *testing.T) {
	t.Setenv("SECRET_OF_THE_TEST", marker+"-env")
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte(marker+"-file\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		ws := oneServer(t, func(s *config.Server) {
			s.Transport, s.Command, s.Endpoint = mcpspec.HTTP, nil, "https://example.test/mcp?token="+marker+"-url"
			s.Env = map[string]string{"A": "x-{credential.env}", "API_KEY": marker + "-key"}
			s.Headers = map[string]string{"X-Api-Key": "{credential.file}"}
			s.CredentialsRef, s.Restart.MaxRestarts = "file", 0
		})
		ws.Credentials = map[string]config.Credential{
			"env":  {Name: "env", Source: "env", Config: map[string]string{"env": "SECRET_OF_THE_TEST"}},
			"file": {Name: "file", Source: "file", Config: map[string]string{"path": file}},
		}
		var got mcpspec.Server
		s := startFake(t, ws, &fakeServer{}, WithDialer(func(_ context.Context, spec mcpspec.Server, _ Hooks) (Session, error) {
			got = spec
			words := fmt.Sprint(spec.Env, spec.Headers, spec.Endpoint)
			return nil, &DialError{Exit: mcpspec.Exit{Code: 1, Reason: words, StderrTail: []string{words}}, Err: errors.New(words)}
		}))
		r := call(s, marker+"-env")
		want1(t, r, messages.Unavailable, messages.RanNo)
		for name, value := range map[string]string{
			got.Env["A"]: "x-" + marker + "-env", got.Headers["X-Api-Key"]: marker + "-file",
			got.Headers["Authorization"]: "Bearer " + marker + "-file",
		} {
			if name != value {
				t.Errorf("the server got %q, want %q", name, value)
			}
		}
		records, err := s.Audit(context.Background(), audit.Filter{})
		if err != nil {
			t.Fatal(err)
		}
		for what, text := range map[string]string{
			"the result": fmt.Sprintf("%+v %+v", r.Error, r.Error.Exit), "the status": fmt.Sprintf("%+v", status(t, s)),
			"the audit": fmt.Sprintf("%+v", records),
		} {
			if strings.Contains(text, marker) {
				t.Errorf("%s tells a secret: %s", what, text)
			}
		}
	})
}
