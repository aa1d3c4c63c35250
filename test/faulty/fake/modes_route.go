package fake

import (
	"fmt"
	"net/http"
	"strconv"
)

// routeModes send clients elsewhere.
func routeModes() []mode {
	modes := []mode{
		{
			name: "redirect-loop", about: "http: /mcp -> 307 -> /mcp",
			web: func(x *exchange, _ func()) { x.redirect(http.StatusTemporaryRedirect, "/mcp") },
		},
		{
			name: "redirect-cross", about: "http: /mcp -> 307 -> the same path on --port2",
			web: func(x *exchange, _ func()) {
				x.redirect(http.StatusTemporaryRedirect, fmt.Sprintf("http://127.0.0.1:%d%s", x.port2, x.r.URL.Path))
			},
		},
		{
			name: "trailing-slash", about: "http: only /mcp/ exists, /mcp gives 404 with HTML",
			web: func(x *exchange, next func()) {
				if x.r.URL.Path = map[string]string{"/mcp/": "/mcp"}[x.r.URL.Path]; x.r.URL.Path == "" {
					x.refuse(http.StatusNotFound, "text/html", "<html><h1>Not Found</h1></html>")
					return
				}
				next()
			},
		},
	}
	for _, status := range []int{301, 302, 307, 308} {
		code := strconv.Itoa(status)
		modes = append(modes, mode{
			name: "redirect-" + code, about: "http: /mcp -> " + code + " -> /mcp/",
			web: func(x *exchange, next func()) {
				if x.r.URL.Path == "/mcp" {
					x.redirect(status, "/mcp/")
					return
				}
				x.r.URL.Path = "/mcp"
				next()
			},
		})
	}
	return modes
}

func (x *exchange) redirect(status int, to string) {
	x.w.Header().Set("Location", to)
	x.w.WriteHeader(status)
}
