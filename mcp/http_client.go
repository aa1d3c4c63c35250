package mcp

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net/http"
	"net/http/cookiejar"
	"os"

	"github.com/mcp-supervisor/supervisor/mcp/spec"
)

// idleConnections is how many connections to one server are kept for the next call. net/http's two would make new ones
// all the time with more than two calls at once.
const idleConnections = 256

// newClient makes the client of one session. It uses the proxies that the environment names, and keeps the cookies that
// a load balancer sets to send a session to the same place. While they are open, its connections are in open.
func newClient(server spec.Server, open *conns) (*http.Client, error) {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConns, transport.MaxIdleConnsPerHost = idleConnections, idleConnections
	transport.DialContext = open.tracking(transport.DialContext)
	var err error
	if transport.TLSClientConfig, err = tlsConfig(server.TLS); err != nil {
		return nil, hopeless{err}
	}
	jar, err := cookiejar.New(nil)
	if err != nil {
		return nil, err
	}
	return &http.Client{Transport: transport, CheckRedirect: checkRedirect, Jar: jar}, nil
}

// tlsConfig reads the files that t names; nil when it names none.
func tlsConfig(t spec.TLS) (*tls.Config, error) {
	if t == (spec.TLS{}) {
		return nil, nil
	}
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if t.CAFile != "" {
		pool, err := authorities(t.CAFile)
		if err != nil {
			return nil, fmt.Errorf("tls.ca_file: %w", err)
		}
		config.RootCAs = pool
	}
	if t.CertFile != "" || t.KeyFile != "" {
		pair, err := tls.LoadX509KeyPair(t.CertFile, t.KeyFile)
		if err != nil {
			return nil, fmt.Errorf("tls.cert_file and tls.key_file: %w", err)
		}
		config.Certificates = []tls.Certificate{pair}
	}
	return config, nil
}

// authorities are the system's, where it has any, and those in the file.
func authorities(file string) (*x509.CertPool, error) {
	pem, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool()
	}
	if !pool.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("%s holds no PEM certificate", file)
	}
	return pool, nil
}
