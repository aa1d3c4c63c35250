package mcp

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// maxRedirects is more than an honest server needs.
const maxRedirects = 5

var errRedirect = errors.New("redirect refused")

// checkRedirect follows a redirect inside the origin that keeps the method. Another origin must not see credentials, and
// 301 to 303 make a GET of a POST.
func checkRedirect(req *http.Request, via []*http.Request) error {
	from := via[0].URL
	switch {
	case !sameOrigin(from, req.URL):
		return fmt.Errorf("%w: it leads to another origin, %s, which would get our credentials; set the endpoint to that if it is right", errRedirect, place(req.URL))
	case req.Method != via[0].Method:
		return fmt.Errorf("%w: status %d makes a GET of a POST; set the endpoint to %s", errRedirect, req.Response.StatusCode, place(req.URL))
	case len(via) > maxRedirects:
		return fmt.Errorf("%w: more than %d in a row, the last one to %s", errRedirect, maxRedirects, place(req.URL))
	}
	return nil
}

// sameOrigin compares scheme, host and port, as a browser does.
func sameOrigin(a, b *url.URL) bool {
	return a.Scheme == b.Scheme && strings.EqualFold(a.Hostname(), b.Hostname()) && port(a) == port(b)
}

func port(u *url.URL) string {
	switch {
	case u.Port() != "":
		return u.Port()
	case u.Scheme == "https":
		return "443"
	}
	return "80"
}

// place is a URL as it may be shown: without user, password and query, which may hold secrets.
func place(u *url.URL) string {
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}

// placed makes an error of net/http, which quotes the whole URL, name the place only.
func placed(err error, u *url.URL) error {
	var quoting *url.Error
	if !errors.As(err, &quoting) {
		return err
	}
	return fmt.Errorf("%s %s: %w", strings.ToUpper(quoting.Op), place(u), quoting.Err)
}
