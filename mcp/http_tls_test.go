//go:build unix

package mcp

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"math/big"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mcp-supervisor/supervisor/mcp/spec"
)

// selfSigned writes a certificate for a client and its key, as PEM files.
func selfSigned(t *testing.T) (cert *x509.Certificate, certFile, keyFile string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "client"}, NotAfter: time.Now().Add(time.Hour),
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	if cert, err = x509.ParseCertificate(der); err != nil {
		t.Fatal(err)
	}
	keyDER, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return cert, pemFile(t, "cert.pem", "CERTIFICATE", der), pemFile(t, "key.pem", "EC PRIVATE KEY", keyDER)
}

func pemFile(t *testing.T, name, kind string, der []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestTLS(t *testing.T) {
	clientCert, certFile, keyFile := selfSigned(t)
	clients := x509.NewCertPool()
	clients.AddCert(clientCert)
	f := &fakeHTTP{call: raw("application/json", `{"jsonrpc":"2.0","id":ID,"result":{}}`), quit: make(chan struct{})}
	f.Server = httptest.NewUnstartedServer(f)
	f.TLS = &tls.Config{ClientCAs: clients, ClientAuth: tls.RequireAndVerifyClientCert}
	f.Config.ErrorLog = discardLog
	f.StartTLS()
	t.Cleanup(f.Close)
	caFile := pemFile(t, "ca.pem", "CERTIFICATE", f.Certificate().Raw)

	for _, test := range []struct {
		name     string
		tls      spec.TLS
		want     string // in the error; empty when it goes well
		hopeless bool
	}{
		{"all there", spec.TLS{CAFile: caFile, CertFile: certFile, KeyFile: keyFile}, "", false},
		{"a server nobody vouches for", spec.TLS{CertFile: certFile, KeyFile: keyFile}, "certificate signed by unknown authority", false},
		{"no client certificate", spec.TLS{CAFile: caFile}, "certificate required", false},
		{"no such file", spec.TLS{CAFile: caFile + "x"}, "tls.ca_file", true},
		{"no certificate in the file", spec.TLS{CAFile: keyFile}, "no PEM certificate", true},
		{"no key in the file", spec.TLS{CAFile: caFile, CertFile: certFile, KeyFile: certFile}, "tls.cert_file and tls.key_file", true},
	} {
		t.Run(test.name, func(t *testing.T) {
			server := httpServer(f.URL)
			server.TLS = test.tls
			s, err := Open(context.Background(), server, Options{})
			if err == nil {
				defer s.Close()
			}
			if test.want == "" {
				if err != nil {
					t.Fatal(err)
				}
				if r := echo(t, s, ""); r.Err != nil {
					t.Error(r.Err)
				}
				return
			}
			var open *OpenError
			if !errors.As(err, &open) || !strings.Contains(err.Error(), test.want) || open.Exit.Hopeless != test.hopeless {
				t.Errorf("err = %v, %+v", err, open)
			}
		})
	}
}
