package config

import (
	"net/url"
	"path/filepath"

	mcpspec "github.com/mcp-supervisor/supervisor/mcp/spec"
)

var tlsShape = shape{known: "ca_file cert_file key_file"}

// tls reads the files that an https endpoint is trusted and addressed with. They need not be there yet: they are read
// when the server starts.
func (l *loader) tls(v, endpoint value) mcpspec.TLS {
	l.check(v, tlsShape)
	t := mcpspec.TLS{CAFile: l.file(v.get("ca_file")), CertFile: l.file(v.get("cert_file")), KeyFile: l.file(v.get("key_file"))}
	if (t.CertFile == "") != (t.KeyFile == "") {
		l.fault(v, "give both, or none", "a client certificate needs cert_file and key_file")
	}
	if u, err := url.Parse(endpoint.text); v.given() && err == nil && u.Scheme == "http" {
		l.warn(v, "", "has no effect on an endpoint without TLS, %s", endpoint.quote())
	}
	return t
}

// file reads a path, relative to the workspace's folder.
func (l *loader) file(v value) string {
	path := l.str(v)
	if path == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(l.root, path)
}
