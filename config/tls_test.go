package config

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	mcpspec "github.com/mcp-supervisor/supervisor/mcp/spec"
)

func TestTLSFilesAreRelativeToTheWorkspace(t *testing.T) {
	dir := write(t, []txtar.File{{Name: "workspace.yaml", Data: []byte(`apiVersion: supervisor/v1
kind: Workspace
metadata: {id: w, name: w}
mcp_servers:
  - {id: s, endpoint: "https://example.com/mcp", tls: {ca_file: ca.pem, cert_file: me.pem, key_file: /keys/me.key}}
`)}})
	ws, err := Load(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := mcpspec.TLS{CAFile: filepath.Join(ws.Root, "ca.pem"), CertFile: filepath.Join(ws.Root, "me.pem"), KeyFile: "/keys/me.key"}
	if diff := cmp.Diff(want, ws.Servers[0].TLS); diff != "" {
		t.Error(diff)
	}
}
