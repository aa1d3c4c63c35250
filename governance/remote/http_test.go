package remote

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// service is a provider whose service is h.
func service(t *testing.T, h http.HandlerFunc) *Provider {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return at(t, server.URL)
}

func at(t *testing.T, url string) *Provider {
	t.Helper()
	p, err := NewHTTP(HTTP{URL: url, Headers: map[string]string{"Authorization": "Bearer s3cret"}, Timeout: bound})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

func saying(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status); io.WriteString(w, body) }
}

func TestAServiceAnswers(t *testing.T) {
	p := service(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if r.Method != http.MethodPost || r.Header.Get("Content-Type") != "application/json" || r.Header.Get("Authorization") != "Bearer s3cret" ||
			!strings.HasPrefix(string(body), `{"version":1,"method":"evaluate_action"`) {
			t.Errorf("%s %v %s", r.Method, r.Header, body)
		}
		io.WriteString(w, allow)
	})
	for range 2 {
		if d := p.EvaluateAction(t.Context(), act()); !d.Allowed || d.Rule != "fake" {
			t.Errorf("got %+v", d)
		}
	}
}

func TestAServiceThatFailsIsANo(t *testing.T) {
	for _, tt := range []struct {
		name       string
		service    http.HandlerFunc
		diagnostic string
	}{
		{"an error, whatever it says", saying(http.StatusInternalServerError, allow), "status 500 Internal Server Error"},
		{"accepted is no answer", saying(http.StatusAccepted, allow), "status 202"},
		{"nothing", saying(http.StatusOK, ""), "not valid JSON"},
		{"a page", saying(http.StatusOK, "<html>"), "not valid JSON"},
		{"too long", saying(http.StatusOK, strings.Repeat(" ", maxAnswer)+allow), "the answer is longer than 65536 bytes"},
		{"cut", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "1000")
			io.WriteString(w, allow)
		}, "unexpected EOF"},
		{"hung up", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, "EOF"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			closed(t, service(t, tt.service).EvaluateAction(t.Context(), act()), tt.diagnostic)
		})
	}
}

func TestAServiceHasItsTime(t *testing.T) {
	p := service(t, func(_ http.ResponseWriter, r *http.Request) { io.Copy(io.Discard, r.Body); <-r.Context().Done() })
	p.timeout = 20 * time.Millisecond
	closed(t, p.EvaluateAction(t.Context(), act()), "no answer within 20ms")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	closed(t, p.EvaluateAction(ctx, act()), "context canceled")
}

// Neither arguments nor headers go where nobody sent them, and a redirect is never an answer.
func TestRedirects(t *testing.T) {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("it was asked elsewhere") }))
	t.Cleanup(elsewhere.Close)
	for _, tt := range []struct {
		name, to   string
		status     int
		diagnostic string // "" for a yes
	}{
		{"within the service", "/moved", http.StatusPermanentRedirect, ""},
		{"within the service, for now", "/moved", http.StatusTemporaryRedirect, ""},
		{"elsewhere", elsewhere.URL, http.StatusPermanentRedirect, "it redirects to another origin, http://127.0.0.1:"},
		{"to another scheme", "https://127.0.0.1/", http.StatusTemporaryRedirect, "it redirects to another origin, https://127.0.0.1"},
		{"to a page", "/moved", http.StatusSeeOther, "it redirects to a page"},
		{"in a circle", "/", http.StatusPermanentRedirect, "it redirects too often"},
		{"nowhere", "", http.StatusPermanentRedirect, "it answered with status 308"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := service(t, func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/moved" {
					io.Copy(w, strings.NewReader(allow))
					return
				}
				if tt.to != "" {
					w.Header().Set("Location", tt.to)
				}
				w.WriteHeader(tt.status)
			})
			d := p.EvaluateAction(t.Context(), act())
			if tt.diagnostic != "" {
				closed(t, d, tt.diagnostic)
			} else if !d.Allowed {
				t.Errorf("got %+v", d)
			}
		})
	}
}

func TestErrorsDoNotQuoteTheURL(t *testing.T) {
	p := at(t, "http://127.0.0.1:1/?key=s3cret") // nobody listens on port 1
	d := p.EvaluateAction(t.Context(), act())
	closed(t, d, "connect")
	if strings.Contains(d.Diagnostic, "s3cret") {
		t.Error(d.Diagnostic)
	}
}

func TestWhichURLsMayBeUsed(t *testing.T) {
	for _, tt := range []struct {
		url   string
		plain bool
		want  string
	}{
		{"https://governance.example/v1", false, ""},
		{"http://localhost:8080", false, ""},
		{"http://127.0.0.7", false, ""},
		{"http://[::1]:80/x", false, ""},
		{"http://governance.example", true, ""},
		{"http://governance.example", false, "governance.example is another machine and http can be read on the way; use https"},
		{"http://localhost.example", false, "is another machine"},
		{"http://127.0.0.1.example", false, "is another machine"},
		{"http://10.0.0.1", false, "is another machine"},
		{"https://user:s3cret@governance.example", false, "use headers"},
		{"ftp://localhost", false, "must begin with https://"},
		{"localhost:8080", false, "must begin with https://"},
		{"https://", false, "must begin with https://"},
		{"", false, "must begin with https://"},
		{"https://s3cret\x00", false, "the URL cannot be read"},
	} {
		_, err := NewHTTP(HTTP{URL: tt.url, AllowPlain: tt.plain})
		got := ""
		if err != nil {
			got = err.Error()
		}
		if (got == "") != (tt.want == "") || !strings.Contains(got, tt.want) || strings.Contains(got, "s3cret") {
			t.Errorf("%q: %q, want %q", tt.url, got, tt.want)
		}
	}
}
