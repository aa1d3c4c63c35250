package fake

import (
	"net/http"
	"sync/atomic"
)

// authModes want credentials, over HTTP.
func authModes() []mode {
	var calls atomic.Int64
	return []mode{
		{
			name: "401", about: "http: 401 with WWW-Authenticate: Bearer resource_metadata=...; serves the metadata document",
			web: func(x *exchange, _ func()) {
				metadata := "http://" + x.r.Host + "/.well-known/oauth-protected-resource"
				if x.r.URL.Path == "/.well-known/oauth-protected-resource" {
					x.json(encode(fields{"resource": "http://" + x.r.Host + "/mcp", "authorization_servers": []string{"http://" + x.r.Host}}))
					return
				}
				x.unauthorized(`Bearer resource_metadata="` + metadata + `"`)
			},
		},
		{
			name: "401-bare", about: "http: 401 without WWW-Authenticate",
			web: func(x *exchange, _ func()) { x.w.WriteHeader(http.StatusUnauthorized) },
		},
		{
			name: "401-after-n", about: "http: the token expires after --n tool calls: 401 afterwards for ever", numbers: numbers{n: 1},
			web: func(x *exchange, next func()) {
				if calls.Load() >= int64(x.n) {
					x.unauthorized(`Bearer error="invalid_token"`)
					return
				}
				if x.m.Method == "tools/call" {
					calls.Add(1)
				}
				next()
			},
		},
		{
			name: "403-scope", about: `http: tools/call gives 403 error="insufficient_scope" scope="files:write"`,
			web: onPost("tools/call", func(x *exchange, _ func()) {
				x.w.Header().Set("WWW-Authenticate", `Bearer error="insufficient_scope", scope="files:write"`)
				x.w.WriteHeader(http.StatusForbidden)
			}),
		},
		{
			name: "403-bare", about: "http: everything gives 403 with an HTML body",
			web: func(x *exchange, _ func()) {
				x.refuse(http.StatusForbidden, "text/html", "<html><h1>Forbidden</h1></html>")
			},
		},
	}
}

func (x *exchange) unauthorized(challenge string) {
	x.w.Header().Set("WWW-Authenticate", challenge)
	x.w.WriteHeader(http.StatusUnauthorized)
}
