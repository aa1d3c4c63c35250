package remote

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"time"
)

// maxRedirects is enough for a service that moved, and for one that adds a slash.
const maxRedirects = 3

// HTTP is a provider that is a web service. A request is a POST, and the answer has status 200.
type HTTP struct {
	// URL is https, or http on this machine. It has no user and password: credentials belong into Headers.
	URL string
	// Headers are sent with each request. They may be secrets, and are never logged.
	Headers map[string]string
	// AllowPlain permits http to other machines too, where arguments and headers can be read on the way.
	AllowPlain bool
	// Timeout bounds one request; 0 means DefaultTimeout.
	Timeout time.Duration
	// Log hears of failures that no decision can tell; nil means nobody does.
	Log *slog.Logger
}

// NewHTTP makes a provider of a web service. It is not contacted before there is something to ask. The error is a URL
// that cannot be used.
func NewHTTP(h HTTP) (*Provider, error) {
	if err := h.check(); err != nil {
		return nil, fmt.Errorf("governance provider: %w", err)
	}
	base, ok := http.DefaultTransport.(*http.Transport)
	if !ok { // a host program replaced it
		base = &http.Transport{Proxy: http.ProxyFromEnvironment}
	}
	client := &http.Client{Transport: base.Clone(), CheckRedirect: sameOrigin}
	p := newProvider(h.Timeout, h.Log)
	p.send = func(ctx context.Context, request []byte) ([]byte, error) { return h.post(ctx, client, request) }
	p.release = client.CloseIdleConnections
	return p, nil
}

func (h HTTP) check() error {
	u, err := url.Parse(h.URL)
	switch {
	case err != nil:
		return errors.New("the URL cannot be read") // the error would quote it, with what may be secret in it
	case u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return errors.New("the URL must begin with https:// and name a host")
	case u.User != nil:
		return errors.New("the URL holds a user or password; use headers")
	case u.Scheme == "http" && !h.AllowPlain && !loopback(u.Hostname()):
		return fmt.Errorf("%s is another machine and http can be read on the way; use https", u.Hostname())
	}
	return nil
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// sameOrigin follows a redirect that stays with the service and stays a POST: another one was not configured, and must
// not get the arguments and headers.
func sameOrigin(next *http.Request, before []*http.Request) error {
	first := before[0]
	switch {
	case next.URL.Scheme != first.URL.Scheme || next.URL.Host != first.URL.Host:
		return fmt.Errorf("it redirects to another origin, %s://%s", next.URL.Scheme, next.URL.Host)
	case next.Method != http.MethodPost:
		return errors.New("it redirects to a page, not to a service")
	case len(before) > maxRedirects:
		return errors.New("it redirects too often")
	}
	return nil
}

func (h HTTP) post(ctx context.Context, client *http.Client, body []byte) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, h.URL, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json")
	for name, value := range h.Headers {
		request.Header.Set(name, value)
	}
	response, err := client.Do(request)
	if err != nil {
		return nil, withoutURL(err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("it answered with status %s", line(response.Status))
	}
	return readBounded(response.Body)
}

func readBounded(r io.Reader) ([]byte, error) {
	raw, err := io.ReadAll(io.LimitReader(r, maxAnswer+1))
	if err == nil && len(raw) > maxAnswer {
		return nil, errTooLong
	}
	return raw, err
}

// withoutURL is the error without the URL, whose query may be secret.
func withoutURL(err error) error {
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		return wrapped.Err
	}
	return err
}
